/* Workers on the nodes of the job, each as a step of its own: the death of a node is the death of one step. */
#ifndef GANNET_SCHEDULER_SLURM_JOB_STEP_H
#define GANNET_SCHEDULER_SLURM_JOB_STEP_H

#include "common/texts.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/allocation.h"
#include "scheduler/supervisor/supervise.h"

/* What Slurm says that the job has on each node, separated by semicolons; NULL: not known. */
struct step_known {
    const char *cores; /* "0-3;8,9" */
    const char *gpus;  /* "2;1" */
};

/* Where a worker is to be. */
struct step_place {
    const char *node;
    const char *cores;         /* that the job has there; NULL or "": not known */
    const char *gpus;          /* how many; NULL: as many as the job has on its first node */
    const uint32_t *component; /* of a heterogeneous job, in which the node is; NULL: the job has one */
    uint32_t part, parts;      /* of those that share the node, from 1 */
};

/* Adds srun's words, up to the program, for a step with everything the job has on that node. `output` is the file of
 * what it says. */
void step_words(const struct allocation *allocation, const struct step_place *place, const char *output,
                struct texts *out);

/* Workers for each node, for the supervisor. */
struct job_steps {
    struct supervise_worker *workers;
    uint32_t count;
    struct texts *words, logs; /* what they are made of */
};

/* `per_node` workers share a node. The allocation must live as long. */
void steps_make(const struct allocation *allocation, uint32_t per_node, const struct step_known *known,
                const struct rundir *dir, struct job_steps *out);
void steps_fini(struct job_steps *steps);

/* Drops the variables by which the job's options would reach srun: they describe the whole job, not a step on one node.
 * To be called before threads are started. */
void step_clean_environment(void);

#endif
