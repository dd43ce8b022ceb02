/* The kernels that the trainer of this installation has, and whether an experiment fits the one it names. */
#ifndef GANNET_CLI_DATA_CATALOG_H
#define GANNET_CLI_DATA_CATALOG_H

#include "common/err.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* The kernels as gannet-trainer --kernels --json lists them: an array of objects with name, summary, metrics and the
 * tables `options` and `params` (name, type, default, help). NULL with a sentence. */
json_t *catalog_read(struct err *err);

/* Reports at their places in the file: an unknown kernel, options and parameters that the kernel does not know or
 * needs, and an objective that it does not report. An experiment with a command has nothing to check. */
void catalog_check(const json_t *catalog, const struct spec *spec, struct problems *problems);

/* Whether trials of a kernel can be continued from checkpoints. */
bool catalog_can_continue(const json_t *catalog, const char *kernel);

#endif
