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
#include "common/run_counters.h"
#include "scheduler/core/early_stop.h"

#include <stdint.h>

/* What the detail of WORKER_GONE begins with when the worker was set aside; the reason follows. */
#define EVENT_ASIDE "it was set aside: "

/* Every kind: what it is called, what it says (event_list.h), whether the log has a sentence for it, and what it means.
 * A new kind is a row here and a function each in the store (write_NAME), in the log when it is LOGGED (log_NAME), and
 * in the reference model and the simulator of tests; what is missing does not build. */
#define EVENTS(X)                                                                                                      \
    X(PROPOSED, proposed, event_proposed, proposed, SILENT, "a trial comes into being: state waiting")                 \
    X(LEASED, leased, event_lease, lease, SILENT, "an attempt begins, or is taken up again: state running")            \
    X(RETURNED, returned, event_lease, lease, SILENT, "an attempt was given back unstarted: state waiting, no run")    \
    X(SAMPLED, sampled, event_sampled, sampled, SILENT, "metric values of an attempt")                                 \
    X(RUN_ENDED, run_ended, event_run, run, SILENT, "an attempt ended; the trial's event follows in the same commit")  \
    X(RETRIED, retried, event_retried, retried, LOGGED, "after a failed or lost attempt the trial waits again")        \
    X(TRIAL_ENDED, trial_ended, event_end, end, SILENT, "the trial ended, and is told")                                \
    X(LATE, late, event_run, run, LOGGED, "a result of an attempt that no longer counts: noted beside its run")        \
    X(WORKER, worker, msg_hello, hello, LOGGED, "a worker joined, or came back")                                       \
    X(SLOTS, slots, event_slots, offered, LOGGED, "the slots that it offers")                                          \
    X(WORKER_GONE, worker_gone, event_gone, gone, LOGGED, "it left or was lost")                                       \
    X(EXPERIMENT, experiment, event_experiment, experiment, LOGGED, "the experiment's state changed")                  \
    X(DECIDED, decided, event_decided, decided, SILENT, "early stopping looked at a step of a trial")                  \
    X(PAUSED, paused, event_paused, paused, SILENT, "the trial waits at a checkpoint: state paused")                   \
    X(RESUMED, resumed, event_resumed, resumed, SILENT, "it goes on: state waiting")                                   \
    X(JOB, job, job_facts, job, LOGGED, "something is known of a job of Slurm's")                                      \
    X(CLEARED, cleared, event_cleared, cleared, SILENT, "losses of workers no longer count against a trial")           \
    X(IGNORED, ignored, event_ignored, ignored, SILENT, "a person said whether an ended trial counts")                 \
    X(REOPENED, reopened, event_reopened, reopened, SILENT, "a person has a failed trial wait again")                  \
    X(ADDED, added, event_added, added, SILENT, "a person added a trial that was measured elsewhere: state completed") \
    X(PART_LEASED, part_leased, event_part, part, SILENT, "a further node of an attempt; before the attempt's LEASED") \
    X(PART_ENDED, part_ended, event_part, part, SILENT, "the run on a further node ended")

enum event_kind {
#define X(KIND, name, payload, member, said, help) EVENT_##KIND,
    EVENTS(X)
#undef X
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
    X(PAUSED, "paused", "it was paused; gannet resume goes on, without Slurm gannet run --resume")                     \
    X(NO_PROGRESS, "no_progress", "several jobs in a row got nothing done")                                            \
    X(NO_WORKERS, "no_workers", "there are no workers for it; gannet resume goes on")                                  \
    X(SAME_FAILURES, "same_failures",                                                                                  \
      "trials failed in the same way, one after the other; mend that, and --resume goes on")

enum reason {
#define X(id, name, sentence) REASON_##id,
    REASONS(X)
#undef X
        REASONS_COUNT
};

#define EVENT_TYPE_U32       uint32_t
#define EVENT_TYPE_U64       uint64_t
#define EVENT_TYPE_F64       double
#define EVENT_TYPE_BOOL      bool
#define EVENT_TYPE_TEXT      const char *
#define EVENT_TYPE_MAYBE     const char *
#define EVENT_TYPE_ENDING    enum ending
#define EVENT_TYPE_ACTION    enum early_stop_action
#define EVENT_TYPE_STATE     enum experiment_state
#define EVENT_TYPE_REASON    enum reason
#define EVENT_TYPE_PROFILE   const struct phase_time *
#define EVENT_TYPE_COUNTERS  const struct run_counters *
#define EVENT_TYPE_SAMPLE    struct msg_sample
#define EVENT_TYPE_SLOT      struct msg_slot
#define EVENT_TYPE_NAMED     struct msg_named
#define EVENT_TYPE_OPERATION struct msg_operation
#define EVENT_TYPE_GPU_SUM   struct msg_gpu_sum
#define EVENT_TYPE_REAL      double

/* struct event_proposed, ..., struct job_facts */
#define PAYLOAD(payload, member)         struct payload {
#define FIELD(payload, type, name, help) EVENT_TYPE_##type name;
#define LIST(payload, type, name, help)                                                                                \
    const EVENT_TYPE_##type *name;                                                                                     \
    uint32_t name##_count;
#define PART(payload, other, name) struct other name;
#define BORROWED(payload, member)
#define END(payload)                                                                                                   \
    }                                                                                                                  \
    ;
#include "scheduler/core/event_list.h"

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

/* One event: what it is about, and what its kind says. What does not apply is zero. */
struct event {
    enum event_kind kind;
    uint64_t number; /* counts up from 1 within a session */
    double time;     /* wall clock, seconds since 1970 */
    uint64_t trial;
    uint32_t attempt;
    uint64_t worker; /* its random number */
    union {
#define PAYLOAD(payload, member) struct payload member;
#define FIELD(payload, type, name, help)
#define LIST(payload, type, name, help)
#define PART(payload, other, name)
#define BORROWED(payload, member) struct payload member;
#define END(payload)
#include "scheduler/core/event_list.h"
    };
    struct arena memory; /* of its texts and lists, once it is kept */
};

/* The steps of one more trial added to all of them; what a store and JSON can hold is the most. */
uint64_t event_add_steps(uint64_t steps, uint64_t advance);

/* Makes texts and lists, which belong to whoever filled them in until now, the event's own: copies in `memory`. */
void event_keep(struct event *event);
void event_fini(struct event *event);

/* The same, but they come to be in memory that many events share; there is nothing to event_fini. */
void event_keep_in(struct event *event, struct arena *memory);

/* What a trial came to, the values of all metrics (not copied). One metric without limits has its value in `value`
 * alone: that is the usual case, and saves what lists cost. */
void event_set_values(struct event_end *end, const struct metrics *metrics, const double *values);

#endif
