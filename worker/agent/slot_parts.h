/* What the files of a slot have in common. From slot.c (the queue, stopping, life) and slot_watch.c (the tick) calls go
 * to what the front run is, slot_kernel.c or slot_program.c, and from there to what both need: slot_server.c,
 * slot_stall.c, slot_stopped.c, slot_gpus.c, slot_port.c, slot_claim.c, slot_wait.c and slot_front.c. Nothing calls
 * back but through `act`. */
#ifndef GANNET_WORKER_AGENT_SLOT_PARTS_H
#define GANNET_WORKER_AGENT_SLOT_PARTS_H

#include "common/proc.h"
#include "worker/agent/slot.h"
#include "worker/profile/frequency.h"
#include "worker/program/rank_watch.h"

/* Tells how the process of the front run ended; `words` are what a program printed under other names, or what a trainer
 * did against the rules (or NULL). */
typedef void slot_end_call(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *words);

/* A process that is gone, and may have been ended with the job: that is known when the agent gets its signal, or does
 * not get one for a moment. Or one that failed, and may have been failed by its GPU: that is known after the next look.
 * Meanwhile the slot does nothing. */
struct slot_gone {
    struct proc_exit how;
    char *tail, *words;
    slot_end_call *end;       /* with all of these */
    struct loop_watch *timer; /* when the moment is over */
    double gpus_since;        /* its GPUs are to be looked at, and it was gone since then; 0: they are not */
};

/* What was seen of processes that somebody has stopped. */
struct slot_stopped {
    pid_t process; /* that is stopped; 0: none was */
    double seconds, looked;
    bool said;    /* to the coordinator */
    bool is_owed; /* what was to be said last could not be */
};

struct agent_slot {
    struct slot_host *host;
    void (*act)(struct agent_slot *slot); /* slot_act, for what lies below it */
    uint32_t index;
    const struct slot_place *place;
    struct pin *pin;
    struct list_link queue;           /* runs whose turn has not come, as far as is known */
    uint32_t ahead;                   /* of these, the first so many are with the trainer */
    bool recalls;                     /* some of those are taken back, or the front's end is: nothing begins */
    double freed;                     /* when its trainer's last run ended, by the trainer's account; 0: not said */
    struct run *front;                /* the run whose turn it is, or NULL */
    struct node_reading node_before;  /* what was counted of the node when that began */
    struct frequency_watch frequency; /* of its cores, while that runs */
    struct gpu_run gpu_run;           /* what its GPUs did during that */
    struct crew *crew;                /* of the slots whose trials train together; NULL: its trainer is its own */
    struct trainer *trainer;
    struct rank_watch *rank_watch; /* its ranks, once a run of several was looked at; NULL: none was */
    struct rank_stall stall;       /* what was seen of them last, in the front run, */
    double stall_told;             /* and when that was told; 0: it was not, */
    bool stall_owed;               /* since nobody was there to be told */
    struct slot_stopped stopped;   /* a process of the front run that somebody has stopped */
    struct program *program;
    struct server *server;  /* the persistent program that runs this slot's trials, or NULL */
    double idle_since;      /* when it ended its last trial; 0: it has one */
    struct slot_gone *gone; /* their process is gone, and it is not clear why; else NULL */
    uint32_t unbegun;       /* trainers in a row that ended before they began the front run that they had */
    bool stale;             /* the trainer knows an older task: it is replaced after the run it has */
    double paused_until;    /* after a failed start: when the next one may be tried */
    double pause;           /* how long the last failure paused it */
    char *lacks;            /* why it could not start a run for want of something; NULL: it could */
    bool waits;             /* the coordinator is to give it nothing until it was paused */
    bool has_bad_gpu;       /* it waits for one of its GPUs */
    double gpu_event_told;  /* when the last event of one was that was logged */
    double memory_checked;  /* when the memory of its process was last looked at */
    double returned;        /* when leases were last given back because the front run is long */
    struct texts names;     /* of its cores and GPUs, as they are claimed */
    bool claimed;           /* it has them */
    double unused_since;    /* it has them, and no run, since then; 0: it has a run */
    uint16_t port;          /* where the processes of a run on several nodes meet that begins here; 0: none is named */
    char *secret;           /* by which those of kernels know each other; NULL: none */
    bool retired;           /* of older resources: it ends with its front run */
    struct slot_place own;  /* of a retired slot: its place, which is none of the agent's any more */
};

/* --- slot.c --- */

void slot_act(struct agent_slot *slot); /* begins what can begin; may be called at any time */

/* --- slot_kernel.c: the front run as the work of a trainer --- */

void slot_begin_kernel(struct agent_slot *slot);
void slot_stop_kernel(struct agent_slot *slot, double grace); /* the front run, which was marked to be stopped */
void slot_feed(struct agent_slot *slot); /* gives the trainer, which runs the front, others ahead when it wants some */
void slot_recall(struct agent_slot *slot); /* takes those back that it has not begun, and the front with them */

