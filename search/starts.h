/* The start points of an experiment: configurations that a person wants tried first, in part or as a whole. */
#ifndef GANNET_SEARCH_STARTS_H
#define GANNET_SEARCH_STARTS_H

#include "search/space.h"

/* Whether the search can use a canonical point: allowed, and not proposed before. */
typedef bool seek_usable(void *context, const double *unit);

struct starts;

/* Reads `count` JSON objects; missing parameters will take their default, else a random value. NULL with a sentence
 * ("start point 2: ...") when one is no configuration, or no way of completing it satisfies the constraints. */
struct starts *starts_create(const struct space *space, uint64_t seed, const char *const *texts, uint32_t count,
                             struct err *err);
void starts_destroy(struct starts *starts); /* NULL is fine */

/* Takes the next start point that can be used: its canonical point, completed for this trial. False when none is left;
 * those that can't be used are dropped. */
bool starts_take(struct starts *starts, uint64_t trial, seek_usable *usable, void *context, double *unit);

/* Looking for a usable configuration without the strategy's help: when a strategy proposes nothing but what constraints
 * forbid or what was proposed before. */
enum seek_result {
    SEEK_FOUND,
    SEEK_NONE,   /* there is none in the whole space */
    SEEK_GAVE_UP /* very many were tried */
};

/* Draws random points; in a finite space goes on to walk over all configurations from a random one, so that what is
 * left is found. The outcome is a function of (seed, trial) and of what is usable. *tried counts the points looked at.
 */
enum seek_result seek_point(const struct space *space, uint64_t seed, uint64_t trial, seek_usable *usable,
                            void *context, double *unit, uint64_t *tried);

#endif
