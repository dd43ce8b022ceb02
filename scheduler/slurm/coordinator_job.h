/* The job that the coordinator itself is in, for the store's table of jobs: what was asked for, that it runs, and that
 * it has ended. */
#ifndef GANNET_SCHEDULER_SLURM_COORDINATOR_JOB_H
#define GANNET_SCHEDULER_SLURM_COORDINATOR_JOB_H

#include "scheduler/core/core.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"

struct coordinator_job;

/* Tells the core of the job, and how the experiment's jobs before it ended, as far as the record has it. NULL: this
 * process is in no job, or can't tell. What is given lives as long. */
struct coordinator_job *coordinator_job_begin(struct core *core, const struct rundir *dir, const struct spec *spec);

/* The session is over, in order: so is the job, or it goes back into the queue, which is another start of it. */
void coordinator_job_end(struct coordinator_job *job);

void coordinator_job_destroy(struct coordinator_job *job); /* NULL is fine */

#endif
