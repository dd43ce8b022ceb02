/* libslurm behind the interface (scheduler/slurm/interface.h): its one symbol. */
#include "scheduler/slurm/module/parts.h"

/* "22.05.8" of the headers' number. */
#define DIGITS(n) '0' + (n) / 10, '0' + (n) % 10
#define MICRO     SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER)
const char module_built_for[] = {DIGITS(SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER)),
                                 '.',
                                 DIGITS(SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)),
                                 '.',
                                 '0' + (MICRO < 10 ? MICRO : MICRO / 10),
                                 MICRO < 10 ? '\0' : '0' + MICRO % 10,
                                 '\0'};

static const struct slurm_module module = {
    .interface = SLURM_INTERFACE,
    .built_for = module_built_for,
    .library = module_library,
    .open = module_open,
    .ping = module_ping,
    .submit = module_submit,
    .job = module_job,
    .find = module_find,
    .cancel = module_cancel,
    .requeue = module_requeue,
    .hold = module_hold,
    .partitions = module_partitions,
};

extern const struct slurm_module *const gannet_slurm_module;
const struct slurm_module *const gannet_slurm_module = &module;
