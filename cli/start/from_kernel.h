/* From a built-in kernel to an experiment file: the example that the kernel's table has, with what a person adds on the
 * command line. */
#ifndef GANNET_CLI_START_FROM_KERNEL_H
#define GANNET_CLI_START_FROM_KERNEL_H

#include "cli/start/metric_guess.h"
#include "cli/start/sketch.h"
#include "common/err.h"

/* What the kernel's example searches, as options that param_args_take changes. `kernel` is an object of catalog_read.
 * NULL with a sentence: it has no example. */
json_t *from_kernel_options(const json_t *kernel, struct err *err);

/* The metric of its example. */
struct metric_guess from_kernel_metric(const json_t *kernel);

/* Fills in a sketch; -1 with a sentence when nothing is left to search. */
int from_kernel(const json_t *kernel, const json_t *options, const struct metric_guess *metric, struct sketch *sketch,
                struct err *err);

#endif
