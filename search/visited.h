/* The points that a search has been to, so that a strategy can leave them out by itself instead of having its proposals
 * refused one by one.
 *
 * Of a finite space every point is kept. Of a space with a continuous parameter the last VISITED_MOST at least are, so
 * that memory stays flat; there, two points count as one where their continuous coordinates differ by no more than
 * rounding makes them: all fall into the same cells of 2^-24 of the range, the ends of the range being middles of
 * cells. */
#ifndef GANNET_SEARCH_VISITED_H
#define GANNET_SEARCH_VISITED_H

#include "common/set.h"
#include "search/strategy.h"

enum { VISITED_MOST = 20000 }; /* as many as a history keeps */

struct visited {
    const struct gannet_space *space;
    bool finite;
    struct set points; /* hashes; two points with one hash are 2^-64 likely, and cost one configuration */
    struct set older;  /* of an infinite space: the VISITED_MOST points before those */
};

void visited_init(struct visited *visited, const struct gannet_space *space);
void visited_fini(struct visited *visited);

/* A number that is the same for the same canonical point. */
uint64_t visited_hash(const double *unit, uint32_t dimension);

/* Remembers a canonical point. */
void visited_add(struct visited *visited, const double *unit);

/* Whether a canonical point was added, as far as it is remembered. */
bool visited_has(const struct visited *visited, const double *unit);

#endif
