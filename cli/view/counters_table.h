/* The counters of a trial's attempt: what its processes used, and what happened on its node meanwhile. */
#ifndef GANNET_CLI_VIEW_COUNTERS_TABLE_H
#define GANNET_CLI_VIEW_COUNTERS_TABLE_H

#include "cli/look.h"

#include <jansson.h>

/* Adds the section "Counters" of the last of a trial's `runs` that has any: a line for each that is not zero, then the
 * names of those that are, and those that its worker could not read with the reason; nothing when no attempt was
 * counted.
 */
void counters_table_draw(const json_t *runs, const struct look *look, struct buf *out);

#endif
