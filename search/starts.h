/* The start points of an experiment: configurations that a person wants tried first, in part or as a whole. */
#ifndef GANNET_SEARCH_STARTS_H
#define GANNET_SEARCH_STARTS_H

#include "search/seek.h"

struct starts;

/* Reads `count` JSON objects; missing parameters will take their default, else a random value. NULL with a sentence
 * ("start point 2: ...") when one is no configuration, or no way of completing it satisfies the constraints. */
struct starts *starts_create(const struct space *space, uint64_t seed, const char *const *texts, uint32_t count,
                             struct err *err);
void starts_destroy(struct starts *starts); /* NULL is fine */

/* Takes the next start point that can be used: its canonical point, completed for this trial. False when none is left;
 * those that can't be used are dropped. */
bool starts_take(struct starts *starts, uint64_t trial, seek_usable *usable, void *context, double *unit);

#endif
