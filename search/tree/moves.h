/* Ways to make a point of others: what a search over candidates is made of. Every result is canonical; it may be
 * forbidden by a constraint, and the same as what it was made of. A parameter that becomes active takes a random value.
 */
#ifndef GANNET_SEARCH_TREE_MOVES_H
#define GANNET_SEARCH_TREE_MOVES_H

#include "common/rng.h"
#include "search/strategy.h"

struct moves {
    const struct gannet_space *space;
    const struct gannet_host *host;
};

/* A point as the space itself draws them. */
void moves_random(const struct moves *moves, struct rng *rng, double *unit);

/* One active coordinate is changed: a choice to another one, a level by one or a few, a continuous one by a Gaussian
 * step of a random size. */
void moves_step(const struct moves *moves, const double *from, struct rng *rng, double *unit);

/* Each coordinate from one of two points. */
void moves_cross(const struct moves *moves, const double *a, const double *b, struct rng *rng, double *unit);

#endif
