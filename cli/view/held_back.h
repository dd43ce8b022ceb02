/* Whether a program kept its values back until it ended: then early stopping had nothing to go by on the way. */
#ifndef GANNET_CLI_VIEW_HELD_BACK_H
#define GANNET_CLI_VIEW_HELD_BACK_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds the sentence with the mend when that was so of a trial (as reader_show gives it; NULL or null: none). */
bool held_back_add(const json_t *trial, struct buf *out);

#endif
