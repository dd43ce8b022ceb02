/* A gang whose first process starts the others by itself (trial.launch: first), as mpirun, srun and torchrun do: what
 * these need to know to start them on the trial's nodes, and on its cores. */
#ifndef GANNET_WORKER_PROGRAM_GANG_FIRST_H
#define GANNET_WORKER_PROGRAM_GANG_FIRST_H

#include "worker/program/program.h"

/* Writes the trial's list of hosts, and within a job of Slurm that for srun. -1 with a sentence. */
int gang_first_write(const struct program_setup *setup, struct err *err);
void gang_first_remove(const struct program_setup *setup);

/* Adds the variables. Within a job of Slurm a plain `srun program` finds all that it needs in them. */
void gang_first_env(const struct program_setup *setup, struct texts *env);

#endif
