/* Whether a search that weighs trials by their joules (strategy.options.cost: energy) can do so. */
#ifndef GANNET_CLI_VIEW_COST_NOTE_H
#define GANNET_CLI_VIEW_COST_NOTE_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds a sentence, from what reader_experiment says; false: there is nothing to say. */
bool cost_note_add(const json_t *experiment, struct buf *out);

#endif
