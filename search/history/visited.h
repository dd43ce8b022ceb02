/* The points that a search has been to: in a finite space a strategy can leave them out by itself instead of having its
 * proposals refused one by one. In a space with a continuous parameter nothing is kept, and nothing counts as visited:
 * there no point comes twice. */
#ifndef GANNET_SEARCH_HISTORY_VISITED_H
#define GANNET_SEARCH_HISTORY_VISITED_H

#include "common/set.h"
#include "search/strategy.h"

struct visited {
    uint32_t dimension;
    bool finite;
    struct set points; /* their hashes; two points with one hash are 2^-64 likely, and cost one configuration */
};

void visited_init(struct visited *visited, const struct gannet_space *space);
void visited_fini(struct visited *visited);

/* A number that is the same for the same canonical point. */
uint64_t visited_hash(const double *unit, uint32_t dimension);

/* Remembers a canonical point. */
void visited_add(struct visited *visited, const double *unit);

/* Whether a canonical point was added. */
bool visited_has(const struct visited *visited, const double *unit);

#endif
