/* A worker on a node of the job, as a step of its own: the death of a node is the death of one step. */
#ifndef GANNET_SCHEDULER_SLURM_STEP_H
#define GANNET_SCHEDULER_SLURM_STEP_H

#include "common/texts.h"
#include "scheduler/slurm/allocation.h"

/* Adds srun's words for a worker on `node` that has everything the job has there. `output`: the file of its log. */
void step_words(const struct allocation *allocation, const char *node, const char *output, struct texts *out);

/* Drops the variables by which the job's options would reach srun: they describe the whole job, not a step on one node.
 * To be called before threads are started. */
void step_clean_environment(void);

#endif
