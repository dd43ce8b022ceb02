/* How a run can end, and the states of a trial. A row: the name that people and programs read, the state that the trial
 * takes, what is done about a retry, and the sentence. Rows are only added: the numbers are on the wire and in stores.
 */
#ifndef GANNET_COMMON_ENDINGS_H
#define GANNET_COMMON_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

enum trial_state {
    TRIAL_WAITING,   /* proposed or given back, not with a slot */
    TRIAL_RUNNING,   /* leased to a slot */
    TRIAL_PAUSED,    /* waits at a checkpoint for more steps */
    TRIAL_COMPLETED, /* ran to its end and has a value */
    TRIAL_STOPPED,   /* ended before its last step, on purpose; its value counts */
    TRIAL_FAILED,    /* ended without a usable value */
    TRIAL_CANCELLED, /* a person or a limit took it off */
    TRIAL_STATES
};

/* What a failed attempt costs. */
enum retry_rule {
    RETRY_NEVER,   /* the configuration is at fault, or nobody: trying again would end the same */
    RETRY_COUNTED, /* tried again while trial.retries lasts */
    RETRY_MORE,    /* the same, but only with more of what it lacked, if the experiment file says so */
    RETRY_FREE,    /* the machine was at fault: tried again, no retry consumed; but not for ever */
    RETRY_LATER    /* nobody was at fault, its time was up: it goes on as if nothing had been */
};

#define ENDINGS(X)                                                                                                     \
    X(COMPLETED, "completed", TRIAL_COMPLETED, RETRY_NEVER, "ran to its end")                                          \
    X(STOPPED_EARLY, "stopped_early", TRIAL_STOPPED, RETRY_NEVER, "was stopped before its end")                        \
    X(DIVERGED, "diverged", TRIAL_FAILED, RETRY_NEVER, "its metric became NaN or infinite")                            \
    X(CRASHED, "crashed", TRIAL_FAILED, RETRY_COUNTED, "its process was killed by a signal")                           \
    X(EXITED, "exited", TRIAL_FAILED, RETRY_COUNTED, "its program ended with a non-zero status")                       \
    X(TIMED_OUT, "timed_out", TRIAL_FAILED, RETRY_MORE, "it ran longer than limits.trial_time")                        \
    X(OUT_OF_MEMORY, "out_of_memory", TRIAL_FAILED, RETRY_MORE, "it needed more memory than it was given")             \
    X(BAD_CONFIG, "bad_config", TRIAL_FAILED, RETRY_NEVER, "this configuration can't be run")                          \
    X(NO_VALUE, "no_value", TRIAL_FAILED, RETRY_NEVER, "it ended without a value of the metric")                       \
    X(LOST, "lost", TRIAL_FAILED, RETRY_FREE, "its worker was lost")                                                   \
    X(NOT_STARTED, "not_started", TRIAL_FAILED, RETRY_COUNTED, "its process could not be started")                     \
    X(CANCELLED, "cancelled", TRIAL_CANCELLED, RETRY_NEVER, "it was cancelled")                                        \
    X(PAUSED, "paused", TRIAL_PAUSED, RETRY_NEVER, "waits at a checkpoint for more steps")                             \
    X(WALLTIME, "walltime", TRIAL_WAITING, RETRY_LATER, "the time of the job was up")                                  \
    X(PREEMPTED, "preempted", TRIAL_WAITING, RETRY_LATER, "its job was taken away: preempted, requeued or cancelled")  \
    X(NODE_FAILED, "node_failed", TRIAL_FAILED, RETRY_FREE, "its node failed")                                         \
    X(REQUEUED, "requeued", TRIAL_WAITING, RETRY_LATER, "its program saved a checkpoint and asked to go on later")     \
    X(REPORTED, "reported", TRIAL_FAILED, RETRY_NEVER, "whoever ran it said that it failed")                           \
    X(NO_PROGRESS, "no_progress", TRIAL_FAILED, RETRY_NEVER,                                                           \
      "it went on later again and again without coming further")                                                       \
    X(GPU_OUT_OF_MEMORY, "gpu_out_of_memory", TRIAL_FAILED, RETRY_COUNTED, "it needed more memory than its GPU had")   \
    X(GPU_FAILED, "gpu_failed", TRIAL_FAILED, RETRY_FREE, "its GPU failed")

enum ending {
#define X(id, name, state, retry, sentence) ENDING_##id,
    ENDINGS(X)
#undef X
        ENDINGS_COUNT
};

const char *ending_name(enum ending ending);
const char *ending_sentence(enum ending ending);
enum trial_state ending_state(enum ending ending);
enum retry_rule ending_retry(enum ending ending);
/* Whether an attempt that ends so and is followed by another uses up a retry. */
bool ending_uses_retry(enum ending ending);

/* Whether such an end says nothing of the configuration: the machine, the job or a person ended it. Neither strategies
 * nor early stopping take it for a failure. */
bool ending_is_blameless(enum ending ending);

/* Whether the trial may go on from a checkpoint after such an end of its run: it is to save one. */
bool ending_keeps(enum ending ending);

/* The ending of that name, or -1. */
int ending_named(const char *name);

/* "waiting", "running", ... */
const char *trial_state_name(enum trial_state state);

/* The state of that name, or -1. */
int trial_state_named(const char *name);

/* Completed, stopped, failed or cancelled. */
bool trial_state_is_end(enum trial_state state);

/* The same of a state's name; of what is none, false. */
bool trial_state_name_is_end(const char *name);

/* How many trials have ended, of counts by state. */
uint64_t trial_states_ended(const uint64_t counts[TRIAL_STATES]);

/* A trainer exits with this (EX_TEMPFAIL) when another node of its run is gone: the run is lost. */
enum { EXIT_NODE_LOST = 75 };

/* Why a worker goes that is not needed any more: it says so, and that is no trouble. */
#define WORKER_LEFT_AT_END "the experiment has ended"

/* A worker exits with this (EX_NOPERM) when the coordinator refuses it. */
enum { EXIT_REFUSED = 77 };

#endif
