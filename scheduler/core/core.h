/* The coordinator's core: what happens to trials, leases, workers and slots. Sans-IO: messages, proposals, ticks and
 * commits go in, outputs come out; no socket, file, clock, thread or random source inside. The coordinator wraps it
 * with the real things, the simulator (tests/sim) with virtual ones.
 *
 * The way it is driven: call input functions, then take outputs with core_next until there is none. `now` is seconds
 * on any clock that never goes back; every input carries it. What happens to very many workers or trials at once is
 * done bit by bit: the outputs that are taken together are bounded, and core_wake asks for the next turn at once.
 *
 * Nothing leaves before it is on disk: an output that promises something appears only after core_committed of the event
 * that it promises. What the core holds back costs nothing but memory; when the disk stands still, so does it.
 *
 * The folder, from what everything leads to down to what needs nothing else; calls run down this list:
 *
 *     core.c        create, inputs, what is done after each of them, destroy
 *     status.c      the snapshot (snapshot.c), and demand.c the workers that are wanted: both only read
 *     remaining.c   how much longer the search takes
 *     restart.c     from memory to a core
 *     watch.c       looks after workers and their runs as time passes
 *     receive.c     messages from workers, by kind
 *     reconcile.c   what a worker says that it has is compared with what is recorded
 *     result.c      runs that ended
 *     job.c         what becomes known of jobs
 *     end.c         when the experiment ends, and how the session ends when the time of the job is up
 *     place.c       trials are leased to vacant slots
 *     node_fault.c       failures that may be their node's; node_health.c: those nodes
 *     suspect.c     trials under which workers were lost: they run alone; suspect_gang.c on several nodes
 *     large.c       trials that need more memory than a slot has
 *     change.c      what a person changes about trials that have ended, or adds
 *     proposals.c   keeps proposals ready: asks the strategy, takes its answers
 *     limits.c      what the end of the experiment does
 *     act.c         what follows from changes that are on disk
 *     pause.c       trials that wait at a checkpoint, and go on
 *     samples.c     samples as they come, and early stopping (early_stop.h), which looks at them
 *     conduct.c     what is put up with from workers
 *     workers.c     workers and slots: hello, silence, goodbye
 *     standstill.c  ranks that the others of their run wait for
 *     gang.c        a trial given to slots on several nodes, which begin and end together
 *     lease.c       a trial given to a slot: granted, given back, lost
 *     trial.c       the only place where a trial's state changes
 *     grow.c        more memory or time for the next attempt
 *     stall.c       trials that go on later without coming further
 *     queue.c       waiting trials
 *     dispatch.c    messages to workers
 *     vacancy.c     which slot is next, and how many leases ahead; gather.c which slots of several nodes
 *     walltime.c    the time of the job: what may still be started
 *     outbox.c      outputs, and what is due when an event is on disk
 *     seen.c        what metrics came to
 *     forecast.c    how long trials run, by their parameters (configuration.c)
 *     tally.c       what results are worth, and which limits they reach; streak.c the failures that are alike
 *     event.c       what is written down; memory.h is what that adds up to
 */
#ifndef GANNET_SCHEDULER_CORE_CORE_H
#define GANNET_SCHEDULER_CORE_CORE_H

#include "common/growth.h"
#include "common/metric.h"
#include "scheduler/core/event.h"
#include "scheduler/core/early_stop.h"
#include "scheduler/core/memory.h"

/* What the core is told once. */
struct core_config {
    uint64_t seed;          /* of the experiment: each trial's own seed is made of it */
    const char *task;       /* JSON for the workers; kept by the caller as long as the core */
    struct metrics metrics; /* what trials are judged by; likewise */
    bool has_target;
    double target;           /* of the first metric */
    uint64_t max_trials;     /* 0: not limited */
    uint32_t max_concurrent; /* 0: not limited */
    bool has_max_failures;
    uint64_t max_failures;
    uint32_t same_failures;    /* so many trials in a row that fail in the same way end the session; 0: never */
    double time;               /* seconds the experiment may run; 0: not limited */
    uint32_t nodes;            /* different nodes that a trial takes a slot on each of; 0: 1 */
    bool first_starts_all;     /* the first node starts what runs on the others, which end with it */
    double trial_time;         /* seconds a run may take; the worker ends it, the core only if the worker does not */
    uint64_t memory;           /* bytes a run may use: what a slot has; 0: not limited */
    struct growth more_memory; /* of the next attempt, after one that ran out of memory */
    struct growth more_time;   /* of the next attempt, after one that ran out of time */
    uint64_t memory_max;       /* the most that becomes of it; 0: what a worker has */
    double trial_time_max;     /* the most that becomes of it; 0: not limited */
    double grace;
    uint32_t retries;
    uint32_t requeues;    /* attempts in a row that may be to go on later and come no further */
    uint32_t most_guilty; /* so many trials in a row that fail because they lose their workers end the session */
    const struct early_stop *early_stop; /* early stopping; kept by the caller; NULL: none */
    bool can_continue;                   /* trials can go on from checkpoints */
    bool ask_far_ahead;                  /* the strategy does not use its history */
    uint32_t ready_limit;                /* most proposals that wait ready */
    double heartbeat;                    /* seconds between a worker's heartbeats */
    double suspect;                      /* silent for so long: no new lease */
    double lost;                         /* silent for so long: its runs are lost */
    double wall_offset;                  /* wall clock minus `now` */
    double warn;                         /* seconds before the deadline at which running trials are to save and stop */
    double restart_patience;             /* seconds that workers of before a restart have to come back */
    uint32_t awaited_nodes;              /* from which workers are to come soon after the start; 0: not known */
    bool workers_stay; /* they have jobs of their own, and wait when another session goes on with the search */
};

