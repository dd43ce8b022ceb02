/* The job that this process runs in, as Slurm's variables in the environment tell it. Pure but for the getter. */
#ifndef GANNET_SCHEDULER_SLURM_ALLOCATION_H
#define GANNET_SCHEDULER_SLURM_ALLOCATION_H

#include "common/err.h"
#include "common/texts.h"

#include <stdbool.h>
#include <stdint.h>

struct allocation {
    uint32_t id;          /* the job's; 0: this process runs in none */
    uint32_t restarts;    /* how often it was requeued before */
    struct texts nodes;   /* all of the job's, as it began; of a heterogeneous job those of all its components */
    uint32_t *components; /* of each node, in which component of such a job it is; NULL: the job has one */
    uint32_t parts;       /* how many components the job has; `id` is that of the first one */
    bool in_step;         /* a task of a step; not the batch script or an interactive shell, which lead the job */
    uint32_t task, tasks; /* of the step: which, of how many */
    uint32_t local_task, locals; /* of the step on this node: which, of how many */
    uint32_t cpus, gpus;         /* of this node; 0: not known */
};

/* `get` is getenv but in tests. -1 with a sentence when the variables contradict each other. */
int allocation_read(char *(*get)(const char *name), struct allocation *out, struct err *err);
void allocation_fini(struct allocation *allocation);

#endif
