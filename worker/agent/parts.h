/* The worker's own structs, for the files of this folder alone. The map of the folder:
 *
 *     main.c        runs a worker, or shows its slots (show.c), as its options say (options.c)
 *     worker.c      the worker as a whole: made, ticking, ending
 *     connector.c        where the coordinator is: coordinator.json, keys, the link
 *     talk.c        the conversation with it
 *     report.c      what it has to be told, until it has acknowledged it
 *     slot.c        one place to run: the queue of leases, what runs in front
 *     slot_kernel.c, slot_program.c   the front run as the work of a trainer, or as a program
 *     slot_watch.c  its limits of time and memory
 *     retire.c      slots of older resources, which keep what runs in them
 *     run.c         one lease
 *     trainer.c     the process that runs a kernel, kept warm from run to run
 *     program.c     a person's own program, one process a run
 *     printed.c     metrics in what it prints
 *     ending.c      how a process ended, in the words of endings.h
 *     errout.c      the error output of a trainer; the last lines of any (clean.c makes them fit for being stored)
 *     pin.c         binds processes to a slot's cores, memory and GPUs
 *     process_tree.c         processes, their children and their memory
 *     leftovers.c   what runs and dead workers left behind
 *     slots.c       from a topology to slots; topology*.c finds out what the machine has; cgroup.c what it is allowed
 */
#ifndef GANNET_WORKER_AGENT_PARTS_H
#define GANNET_WORKER_AGENT_PARTS_H

#include "common/list.h"
#include "common/map.h"
#include "common/node.h"
#include "common/proc.h"
#include "common/task.h"
#include "common/texts.h"
#include "worker/hardware/cgroup.h"
#include "worker/agent/connector.h"
#include "worker/program/run.h"
#include "worker/hardware/slots.h"
#include "worker/agent/worker.h"

struct slot;

/* Tells how the process of the front run ended; `words` are what a program printed under other names, or what a trainer
 * did against the rules (or NULL). */
typedef void slot_end_call(struct slot *slot, const struct proc_exit *how, const char *tail, const char *words);

/* A process that is gone, and may have been ended with the job: that is known when the worker gets its signal, or does
 * not get one for a moment. Meanwhile the slot does nothing. */
struct slot_gone {
    struct proc_exit how;
    char *tail, *words;
    slot_end_call *end;       /* with all of these */
    struct loop_watch *timer; /* when the moment is over */
};

/* One place to run. */
struct slot {
    struct worker *worker;
    uint32_t index;
    const struct slot_place *place;
    struct pin *pin;
    struct list_link queue; /* runs whose turn has not come */
    struct run *front;      /* the run whose turn it is, or NULL */
    struct trainer *trainer;
    struct program *program;
    struct slot_gone *gone; /* their process is gone, and it is not clear why; else NULL */
    bool stale;             /* the trainer knows an older task: it is replaced after the run it has */
    double paused_until;    /* after a failed start: when the next one may be tried */
    double pause;           /* how long the last failure paused it */
    double memory_checked;  /* when the memory of its process was last looked at */
    double returned;        /* when leases were last given back because the front run is long */
    bool retired;           /* of older resources: it ends with its front run */
    struct slot_place own;  /* of a retired slot: its place, which is none of the worker's any more */
};

/* How far the conversation is; talk.c tells the whole of it. */
enum stage { STAGE_GREETING, STAGE_WORKING, STAGE_LEAVING, STAGE_OVER };

struct worker {
    const struct worker_setup *setup;
    struct loop *loop;
    struct loop_watch *turn, *tick, *child_signal;
    void (*ended)(void *context, int status);
    void *context;
    uint64_t id; /* a random number that names this process */
    char *node;
    struct node_job job;

    struct topology topology;
    struct cgroup cgroup;
    uint64_t oom_kills; /* as it counted them when it was last asked, */
    double oom_asked;   /* then */
    struct texts marks; /* the environment that marks all our children as ours */
    int children;       /* the kernel's list of them, from leftovers_adopt; -1: not open */

    /* The conversation. */
    struct connector *connector;
    struct loop_watch *link_in;
    enum stage stage;
    bool joined;      /* OFFER was sent since the last HELLO: the coordinator knows us */
    bool draining;    /* nothing new; leaves when all has ended */
    double deadline;  /* when the time of the job is up, seconds since 1970; 0: not known */
    uint64_t session; /* of the coordinator */
    double heartbeat, silence;
    double heard;    /* when its last word came */
    double greeted;  /* when HELLO was last sent; 0: it could not be */
    double beaten;   /* when HEARTBEAT was last sent */
    double renewed;  /* when the connection was last made anew */
    double looked;   /* when the coordinator's whereabouts were last looked at */
    double leave_by; /* LEAVING: until when acknowledgements are waited for */
    int status;      /* DRAINING, LEAVING: the exit status to come, */
    char *why;       /*   and the reason */