/* Sensible numbers for everything but what comes from the spec. */
void core_config_defaults(struct core_config *config);

struct core;

/* A core that goes on from `memory` (of a new experiment: {.next_trial = 1}). Both are read during the call only. */
struct core *core_create(const struct core_config *config, const struct memory *memory, double now);
void core_destroy(struct core *core); /* NULL is fine */

/* --- in --- */

/* A message from a peer (a worker's connection; any number that names it). Anything may come: what is not understood,
 * forged or late is answered or ignored, and counted. The message stays the caller's. */
void core_message(struct core *core, double now, uint64_t peer, const struct msg *msg);

/* The connection of this peer is gone (a send failed). Its worker may come back under another peer. */
void core_peer_gone(struct core *core, double now, uint64_t peer);

/* The worker process itself is dead for certain: its runs end at once, as LOST, PREEMPTED, WALLTIME or NODE_FAILED. */
void core_worker_dead(struct core *core, double now, uint64_t worker, enum ending ending, const char *why);

/* What a worker may be known by; all that is given has to agree. */
struct worker_sign {
    const char *node;    /* NULL: any */
    uint32_t pid;        /* 0: any */
    uint32_t part;       /* of those that share the node; 0: any */
    struct node_job job; /* .job 0: any; .element NODE_NO_ELEMENT: any of it */
};

/* All workers of this sign are dead; returns how many that were. */
uint32_t core_workers_dead(struct core *core, double now, const struct worker_sign *sign, enum ending ending,
                           const char *why);

/* For how many seconds all workers of this sign have been silent; negative: none is known. */
double core_silence(const struct core *core, double now, const struct worker_sign *sign);

/* Something became known of a job: it is written down. A worker of a job that has ended is lost as soon as it is
 * silent, its runs with the ending that the job's state stands for; as long as it speaks it is believed. */
void core_job(struct core *core, double now, const struct job_facts *facts);

/* When the time of this job is up, in seconds since 1970: its workers get no trial that would not end by then, and what
 * they still run shortly before goes on elsewhere. */
void core_job_ends(struct core *core, double now, struct node_job job, double when);

/* Answers to OUTPUT_ASK (`proposed` is copied), in the order of the asks, whenever they come: an ask to which the
 * strategy has nothing to say before its next tell waits in the strategy's thread, and those behind it too. */
void core_proposal(struct core *core, double now, uint64_t trial, const struct event_proposed *proposed);
void core_no_more(struct core *core, double now);                 /* nothing is left, for all asks not yet answered */
void core_broken(struct core *core, double now, const char *why); /* the strategy failed */

/* All events up to this number are on disk. */
void core_committed(struct core *core, double now, uint64_t number);

/* Time passes; to be called at core_wake or earlier. */
void core_tick(struct core *core, double now);

/* core_tick is called so many seconds later than it was to be: the process was stopped, or its node was. That is nobody
 * else's silence. To be called before that core_tick. */
void core_late(struct core *core, double now, double seconds);

/* --- commands of a person --- */

/* Starts nothing new; what runs may finish; then the experiment ends. */
void core_drain(struct core *core, double now, enum reason reason);

/* Ends what runs, too. With INTERRUPTED the running trials go back to waiting; else they are cancelled. */
void core_stop(struct core *core, double now, enum reason reason);

/* Ends one trial. -1 with a sentence when it has ended, or was never proposed. */
int core_cancel_trial(struct core *core, double now, uint64_t trial, struct err *err);

/* What a person changes of the past (docs/design.md): -1 with a sentence, and nothing is changed, when the session is
 * at its end. What the core has forgotten it is told: the caller has read it from the store, and lets no other such
 * change come between. */

