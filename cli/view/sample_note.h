/* That numbers are those of a sample. */
#ifndef GANNET_CLI_VIEW_SAMPLE_NOTE_H
#define GANNET_CLI_VIEW_SAMPLE_NOTE_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds "a sample: 20004 of 1000000 trials" of {trials, of}; of null nothing. Whether there was one. */
bool sample_note_add(const json_t *sample, struct buf *out);

#endif
