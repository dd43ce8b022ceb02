/* libslurm behind the interface; see scheduler/slurm/interface.h. */
#include "scheduler/slurm/interface.h"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

static int never_yet(struct slurm_error *error)
{
    (void)error;
    return -1;
}

static const struct slurm_module module = {.interface = SLURM_INTERFACE, .open = never_yet};
extern const struct slurm_module *const gannet_slurm_module;
const struct slurm_module *const gannet_slurm_module = &module;
