/* Trials that live: their state, and the only functions that change it. What follows from a state is act.h's. */
#ifndef GANNET_SCHEDULER_CORE_TRIAL_H
#define GANNET_SCHEDULER_CORE_TRIAL_H

#include "common/fitqueue.h"
#include "common/list.h"
#include "scheduler/core/configuration.h"
#include "scheduler/core/node_fault.h"
#include "scheduler/core/event.h"
#include "scheduler/core/memory.h"

struct core;
struct lease;

/* A trial that has not ended, or whose end is not on disk yet. */
struct trial {
    uint64_t number;
    char *params;
    enum trial_state state;
    uint64_t event;           /* the event that gave it this state: what follows waits until it is committed */
    uint32_t attempts;        /* the highest attempt number used */
    uint32_t failures;        /* attempts that consumed a retry */
    uint32_t losses;          /* losses of its worker, one attempt after the other, that count against it */
    uint32_t excused;         /* losses that did not, because other workers were lost as well */
    uint64_t memory;          /* bytes that its next attempt is given, when that is more than others get; 0: no more */
    double time;              /* seconds, likewise */
    bool guilty;              /* its worker was lost once more, while it ran alone */
    struct list_link lost;    /* in the list of trials that losses count against */
    int64_t highest;          /* the highest step that a sample came of; -1: none came */
    bool further;             /* RUNNING: the attempt came further than all before it */
    uint32_t stalls;          /* attempts in a row that were to go on later and did not come further */
    double not_before;        /* WAITING: until then it pauses */
    struct list_link delayed; /* WAITING: in the list of those that pause */
    double waits_since;       /* when it began to wait */
    struct node_fault node_fault; /* whether the node was at fault where it failed */
    struct memory_run
        *runs; /* which worker was given which attempt; the first one is `first_run` until there are more */
    size_t run_count, run_capacity;
    struct memory_run first_run;
    struct lease *lease;        /* RUNNING: the lease that counts, of several nodes the first one's */
    char *hosts;                /* RUNNING on several nodes: their names, as its leases say them; else NULL */
    uint32_t samples;           /* RUNNING: samples of this attempt that are recorded */
    bool said;                  /* RUNNING: the attempt has said where it began, with a sample; */
    bool begun;                 /* it has, or was leased before this session: it may have begun */
    bool cancel;                /* a person cancelled it */
    bool added;                 /* a person added it: it has ended from the first */
    uint64_t from;              /* the trial whose checkpoint it starts from; 0: none */
    uint64_t reached;           /* the step that it last paused at; 0: it never did */
    uint32_t ended_attempt;     /* the last one whose end its worker has reported: it is not taken up again */
    double spent;               /* seconds of the attempts up to its last pause */
    double energy;              /* joules of these, once it has ended of all that count; 0: not known */
    bool returning;             /* WAITING to go on after a pause */
    uint64_t decided;           /* the highest step that early stopping looked at */
    bool held;                  /* early stopping said pause at that step */
    char *stop;                 /* why early stopping stopped it; NULL: it did not */
    uint64_t resumed;           /* the latest step that an attempt went on from */
    double cut;                 /* seconds of its longest attempt that ended because a job did */
    struct memory_seen *seen;   /* as seen.h says; NULL: nothing, or not kept */
    struct fitqueue_item queue; /* WAITING and committed: its place in the queue, by what it is predicted to need */
    struct list_link predicted; /* WAITING in the queue: its place in the order of predictions, the oldest first */
    double need;                /* predicted seconds of a whole run, rarely exceeded; negative: not known */
    uint64_t need_version;      /* the knowledge that the prediction was made with; 0: none was made */
    struct configuration *configuration; /* its parameters as a forecast needs them; NULL: not read yet */
    enum ending ending;                  /* ended: how */
    double *values;                      /* ended: of the metrics, owned; NULL: it has none */
    double seconds;                      /* ended: of all attempts that count */
    uint64_t step;                       /* ended: the last one seen; 0: not known */
};

/* What an attempt came to. */
struct outcome {
    const char *detail;     /* a sentence, or NULL */
    const double *values;   /* of the metrics, NaN where there is none; NULL: there is none at all */
    double seconds, energy; /* that its last run took; joules: 0 when they are not known */
    const char *tail;       /* last lines of error output, or NULL */
    const char *node;       /* a failure: where that was, of several nodes the one that ended first; NULL: not known */
    const char *spoiler;    /* a success: of several nodes one that ended badly all the same; NULL: none did */
};

struct trial *trial_find(const struct core *core, uint64_t number);
struct trial *trial_add(struct core *core, uint64_t number, const char *params);
void trial_free(struct core *core, struct trial *trial);
/* The only place where a trial's state changes: by an event that was just emitted. What follows from the new state is
 * due when the event is committed. */
void trial_update(struct core *core, struct trial *trial, const struct event *event);
/* Keeps the values of the metrics until the trial is told. */
void trial_keep_values(const struct core *core, struct trial *trial, const double *values);
/* Ends a trial: emits its end and changes its state. */
void trial_end(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome);
/* The run of a trial paused. */
void trial_pause(struct core *core, struct trial *trial, const struct outcome *outcome);
/* Counts a run among the attempts that a trial goes on from. */
void trial_spend(struct trial *trial, const struct outcome *outcome);
/* The attempt of a trial failed: back to the queue, if a retry is left, else the end. */
void trial_retry_or_end(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome);
/* Whether this attempt was given to this worker, on several nodes as the first, by a lease that may not count any more.
 */
bool trial_was_given(const struct trial *trial, uint32_t attempt, uint64_t worker);
/* Which node of this attempt the worker was given; 0: the first one, or none. */
uint32_t trial_part(const struct trial *trial, uint32_t attempt, uint64_t worker);
bool trial_had_parts(const struct trial *trial, uint32_t attempt); /* whether this attempt was on several nodes */
void trial_give(struct trial *trial, uint32_t attempt, uint64_t worker, uint32_t node);

#endif
