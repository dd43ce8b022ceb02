/* What becomes known of jobs, and what it means for the workers of them. */
#ifndef GANNET_SCHEDULER_CORE_JOB_H
#define GANNET_SCHEDULER_CORE_JOB_H

#include "scheduler/core/event.h"

struct core;

/* Writes it down; runs that a silent worker of a job that has ended loses end as the job's state says. */
void job_note(struct core *core, const struct job_facts *facts);
/* The time of this job is up at `until`, on the core's clock. */
void job_set_end(struct core *core, struct node_job job, double until);

#endif
