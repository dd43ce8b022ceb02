/* Where the time went: the phases of a trial or of all of them, as lines with bars. */
#ifndef GANNET_CLI_VIEW_PROFILE_H
#define GANNET_CLI_VIEW_PROFILE_H

#include "cli/look.h"

#include <jansson.h>

/* Adds the section "Where the time went" of a trial's `profile` (an object by phase) or the store's sum (an array of
 * objects with `phase`): a line a phase that occurred, with seconds, share and a bar, and what `bound` says of the
 * verdict, ""; nothing when no time was measured. The queue is not part of the sum: nothing ran then. */
void profile_draw(const json_t *json, const char *bound, const struct look *look, struct buf *out);

#endif
