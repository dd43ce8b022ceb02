/* How many trials of an experiment fit on this machine: gannet-worker is asked. */
#ifndef GANNET_CLI_SESSION_SLOTS_H
#define GANNET_CLI_SESSION_SLOTS_H

#include "common/err.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* Where the trials are to run. */
struct slots_machine {
    const char *topology; /* another machine that is pretended; NULL: this one */
    uint64_t workers;     /* that divide it between them; 0: one */
};

/* The slots that the first worker would offer, an array (docs/json.md). NULL with a sentence when not even one trial
 * fits. */
json_t *slots_ask(const struct spec_resources *wanted, const struct slots_machine *machine, struct err *err);

#endif
