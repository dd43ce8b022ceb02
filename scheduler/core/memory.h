/* What the core must know after a restart: the fold of all events that were committed. The store reads it
 * (store_recall), the simulator folds it; core_create takes it. It holds live trials only, so it is small however long
 * the experiment ran. */
#ifndef GANNET_SCHEDULER_CORE_MEMORY_H
#define GANNET_SCHEDULER_CORE_MEMORY_H

#include "scheduler/core/tally.h"

/* A run that a worker was given: only from this worker will anything about it be believed. */
struct memory_run {
    uint32_t attempt;
    uint64_t worker;
    uint32_t node; /* of an attempt on several nodes which one, from 0 */
};

/* A further node of a running attempt. */
struct memory_part {
    uint32_t node; /* from 1 */
    uint64_t worker;
    const char *host; /* the node's name */
    uint32_t slot;
    bool ended;         /* its worker said so, or was lost */
    enum ending ending; /* ended: how */
    const char *detail; /* ended: in words */
};

/* What a metric came to over all attempts of a trial that count. */
struct memory_seen {
    bool any;
    int64_t step;          /* the highest */
    double last, min, max; /* the value at that step, and the extreme finite ones */
};

/* A trial that has not ended. */
struct memory_trial {
    uint64_t trial;
    const char *params;
    double proposed;   /* wall clock */
    uint32_t attempts; /* the highest attempt number ever leased; numbers are never used again */
    uint32_t failures; /* attempts that ended in a way that consumes retries */
    uint32_t losses;   /* losses of its worker, one attempt after the other, that count against it */
    uint32_t stalls;   /* attempts in a row that were to go on later and did not come further */
    int64_t highest;   /* the highest step that a sample came of; -1: none came */
    uint64_t memory;   /* bytes that its next or present attempt is given; 0: as every other */
    double time;       /* seconds, likewise */
    bool running;      /* an attempt is leased */
    uint32_t attempt;  /* running: its number */
    uint64_t worker;   /* running: to which it is leased */
    uint32_t slot;
    struct memory_part *parts; /* running on several nodes: the further ones */
    uint32_t part_count;
    struct memory_run *runs; /* all its runs so far, the running one too; those given back need not be there */
    uint32_t run_count;
    uint64_t from;            /* the trial whose checkpoint it started from; 0: none */
    bool paused;              /* it waits at a checkpoint */
    uint64_t reached;         /* the step that it last paused at; 0: never */
    uint32_t ended_attempt;   /* the last one whose end its worker has reported */
    double spent;             /* seconds of the attempts up to then */
    double energy;            /* joules of these; 0: not known */
    uint64_t decided;         /* the highest step that early stopping looked at */
    bool held;                /* early stopping said pause at that step */
    const char *stop;         /* why early stopping stopped it; NULL: it did not */
    uint64_t resumed;         /* the latest step that an attempt went on from */
    double cut;               /* seconds of its longest attempt that ended because a job did */
    bool said;                /* running: the attempt has said where it began, with a sample */
    struct memory_seen *seen; /* as seen.h says; NULL: no sample of any */
};

/* A worker that a running attempt is leased to: which process it is, so that the coordinator can see whether it lives.
 */
struct memory_worker {
    uint64_t worker;
    const char *node;
    uint32_t pid;
    struct node_job job;
    enum ending ending; /* how runs end that are lost with it: what is known of the end of its job; else LOST */
    bool job_ended;     /* its job has ended */
};

/* How long a trial ran. */
struct memory_duration {
    const char *params;
    double seconds;
};

struct memory {
    uint64_t session;            /* starts before this one */
    uint32_t idle;               /* sessions before this one, in a row, that got nothing done */
    uint64_t next_trial;         /* above all numbers in use; 1 at first */
    uint64_t tells;              /* the number of the last tell or observation */
    uint64_t steps, stepped;     /* steps that early stopping counted, and of how many trials */
    struct tally tally;          /* of the trials that ended */
    double held;                 /* seconds the experiment has run */
    enum reason reason;          /* why it ended last time; NONE: it did not end */
    struct memory_trial *trials; /* live ones, by number */
    uint32_t trial_count;
    struct memory_worker
        *workers; /* those that running trials are leased to; may be incomplete: others are waited for */
    uint32_t worker_count;
    struct memory_duration *durations; /* of the last trials that ran as a whole, the oldest first */
    uint32_t duration_count;
    struct arena arena; /* owns the texts and the lists */
};

void memory_fini(struct memory *memory);

#endif