/* --- slot_program.c: the front run as a program of its own --- */

void slot_begin_program(struct agent_slot *slot);
void slot_stop_program(struct agent_slot *slot, double grace);
/* A program that is to end because it has taken all of its steps is left alone for `grace` seconds: what it evaluates,
 * prints and saves behind its last step belongs to it. False: it has not taken them. */
bool slot_let_finish(struct agent_slot *slot, enum ending ending, double grace);
/* It has ended by itself, which is told when its output was read: how the run ended is known. */
bool slot_is_over(const struct agent_slot *slot);
/* One of its processes has failed, and the others are ending: how the run ended is known. False: none has. */
bool slot_let_fail(struct agent_slot *slot, double grace);
void slot_end_finish(struct agent_slot *slot, double now); /* stops one that has not ended in that time */

/* --- slot_server.c: persistent programs --- */

void slot_need_server(struct agent_slot *slot);  /* makes it, if the task is for one */
void slot_check_server(struct agent_slot *slot); /* after a trial: forgets one that is gone, ends one that is worn */
void slot_server_tick(struct agent_slot *slot, double now);
/* How a persistent program's process ended with the trial, where that is another than that of its exit. */
enum ending slot_judge_server(const struct agent_slot *slot, const struct proc_exit *how, enum ending ending,
                              struct buf *detail);

/* --- slot_stall.c: ranks that don't get on. A run begins, goes on, and its trainer is gone --- */

void slot_stall_begin(struct agent_slot *slot);
void slot_stall_tick(struct agent_slot *slot, double now);
void slot_stall_forget(struct agent_slot *slot);

/* --- slot_stopped.c: a process that somebody has stopped --- */

void slot_stopped_tick(struct agent_slot *slot, double now);

/* --- slot_port.c --- */

bool slot_has_port(struct agent_slot *slot); /* false: the front run could not begin for want of it, and is gone */

/* --- slot_gpus.c: what its GPUs have to do with how a program ended, and whether anything may begin on them --- */

/* How a program ended that ended as `ending`, by what it said of its end (NULL: nothing), its last lines, and what the
 * driver says. */
enum ending slot_judge_gpus(const struct agent_slot *slot, enum ending ending, const char *words, const char *tail,
                            struct buf *detail);

/* One of its GPUs has a fault: ends what runs there, and waits until it was reset. */
void slot_gpus_tick(struct agent_slot *slot, double now);

/* Whether one look at its GPUs may still say why its program failed. */
bool slot_gpus_may_say(const struct agent_slot *slot, const struct proc_exit *how);

/* Whether they were looked at since this moment. */
bool slot_gpus_have_said(const struct agent_slot *slot, double since);

/* --- slot_wait.c: starts that fail, and what a slot waits for --- */

/* The front run could not begin. When the machine is at fault (NOT_STARTED) the slot pauses. */
void slot_fail_start(struct agent_slot *slot, enum ending ending, const char *why, const char *tail);
/* Begins nothing for `seconds`, and the coordinator is to give it nothing: it lacks something that may come by itself.
 * What is in its queue goes back with the next slot_act. */
void slot_wait(struct agent_slot *slot, const char *why, double seconds);
/* The front run goes back, and the slot waits, each time longer. */
void slot_wait_for_more(struct agent_slot *slot, const char *why);
/* The same, for a reason that may pass by itself when it was a shortage: then the run goes back, and the slot waits. */
void slot_fail_or_wait(struct agent_slot *slot, enum ending ending, const struct err *err);
void slot_started(struct agent_slot *slot); /* the front run could begin: what there was of pauses is over */

/* --- slot_front.c: what trainers and programs have in common --- */

char *slot_directory(const struct agent_slot *slot, uint64_t trial); /* the trial's; free() it */
/* The checkpoint of the trial that it starts from, or NULL; free() it. */
char *slot_origin(const struct agent_slot *slot, const struct run *run);
void slot_sample(struct agent_slot *slot, const struct msg_sample *sample); /* of the front run */
void slot_note_node(struct agent_slot *slot);                /* the front run begins: keeps the counters of the node */
void slot_look_at_node(struct agent_slot *slot, double now); /* while that goes on */
/* The process of the slot is gone: calls `end` now or, when its job may be ending, in a moment. */
void slot_lose(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *words,
               slot_end_call *end);
void slot_forget_gone(struct slot_gone *gone);
void slot_settle(struct agent_slot *slot); /* the moment is over; does nothing when there was none */
/* How the process of the front run ended, if nobody had asked for its end. */
enum ending slot_judge(struct agent_slot *slot, const struct proc_exit *how, struct buf *detail);
void slot_end_front(struct agent_slot *slot, enum ending ending, const char *detail, const char *tail);

#endif
