/* What an allocator (allocator.h) is to ask next, and when: each question has a function that says when it is due and
 * one that makes it. */
#ifndef GANNET_SCHEDULER_SLURM_ALLOCATOR_PLAN_H
#define GANNET_SCHEDULER_SLURM_ALLOCATOR_PLAN_H

#include "scheduler/slurm/allocator_jobs.h"

/* What it depends on. */
struct allocator_plan {
    struct allocator_config config;
    struct allocator_jobs jobs;
    uint64_t wanted;     /* trials, as in the last view */
    uint32_t slots;      /* of all workers, as in the last view */
    uint32_t per_worker; /* slots that a worker has, by the last one seen */
    double looked;       /* when the queue was last looked at */
    uint32_t failures;   /* submissions in a row that failed */
    double failed_at;    /* when the last one did */
    bool single;         /* of several workers at once Slurm does not want to know */
    bool unsure;         /* a submission may have been taken */
    bool stopped;        /* nothing is submitted any more */
    bool ended;          /* the work is done */
};

/* Makes the most important question that is due; false: none is. Jobs that it takes back are marked as asked. */
bool allocator_plan_make(struct allocator_plan *plan, double now, struct allocator_order *out);

/* When the next question, or the next submission, is due; infinite: not as things are. */
double allocator_plan_due(const struct allocator_plan *plan);
double allocator_plan_submit_due(const struct allocator_plan *plan);

#endif
