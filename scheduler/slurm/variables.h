/* sbatch's own variables, SBATCH_PARTITION and the like, as layers below an experiment file (spec_defaults.h). */
#ifndef GANNET_SCHEDULER_SLURM_VARIABLES_H
#define GANNET_SCHEDULER_SLURM_VARIABLES_H

#include "common/err.h"
#include "scheduler/spec/spec_defaults.h"

/* Adds a layer for each variable that is set and that gannet can honour; those of options that gannet refuses, such as
 * SBATCH_OUTPUT, count for nothing. `now`: as of options. -1 with a sentence that names the variable. */
int slurm_variables_add(double now, struct spec_defaults *defaults, struct err *err);

#endif
