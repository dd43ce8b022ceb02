/* What happened, as it is written down. The core emits events in order, each with a number that counts up; the store
 * writes them in that order, several in one transaction; core_committed(n) says that all up to n are on disk. Reading
 * all that was written back gives the core its memory again: see memory.h. */
#ifndef GANNET_SCHEDULER_CORE_EVENT_H
#define GANNET_SCHEDULER_CORE_EVENT_H

#include "common/arena.h"
#include "common/endings.h"
#include "common/metric.h"
#include "common/msg.h"
#include "common/node.h"
#include "common/phases.h"
#include "scheduler/core/early_stop.h"

#include <stdint.h>

enum event_kind {
    EVENT_PROPOSED,    /* a trial comes into being: state waiting */
    EVENT_LEASED,      /* an attempt begins, or one that was given up for lost is taken up again: state running */
    EVENT_RETURNED,    /* an attempt was given back unstarted: it leaves no run behind; state waiting */
    EVENT_SAMPLED,     /* metric values of an attempt */
    EVENT_RUN_ENDED,   /* an attempt ended (its result); the trial's state changes by the event that follows in the same
                          commit */
    EVENT_RETRIED,     /* after a failed or lost attempt the trial waits again */
    EVENT_TRIAL_ENDED, /* the trial ended, with its value; it is told as number `told` */
    EVENT_LATE,   /* a result of an attempt that no longer counts: noted beside its run unless that run has ended in
                   * another way than lost (a repeated result); never counted */
    EVENT_WORKER, /* a worker joined, or came back */
    EVENT_SLOTS,  /* the slots it offers */
    EVENT_WORKER_GONE, /* it left or was lost */
    EVENT_EXPERIMENT,  /* the experiment's state changed: started, draining, ended, ... */
    EVENT_DECIDED,     /* early stopping looked at a step of a trial */
    EVENT_PAUSED,      /* the trial waits at a checkpoint: state paused */
    EVENT_RESUMED,     /* it goes on: state waiting */
    EVENT_JOB,         /* something is known of a job of Slurm's */
    EVENT_KINDS
};

/* The states of an experiment, and why it ended. */
enum experiment_state { EXPERIMENT_RUNNING, EXPERIMENT_DRAINING, EXPERIMENT_ENDED };

#define REASONS(X)                                                                                                     \
    X(NONE, "none", "goes on")                                                                                         \
    X(MAX_TRIALS, "max_trials", "all trials of limits.max_trials have ended")                                          \
    X(NO_MORE, "space_exhausted", "the strategy has nothing left to propose")                                          \
    X(TARGET, "target_reached", "the metric reached its target")                                                       \
    X(TIME, "time_limit", "limits.time is used up")                                                                    \
    X(FAILURES, "too_many_failures", "more trials failed than limits.max_failures allows")                             \
    X(STOPPED, "stopped", "it was stopped")                                                                            \
    X(INTERRUPTED, "interrupted", "it was interrupted; --resume goes on")                                              \
    X(BROKEN, "strategy_failed", "the strategy failed")                                                                \
    X(WALLTIME, "walltime", "the time of its job was up; the next job goes on")                                        \
    X(PREEMPTED, "preempted", "its job was taken away; the next job goes on")                                          \
    X(PAUSED, "paused", "it was paused; gannet resume goes on")                                                        \
    X(NO_PROGRESS, "no_progress", "several jobs in a row got nothing done")                                            \
    X(NO_WORKERS, "no_workers", "there are no workers for it; gannet resume goes on")

enum reason {
#define X(id, name, sentence) REASON_##id,
    REASONS(X)
#undef X
        REASONS_COUNT
};

/* A job of the experiment, as far as it is known: zeros and NULL stand for what is not, and leave what was known. */
struct job_facts {
    uint32_t job;                     /* of an array: the array's */
    uint32_t element;                 /* NODE_NO_ELEMENT: it is none of an array */
    uint32_t restarts;                /* how often it was requeued: each start of it has a row of its own */
    const char *role;                 /* experiment, coordinator or worker */
    double submitted, started, ended; /* seconds since 1970 */
    const char *state, *reason;       /* Slurm's, in the words of scheduler/slurm */
    const char *nodes;                /* as Slurm writes lists of nodes */
    const char *request;              /* what was asked for, a JSON object */
    const char *exit;                 /* "0", "1", "signal 9", ... */
};

