/* What Slurm gave a job on this node, by the variables in its environment. A site may leave it at that and bind nobody
 * to anything (TaskPlugin=task/none, no ConstrainDevices): then it is the worker that keeps to it. */
#ifndef GANNET_WORKER_HARDWARE_TOPOLOGY_SLURM_H
#define GANNET_WORKER_HARDWARE_TOPOLOGY_SLURM_H

#include "worker/hardware/topology.h"

struct slurm_share {
    bool in_job;
    uint64_t cpus;    /* processors as Slurm counts them: hyperthreads, or cores; 0: not known */
    uint64_t memory;  /* bytes; 0: not limited */
    const char *gpus; /* the numbers of its GPUs on this node; NULL: none */
    const char
        *cores; /* those of its cores, counted through the whole node; NULL: not known. Not from the environment */
};

/* `get` is getenv but in tests. Texts are the environment's. */
struct slurm_share slurm_share_read(char *(*get)(const char *name));

/* Takes off what is more than the share, but for GPUs (topology_gpus.h). Where more cores may be used than were given
 * and it is not known which are ours, as many are kept and marked as unknown. */
void slurm_share_apply(const struct slurm_share *share, struct topology *topology);

#endif
