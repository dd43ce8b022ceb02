/* sbatch's options, as a person knows them: what stands under slurm.sbatch_args and behind `--` of gannet submit, put
 * into a request. One table has each option, what of the request it sets, and of those that are gannet's own why they
 * can't be given. */
#ifndef GANNET_SCHEDULER_SLURM_OPTIONS_H
#define GANNET_SCHEDULER_SLURM_OPTIONS_H

#include "common/err.h"
#include "scheduler/slurm/interface.h"

#include <stddef.h>

/* Reads "--name=value", "--name value", "-Nvalue" and "-N value" in order, later ones over earlier ones, into a request
 * that holds what the keys say. *exported: the value of --export, which stays the caller's; untouched without one.
 * `now`: the present, for --begin. -1 with a sentence that names the option, with the nearest one and a list when there
 * is none of that name. */
int slurm_options_apply(const char *const *words, size_t count, double now, struct slurm_request *request,
                        const char **exported, struct err *err);

#endif