/* Whether the trials that ran go back to waiting, because a later session goes on with them. */
bool reason_goes_on(enum reason reason);

/* "123", or "123_4" of an array. Returns `out`. */
const char *job_name(const struct job_facts *job, char *out, size_t size);

/* Whether a job in this state (the words of scheduler/slurm) has ended, and how runs ended that were lost with it. */
bool job_has_ended(const char *state, enum ending *ending);

const char *reason_name(enum reason reason);
const char *reason_sentence(enum reason reason);
int reason_named(const char *name); /* -1: none */
const char *experiment_state_name(enum experiment_state state);
int experiment_state_named(const char *name); /* -1: none */

/* One event. Texts and lists live in `memory`. Fields that a kind does not use are zero. */
struct event {
    enum event_kind kind;
    uint64_t number; /* counts up from 1 within a session */
    double time;     /* wall clock, seconds since 1970 */
    uint64_t trial;
    uint32_t attempt;
    uint64_t worker; /* its random number */
    uint32_t slot;

    /* PROPOSED */
    const char *params; /* JSON object */
    uint64_t fingerprint;
    uint64_t told_before; /* how many tells preceded the proposal */
    bool from_start;      /* it is a start point */
    uint64_t from;        /* the trial whose checkpoint it starts from; 0: none */

    /* SAMPLED, RUN_ENDED, LATE: samples first .. first + samples_count - 1 of the attempt */
    uint32_t first;
    struct msg_sample *samples;
    uint32_t samples_count;
    bool further;     /* it went on from a later step than any attempt before it */
    bool given_up;    /* RUN_ENDED: by us; its worker said nothing of it */
    uint64_t resumed; /* the step of the checkpoint that the attempt went on from; 0: none. LEASED: as is expected */

    /* JUDGED: the step, what the objectives came to there (values), the decision, its sentence (detail), the seconds
     * that the trial ran up to then, and, when the strategy observes it, its place in the order of tells (told).
     * PAUSED: the step that it came to, the seconds that its counting attempts took. TRIAL_ENDED: the last step seen.
     */
    uint64_t step;
    uint64_t advance; /* JUDGED: steps since it was judged last */
    enum early_stop_action decision;
    bool watched;       /* TRIAL_ENDED: early stopping was told */
    uint64_t max_steps; /* JUDGED, TRIAL_ENDED: steps of a complete trial, as far as is known */
    bool held_back;     /* RESUMED: it was early stopping that had paused it */

    /* RUN_ENDED, LATE: how; TRIAL_ENDED: why; RETRIED: why the attempt before failed */
    enum ending ending;
    const char *detail; /* a sentence; "" when there is none. EXPERIMENT, WORKER_GONE: the reason in words */
    const char *tail;   /* last lines of error output */
    double started;     /* wall clock */
    double seconds;
    double cpu_seconds;
    uint64_t peak_memory;
    struct phase_time phases[PHASES_COUNT];

    /* TRIAL_ENDED */
    bool has_value;
    double value;          /* the first metric, as it was reported */
    const double *values;  /* of several metrics or limited ones: all, NaN where there is none; else NULL */
    uint32_t values_count; /* 0: values is NULL */
    bool infeasible;       /* it has a value, but breaks a limit: never the best */
    uint64_t told;         /* its place in the order of tells, from 1 */

    /* WORKER */
    struct msg_hello hello;

    /* SLOTS */
    struct msg_slot *slots;
    uint32_t slots_count;

    /* EXPERIMENT */
    enum experiment_state state;
    enum reason reason;
    double held; /* seconds the experiment has run in all, this session included */

    /* JOB */
    struct job_facts job;

    struct arena memory;
};

void event_fini(struct event *event);

/* TRIAL_ENDED: puts in what the trial came to, the values of all metrics (copied). One metric without limits has its
 * value in `value` alone: that is the usual case, and saves what lists cost. */
void event_set_values(struct event *event, const struct metrics *metrics, const double *values);

#endif
