/* What the coordinator knows of worker jobs, written down: slurm.json, which every command reads, and the store's table
 * of jobs, which the core writes. The search never waits for it: what can't be written is logged. */
#ifndef GANNET_SCHEDULER_SLURM_WORKER_JOBS_H
#define GANNET_SCHEDULER_SLURM_WORKER_JOBS_H

#include "common/loop.h"
#include "scheduler/core/core.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/allocator.h"

#include <jansson.h>

struct worker_jobs;

/* Reads the record, and tells the allocator of the worker jobs in it that have not ended. NULL with a sentence. */
struct worker_jobs *worker_jobs_open(struct loop *loop, const struct rundir *dir, struct core *core,
                                     struct allocator *allocator, struct err *err);
void worker_jobs_close(struct worker_jobs *worker_jobs); /* when all is written; NULL is fine */

/* What all jobs of the experiment are found by. */
const char *worker_jobs_comment(const struct worker_jobs *worker_jobs);

/* A worker, or an array of so many (0: it is none), was submitted with this request. */
void worker_jobs_submitted(struct worker_jobs *worker_jobs, uint32_t id, uint32_t elements, const json_t *request);

/* What Slurm says. `whole`: these are all jobs that have not ended. */
void worker_jobs_update(struct worker_jobs *worker_jobs, const struct slurm_jobs *jobs, bool whole);

/* Its worker is here, on this node. */
void worker_jobs_runs(struct worker_jobs *worker_jobs, struct node_job job, const char *node);

/* Its worker has left because the search is over: Slurm is not asked how its job ended. */
void worker_jobs_left(struct worker_jobs *worker_jobs, struct node_job job);

/* Drops jobs that are not workers: the coordinator's own. */
void worker_jobs_filter(const struct worker_jobs *worker_jobs, struct slurm_jobs *jobs);

/* Why no worker is submitted at present; "" when all is well. Written when it changes. */
void worker_jobs_note(struct worker_jobs *worker_jobs, const char *note);

#endif
