/* Workers on the nodes of the job, each as a step of its own: the death of a node is the death of one step. */
#ifndef GANNET_SCHEDULER_SLURM_STEP_H
#define GANNET_SCHEDULER_SLURM_STEP_H

#include "common/texts.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/allocation.h"
#include "scheduler/supervisor/supervise.h"

/* Adds srun's words, up to the program, for a step on `node` with everything the job has there; `shared`: with other
 * steps beside it. `output` is the file of what it says. */
void step_words(const struct allocation *allocation, const char *node, bool shared, const char *output,
                struct texts *out);

/* Workers for each node, for the supervisor. */
struct steps {
    struct supervise_worker *workers;
    uint32_t count;
    struct texts *words, logs; /* what they are made of */
};

/* `per_node` workers share a node. The allocation must live as long. `cores`: the job's on each node, separated by
 * semicolons; NULL: not known. */
void steps_make(const struct allocation *allocation, uint32_t per_node, const char *cores, const struct rundir *dir,
                struct steps *out);
void steps_fini(struct steps *steps);

/* Drops the variables by which the job's options would reach srun: they describe the whole job, not a step on one node.
 * To be called before threads are started. */
void step_clean_environment(void);

#endif
