/* The components of a heterogeneous job beside the first one: nodes of other kinds, which come together with its own.
 * What they are asked for stands under slurm.components, a text of sbatch's options each, and in sbatch's own way
 * between words ":" among slurm.sbatch_args. */
#ifndef GANNET_SCHEDULER_SLURM_COMPONENTS_H
#define GANNET_SCHEDULER_SLURM_COMPONENTS_H

#include "scheduler/slurm/request.h"

/* How many words of slurm.sbatch_args are about the first component. */
size_t components_first(const struct spec_slurm *slurm);

/* Makes the others, which have from the first one what is of the whole job - name, time, account, partition - unless
 * their options say otherwise, and nothing that it says of its nodes. -1 with a sentence. */
int components_make(const struct slurm_order *order, struct slurm_request *first, struct err *err);

#endif
