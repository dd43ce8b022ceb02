/* The worker's own structs, for the files of this folder alone. The map of the folder:
 *
 *     main.c        options; runs a worker
 *     show.c        --show-slots
 *     worker.c      the worker as a whole: made, ticking, ending
 *     meet.c        where the coordinator is: coordinator.json, keys, the link
 *     talk.c        the conversation with it
 *     report.c      what it has to be told, until it has acknowledged it
 *     slot.c        one place to run: the queue of leases, what runs in front, its limits
 *     run.c         one lease
 *     trainer.c     the process that runs a kernel, kept warm from run to run
 *     program.c     a person's own program, one process a run
 *     printed.c     metrics in what it prints
 *     ending.c      how a process ended, in the words of endings.h
 *     errout.c      the error output of a trainer; the last lines of any
 *     pin.c         binds processes to a slot's cores, memory and GPUs
 *     footprint.c   how much memory a process and its children use
 *     leftovers.c   what runs and dead workers left behind
 *     slots.c       from a topology to slots; topology*.c finds out what the machine has; cgroup.c what it is allowed
 */
#ifndef GANNET_WORKER_PARTS_H
#define GANNET_WORKER_PARTS_H

#include "common/list.h"
#include "common/map.h"
#include "common/task.h"
#include "worker/cgroup.h"
#include "worker/meet.h"
#include "worker/run.h"
#include "worker/slots.h"
#include "worker/worker.h"

/* One place to run. */
struct slot {
    struct worker *worker;
    uint32_t index;
    const struct slot_place *place;
    struct pin *pin;
    struct list_link queue; /* runs in state QUEUED */
    struct run *front;      /* the run whose turn it is, or NULL */
    struct trainer *trainer;
    struct program *program;
    double paused_until;   /* after a failed start: when the next one may be tried */
    double pause;          /* how long the next failure pauses it */
    double memory_checked; /* when its process's memory was last looked at */
};

/* How far the conversation is; talk.c tells the whole of it. */
enum stage { STAGE_GREETING, STAGE_WORKING, STAGE_LEAVING, STAGE_OVER };

struct worker {
    const struct worker_setup *setup;
    struct loop *loop;
    uint64_t id; /* a random number that names this process */
    char *node;
    void (*ended)(void *context, int status);
    void *context;

    struct topology topology;
    struct cgroup cgroup;
    char *owner; /* "GANNET_OWNER=...": marks all our children */

    /* The conversation. */
    struct meet *meet;
    struct loop_watch *link_in;
    enum stage stage;
    uint64_t session; /* of the coordinator */
    double heartbeat, silence;
    double heard;    /* when its last word came */
    double greeted;  /* when HELLO was last sent */
    double beaten;   /* when HEARTBEAT was last sent */
    double patience; /* LEAVING: until when acknowledgements are waited for */
    bool owes_offer; /* OFFER could not be sent yet */
    bool draining;   /* nothing new; leaves when all has ended */
    char *why;       /* LEAVING: the reason, */
    int status;      /*   and the exit status */

    /* The work. */
    char *task_text;
    struct task task;
    struct slots places;
    struct slot **slots;
    struct map runs; /* of (trial, attempt) -> struct run */

    /* What the coordinator has to be told. */
    struct list_link sampled; /* runs that go on, with samples not acknowledged */
    struct list_link fresh;   /* ended ones whose result was not sent, or is to be sent again */
    struct list_link told;    /* ended ones whose result was sent */
    struct msg_run_id *returned;
    size_t returned_count, returned_room;

    struct loop_watch *turn, *tick, *child_signal;
};

/* --- worker.c --- */
struct run *worker_run(const struct worker *worker, uint64_t trial, uint32_t attempt); /* or NULL */
/* Takes over a task: makes the slots of the first one, or of one that gives trials other resources. -1 with a sentence
 * when this machine can't run it. */
int worker_adopt(struct worker *worker, const char *task_text, struct err *err);
/* Ends in order: returns what has not begun, waits for acknowledgements for `patience` seconds, says GOODBYE. */
void worker_retire(struct worker *worker, int status, double patience, const char *why);
/* Ends now. */
void worker_over(struct worker *worker, int status);
/* Forgets a run. */
void worker_forget(struct worker *worker, struct run *run);

/* --- talk.c --- */
int talk_open(struct worker *worker, struct link_context *links, struct err *err);
void talk_tick(struct worker *worker, double now);
bool talk_send(struct worker *worker, const struct msg *msg); /* false: not now */
void talk_goodbye(struct worker *worker, const char *why);
void talk_close(struct worker *worker);

/* --- report.c --- */
void report_sampled(struct worker *worker, struct run *run);  /* it has new samples */
void report_ended(struct worker *worker, struct run *run);    /* it has a result */
void report_returned(struct worker *worker, struct run *run); /* it goes back unstarted; the run is gone after this */
void report_acks(struct worker *worker, const struct msg_acks *acks);
void report_repeat(struct worker *worker); /* everything not acknowledged is due again */
void report_turn(struct worker *worker);   /* sends what is due */
void report_tick(struct worker *worker, double now);
bool report_is_done(const struct worker *worker); /* nothing is unacknowledged */
void report_fini(struct worker *worker);

/* --- slot.c --- */
struct slot *slot_create(struct worker *worker, uint32_t index, const struct slot_place *place);
void slot_destroy(struct slot *slot); /* kills what it has; its runs stay in the worker's map */
void slot_take(struct slot *slot, struct run *run);
void slot_return_queue(struct slot *slot);
/* Ends a run of this slot with `grace` seconds for its process to do so by itself. */
void slot_stop(struct slot *slot, struct run *run, enum ending ending, const char *detail, double grace);
void slot_tick(struct slot *slot, double now);
/* The task changed in something a running trainer can't learn: it is replaced before the next run. */
void slot_renew(struct slot *slot);
bool slot_is_busy(const struct slot *slot); /* a run is in front of it, or a process is ending */

#endif
