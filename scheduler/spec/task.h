/* The writing side of the task (docs/task.md): what all trials of an experiment have in common, made from the frozen
 * spec and sent to every worker. common/task.h is the reading side. */
#ifndef GANNET_SCHEDULER_SPEC_TASK_H
#define GANNET_SCHEDULER_SPEC_TASK_H

#include "common/err.h"
#include "scheduler/spec/spec.h"

/* The task as JSON text; `directory` is the run directory, absolute; `keep`: the strategy starts trials from others'
 * checkpoints. free() it. NULL with a sentence when a path can't be said in JSON. */
char *task_write(const struct spec *spec, const char *directory, bool keep, struct err *err);

/* The step at which a trial is complete, as early_stop.max_steps says; 0: when it has taken all its steps. */
uint64_t task_max_steps(const struct spec *spec);

#endif
