/* The worker jobs that an allocator knows (allocator.h): a list, found by their numbers, counted by their states. */
#ifndef GANNET_SCHEDULER_SLURM_ALLOCATOR_JOBS_H
#define GANNET_SCHEDULER_SLURM_ALLOCATOR_JOBS_H

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
    bool busy;                             /* in that view: any of its workers has something to run */
    const struct allocator_worker *worker; /* in the view that is being read; NULL: it has none */
    const struct slurm_job *record;        /* in the answer that is being read; NULL: it has none */
};

struct allocator_jobs {
    struct allocator_job *items;
    size_t count, capacity;
    struct map places;                     /* of (id, element) -> 1 + the place among the items */
    size_t states[ALLOCATOR_JOB_GONE + 1]; /* items by state */
    double changed;                        /* when anything last changed */
    uint64_t visits;                       /* items and workers looked at so far */
};

void allocator_jobs_fini(struct allocator_jobs *jobs);

/* The job, or NULL. Pointers are valid until a job is added or dropped. */
struct allocator_job *allocator_jobs_find(struct allocator_jobs *jobs, uint32_t id, uint32_t element);

/* Adds one that is not there; it waits. */
struct allocator_job *allocator_jobs_add(struct allocator_jobs *jobs, double now, uint32_t id, uint32_t element);

/* Adds those that are not there of an array of `count` elements; 0: of a single job. */
void allocator_jobs_add_all(struct allocator_jobs *jobs, double now, uint32_t id, uint32_t count);

void allocator_jobs_drop(struct allocator_jobs *jobs, double now, struct allocator_job *item);
void allocator_jobs_move(struct allocator_jobs *jobs, double now, struct allocator_job *item,
                         enum allocator_job_state state);

#endif
