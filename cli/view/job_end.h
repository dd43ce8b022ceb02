/* How Slurm ended a job, in words, whoever shows it: status, explain and attach say the same. */
#ifndef GANNET_CLI_VIEW_JOB_END_H
#define GANNET_CLI_VIEW_JOB_END_H

#include "common/buf.h"
#include "scheduler/slurm/interface.h"

#include <jansson.h>

/* Whether it is an end that Slurm, or a person by way of it, put to the job: not one of its own, nor one that nobody
 * saw. */
bool job_end_is_of_slurm(enum slurm_state state);

/* Adds "was preempted: ...", "ended with status 3"; of a job that has ended. */
void job_end_add(const struct slurm_job *job, struct buf *out);

/* The job of a row of the store's table jobs, as far as its end is concerned; false when it has not ended. */
bool job_end_read(const json_t *row, struct slurm_job *out);

#endif
