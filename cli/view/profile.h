/* Where the time went: the phases of a trial or of all of them, as lines with bars, and the sentence that says what
 * bounded it. */
#ifndef GANNET_CLI_VIEW_PROFILE_H
#define GANNET_CLI_VIEW_PROFILE_H

#include "cli/console.h"
#include "common/phases.h"

/* Reads a trial's `profile` (an object by phase) or the store's sum (an array of objects with `phase`) into
 * phases[PHASES_COUNT]; what is missing is zero. */
void profile_read(const json_t *json, struct phase_time *phases);

/* Adds a line a phase that occurred: seconds, share and a bar. The queue is not part of the sum: nothing ran then. */
void profile_draw(const struct phase_time *phases, const struct look *look, struct buf *out);

/* Adds "92 % computing: the training itself is what takes the time"; nothing when no time was measured. */
void profile_bound(const struct phase_time *phases, struct buf *out);

#endif
