/* The allocator's own structs: allocator.c takes in what happens, allocator_next.c says what is to be asked. */
#ifndef GANNET_SCHEDULER_SLURM_ALLOCATOR_PARTS_H
#define GANNET_SCHEDULER_SLURM_ALLOCATOR_PARTS_H

#include "common/map.h"
#include "scheduler/slurm/allocator.h"

#include <stddef.h>

enum allocator_job_state {
    ALLOCATOR_JOB_WAITS, /* in the queue */
    ALLOCATOR_JOB_RUNS,  /* Slurm runs it; its worker is not connected */
    ALLOCATOR_JOB_WORKS, /* its worker is connected */
    ALLOCATOR_JOB_GONE   /* Slurm does not list it; how it ended is not known yet */
};

/* A worker job, or an element of an array of them. */
struct allocator_job {
    uint32_t id, element; /* the job's or the array's id; SLURM_UNSET: it is no element */
    enum allocator_job_state state;
    double since;                          /* RUNS: then it was first seen so */
    bool joined;                           /* its worker was connected once since it last waited */
    bool worked;                           /* its worker had something to run */
    bool described;                        /* what Slurm says of it while it runs is known */
    bool cancelled;                        /* we took it back */
    bool asked;                            /* the question that takes it back is under way */
    bool listed;                           /* by the answer that is being read */
    const struct allocator_worker *worker; /* in the view that is being read; NULL: it has none */
    const struct slurm_job *record;        /* in the answer that is being read; NULL: it has none */
};

struct allocator {
    struct allocator_config config;
    struct allocator_job *items;
    size_t count, capacity;
    struct map places;                     /* of (id, element) -> 1 + the place among the items */
    size_t states[ALLOCATOR_JOB_GONE + 1]; /* items by state */
    uint64_t visits;                       /* items and workers looked at so far */

    bool updated;        /* there was a view; nothing is asked before */
    uint64_t wanted;     /* trials, as in the last view */
    uint32_t slots;      /* of all workers, as in the last view */
    uint32_t per_worker; /* slots that a worker has, by the last one seen */

    bool asking;                    /* a question is under way */
    struct allocator_order order;   /* the question that is under way */
    bool unsure;                    /* a submission may have been taken */
    char unsure_why[256];           /* why that is not known */
    uint32_t unsure_count;          /* of how many elements that submission was */
    double rest_until;              /* a question was not answered: none before then */
    double looked, changed;         /* when the queue was last looked at, and when anything last changed */
    uint32_t failures, starts;      /* in a row: submissions that failed, jobs that ended before their worker joined */
    double failed_at;               /* when the last submission failed */
    char failed[256], stopped[512]; /* why it failed; why nothing is submitted any more */
    uint32_t stopped_job, stopped_element;
    bool ended; /* the work is done */
};

#endif
