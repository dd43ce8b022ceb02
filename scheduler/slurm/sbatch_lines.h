/* What is asked for as a script that `sbatch` takes: the batch script with a line `#SBATCH --option=value` for each
 * thing that is given. For people, and for administrators who try a request without gannet. Pure. */
#ifndef GANNET_SCHEDULER_SLURM_SBATCH_LINES_H
#define GANNET_SCHEDULER_SLURM_SBATCH_LINES_H

#include "common/buf.h"
#include "scheduler/slurm/interface.h"

void sbatch_script(const struct slurm_request *request, struct buf *out);

#endif