    /* The work. */
    char *task_text;
    struct task task;
    struct slots places;
    struct slot **slots; /* one a place, then retired ones */
    uint32_t slot_count; /* all of these */
    struct map runs;     /* of (trial, attempt) -> struct run */
    size_t living;       /* those of them that have not ended */
    double worked;       /* when there was last one, or something else to stay for */
    uint64_t runs_ended;
    bool untidy; /* a child or a run has ended: leftovers are to be looked for at the end of this turn */

    /* What the coordinator has to be told. */
    struct list_link sampled; /* runs that go on, with samples not acknowledged */
    struct list_link fresh;   /* ended ones whose result was not sent, or is to be sent again */
    double fresh_since;       /* when the first of those came */
    struct list_link told;    /* ended ones whose result was sent, in that order */
    struct msg_run_id *returned;
    size_t returned_count, returned_room;
};

/* --- worker.c --- */
struct run *worker_find(const struct worker *worker, uint64_t trial, uint32_t attempt); /* or NULL */
struct run *worker_add(struct worker *worker, const struct msg_lease *lease);           /* NULL: it is here already */
void worker_forget(struct worker *worker, struct run *run);
/* Takes over a task: makes the slots of the first one, or of one that gives trials other resources. -1 with a sentence
 * when this machine can't run it. */
int worker_adopt(struct worker *worker, const char *task_text, struct err *err);
/* Ends now, saying GOODBYE. */
void worker_over(struct worker *worker, int status, const char *why);
/* Whether the kernel has killed a process for want of memory in the last second or so; each kill is told once. */
bool worker_was_starved(struct worker *worker);

/* --- talk.c --- */
int talk_open(struct worker *worker, struct link_context *links, struct err *err);
void talk_close(struct worker *worker, const char *why); /* says GOODBYE when there is somebody to hear it */
void talk_tick(struct worker *worker, double now);
bool talk_send(struct worker *worker, const struct msg *msg); /* false: not now */

/* --- report.c --- */
void report_sampled(struct worker *worker, struct run *run); /* it has new samples */
void report_ended(struct worker *worker, struct run *run);   /* it has a result */
void report_give_back(struct worker *worker, uint64_t trial, uint32_t attempt);
void report_acks(struct worker *worker, const struct msg_acks *acks);
void report_repeat(struct worker *worker); /* everything not acknowledged is due again */
void report_turn(struct worker *worker);   /* sends what is due */
void report_tick(struct worker *worker, double now);
bool report_is_done(const struct worker *worker); /* no result is unacknowledged */

/* --- retire.c --- */
/* The resources of trials change: what has not begun goes back, slots in which something runs stay until it ends, all
 * others go, and so do the places. */
void retire_slots(struct worker *worker);
/* New places and slots are made: adds the retired ones behind them, and gives every run a slot among the new ones for
 * the coordinator's books: one that its own slot overlaps, so that nothing else is given there. */
void retire_settle(struct worker *worker, struct slot **slots);
/* Whether a retired slot still has cores or GPUs of this one. */
bool retire_blocks(const struct slot *slot);
/* Removes the retired slots in which nothing runs any more. */
void retire_reap(struct worker *worker);
/* The slot that has a run which has not ended. */
struct slot *retire_slot_of(const struct worker *worker, const struct run *run);

/* --- slot.c --- */
struct slot *slot_create(struct worker *worker, uint32_t index, const struct slot_place *place);
/* Ends it at once: its queue goes back, the run in front of it is lost. */
void slot_destroy(struct slot *slot);
void slot_take(struct slot *slot, struct run *run); /* to the end of the queue */
void slot_return_queue(struct slot *slot);          /* all that has not begun goes back */
/* Ends a run of this slot; its process has `grace` seconds to do so by itself. One that has not begun goes back. */
void slot_stop(struct slot *slot, struct run *run, enum ending ending, const char *detail, double grace);
void slot_tick(struct slot *slot, double now);
/* The task has changed: a trainer, which is told the task only once, is replaced as soon as it has no run. */
void slot_renew(struct slot *slot);
bool slot_has_process(const struct slot *slot, pid_t pid);

/* For the slot_*.c files: */
void slot_act(struct slot *slot); /* begins what can begin; may be called at any time */
void slot_begin_kernel(struct slot *slot);
void slot_begin_program(struct slot *slot);
char *slot_directory(const struct slot *slot, uint64_t trial);     /* the trial's; free() it */
char *slot_origin(const struct slot *slot, const struct run *run); /* the checkpoint of the trial that it starts from,
                                                                      or NULL; free() it */
/* The process of the slot is gone: calls `end` now or, when its job may be ending, in a moment. */
void slot_lose(struct slot *slot, const struct proc_exit *how, const char *tail, const char *words, slot_end_call *end);
void slot_settle(struct slot *slot); /* the moment is over; does nothing when there was none */
/* How the process of the front run ended, if nobody had asked for its end. */
enum ending slot_judge(struct slot *slot, const struct proc_exit *how, struct buf *detail);
void slot_end_front(struct slot *slot, enum ending ending, const char *detail, const char *tail);
/* The front run could not begin. When the machine is at fault (NOT_STARTED) the slot pauses. */
void slot_fail_start(struct slot *slot, enum ending ending, const char *why, const char *tail);

#endif