/* An ended trial. */
struct core_ended {
    uint64_t trial;
    enum ending ending;
    bool added; /* it never ran here */
};

/* From now on they don't count, or do again; so it was not. Once that is on disk the strategy forgets (OUTPUT_FORGET),
 * and core_best is to follow when true comes back in *looks. */
int core_ignore(struct core *core, double now, const struct core_ended *trials, size_t count, bool ignored, bool *looks,
                struct err *err);

/* The best trial that counts, of what is on disk now. */
void core_best(struct core *core, double now, bool has_best, uint64_t trial, double value);

/* These failed trials wait again. Once that is on disk the strategy forgets, and core_take_up follows for each. */
int core_reopen(struct core *core, double now, const uint64_t *trials, size_t count, struct err *err);

/* What the store knows of one that was reopened: as after a restart. Early stopping takes it for another trial. */
void core_take_up(struct core *core, double now, const struct memory_trial *trial);

/* Trials that were measured elsewhere, as they are to be recorded (`told` is filled in here). The first one has number
 * *first, the others follow. Once they are on disk the strategy is told. */
int core_add(struct core *core, double now, const struct event_added *trials, size_t count, uint64_t *first,
             struct err *err);

/* The number of the last event: what was done is on disk when this one is. */
uint64_t core_events(const struct core *core);

/* --- the end of the session --- */

/* There is no worker, and none will come: nothing new is started, and the session ends with this sentence. */
void core_no_workers(struct core *core, double now, const char *why);

/* From `at` on (on the core's clock) nothing may run. No trial is started that would still run config.warn seconds
 * before that, unless trials can go on from checkpoints; then what runs is stopped and goes back to waiting, and the
 * session ends with REASON_WALLTIME. It may be called again: job limits can be moved. */
void core_deadline(struct core *core, double now, double at);

/* The session ends, and another goes on later: WALLTIME, PREEMPTED or PAUSED. What runs saves a checkpoint, if it can,
 * and goes back to waiting; none of it counts as failed or retried. */
void core_leave(struct core *core, double now, enum reason reason);

/* What is expected of a waiting trial. */
struct prospect {
    double predicted; /* seconds of a whole run that it will hardly need more of; negative: not known */
    double left;      /* seconds in which it has to end; infinite: there is no deadline */
    bool fits;        /* it may be started */
    uint32_t losses;  /* workers that were lost while it ran, as far as they count against it */
    bool alone;       /* so many that it has to run alone */
    uint64_t memory;  /* bytes that it needs, more than a slot has; 0: no more */
};

/* False: the trial does not wait. */
bool core_prospect(struct core *core, double now, uint64_t trial, struct prospect *out);

/* --- out --- */

enum output_kind {
    OUTPUT_SEND,    /* send `bytes` to `peer` */
    OUTPUT_STORE,   /* write `event` */
    OUTPUT_ASK,     /* ask the strategy for trial `trial`, behind everything told so far */
    OUTPUT_TELL,    /* tell the strategy of `trial`: `ending`, `values`, `seconds`, `step` */
    OUTPUT_FORGET,  /* the past of the strategy has changed: what was told up to number `step` is to be told anew */
    OUTPUT_OBSERVE, /* tell it how `trial` stands at `step`: `values`, `seconds` */
    OUTPUT_ENDED    /* the experiment is over: everything is on disk; `reason` says why. The last output, but for what
                       core_job has to store. */
};

/* One output; what it owns is freed with output_fini, or moved out (then clear it). What its event says it does not
 * own: that is there until core_next says that there is no further output (event_keep makes it last). */
struct output {
    enum output_kind kind;
    uint64_t peer;
    struct buf bytes;
    struct event event;
    uint64_t trial;
    enum ending ending;
    char *params;           /* TELL: of a trial that was added, and never asked for; NULL: it was */
    double *values;         /* TELL: of the metrics, NaN where it has none; NULL: it has none at all */
    double seconds, energy; /* TELL: joules; 0: not known */
    uint64_t step;
    enum reason reason;
};

/* Takes the next output; false when there is none now. */
bool core_next(struct core *core, struct output *out);
void output_fini(struct output *out);

/* How many trials have ended. */
uint64_t core_ended(const struct core *core);

/* Whether no worker is left that speaks to us. */
bool core_is_deserted(const struct core *core);

/* When core_tick is to be called next; infinite: not needed. */
double core_wake(const struct core *core);

/* --- how things stand --- */

/* For status lines; see snapshot.h. */
struct snapshot;
void core_snapshot(const struct core *core, double now, struct snapshot *out);

/* The same with a few of the workers alone, those that there is something to say of. */
void core_snapshot_short(const struct core *core, double now, struct snapshot *out);

#endif
