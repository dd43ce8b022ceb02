/* Whether a process is a task of a step of a Slurm job, by its environment. Slurm numbers the batch script, interactive
 * shells and what else belongs to no step, too. With 22.05 only the shells have that number in their environment, as
 * 4294967290; with 26.05 batch scripts have it as well, and it is written with a sign, as -5. */
#ifndef GANNET_COMMON_SLURM_STEP_H
#define GANNET_COMMON_SLURM_STEP_H

#include <stdbool.h>

/* `get` is getenv but in tests. */
bool slurm_step_given(char *(*get)(const char *name));

#endif
