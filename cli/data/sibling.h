/* Our other programs, asked a question: gannet-worker --show-slots, and gannet-trainer --kernels, which says whether an
 * experiment fits the kernel that it names. */
#ifndef GANNET_CLI_DATA_SIBLING_H
#define GANNET_CLI_DATA_SIBLING_H

#include "common/err.h"
#include "common/texts.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* Runs a program of our own directory with these arguments (a NULL at the end) and reads the JSON that it prints. NULL
 * with a sentence: its own, when it failed. */
json_t *sibling_ask(const char *program, const char *const *arguments, struct err *err);

/* Where the trials are to run. */
struct slots_machine {
    struct texts words; /* what workers are told of it: "--only-cores=0-3" */
    uint64_t workers;   /* that divide it between them; 0: one */
};

/* The slots that the first worker would offer, an array (docs/json.md). NULL with a sentence when not even one trial
 * fits. */
json_t *sibling_slots(const struct spec_resources *wanted, const struct slots_machine *machine, struct err *err);

/* The kernels as gannet-trainer --kernels --json lists them: an array of objects with name, summary, metrics and the
 * tables `options` and `params` (name, type, default, help). NULL with a sentence. */
json_t *catalog_read(struct err *err);

/* Reports at their places in the file: an unknown kernel, options and parameters that the kernel does not know or
 * needs, and an objective that it does not report. An experiment with a command has nothing to check. */
void catalog_check(const json_t *catalog, const struct spec *spec, struct problems *problems);

/* Whether trials of a kernel can be continued from checkpoints. */
bool catalog_can_continue(const json_t *catalog, const char *kernel);

/* Whether several processes may train a trial of it together. */
bool catalog_can_share(const json_t *catalog, const char *kernel);

#endif
