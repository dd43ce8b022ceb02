/* Looking for a usable configuration without the strategy's help: when a strategy proposes nothing but what constraints
 * forbid or what was proposed before. */
#ifndef GANNET_SEARCH_SEEK_H
#define GANNET_SEARCH_SEEK_H

#include "search/space.h"

/* Whether the search can use a canonical point: allowed, and not proposed before. */
typedef bool seek_usable(void *context, const double *unit);

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
