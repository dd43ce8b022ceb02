/* Which parameters matter, worked out beside everything else: that takes seconds, and nobody should wait for it. */
#ifndef GANNET_CLI_FETCH_EXPLAINING_H
#define GANNET_CLI_FETCH_EXPLAINING_H

#include "cli/data/learned.h"

struct explaining;

/* Begins with a spec, which it takes over. */
struct explaining *explaining_create(struct spec *spec);

/* Does not wait for what is being worked out. NULL is fine. */
void explaining_destroy(struct explaining *self);

/* Works it out for what was learned, in a thread of its own, unless it does so already or a tenth more has not come
 * since. Once the experiment has `ended` it is of all trials. */
void explaining_update(struct explaining *self, const struct learned *learned, bool ended);

/* What came of it last, an object of docs/json.md as `gannet importance --json` has it, a new reference; NULL: nothing
 * yet. *runs: the next one is being worked out. For the first one it waits a moment, unless readings of the source
 * are to end. */
json_t *explaining_take(struct explaining *self, const struct source *source, bool *runs);

#endif
