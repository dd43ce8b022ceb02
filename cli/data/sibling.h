/* Our other programs, asked a question: gannet-trainer --kernels, gannet-worker --show-slots. */
#ifndef GANNET_CLI_DATA_SIBLING_H
#define GANNET_CLI_DATA_SIBLING_H

#include "common/err.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* Runs a program of our own directory with these arguments (a NULL at the end) and reads the JSON that it prints. NULL
 * with a sentence: its own, when it failed. */
json_t *sibling_ask(const char *program, const char *const *arguments, struct err *err);

/* Where the trials are to run. */
struct slots_machine {
    const char *topology; /* another machine that is pretended; NULL: this one */
    uint64_t workers;     /* that divide it between them; 0: one */
};

/* The slots that the first worker would offer, an array (docs/json.md). NULL with a sentence when not even one trial
 * fits. */
json_t *sibling_slots(const struct spec_resources *wanted, const struct slots_machine *machine, struct err *err);

#endif
