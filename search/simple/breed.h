/* Making new points from good ones: crossover and mutation for numbers, levels, choices and conditional parameters. */
#ifndef GANNET_SEARCH_SIMPLE_BREED_H
#define GANNET_SEARCH_SIMPLE_BREED_H

#include "search/strategy.h"
#include "common/rng.h"

#include <stdbool.h>

/* Each parameter from one of two parents, or, numbers with probability 1/2, from between them and a little beyond (BLX:
 * Eshelman, Schaffer: "Real-coded genetic algorithms and interval-schemata", FOGA 2, 1993). What one parent lacks comes
 * from the other; what both lack stays NaN. `child` may be a parent. */
void breed_cross(const struct gannet_space *space, struct rng *rng, const double *mother, const double *father,
                 double *child);

/* Changes each parameter that the point has with probability `rate`, one of them at least. Numbers take a step whose
 * size is drawn as well, from a third of the range down to a thousandth of that, so that nobody has to tune it; what
 * has levels moves by one level or more; a choice takes another of its values. */
void breed_mutate(const struct gannet_space *space, const struct gannet_host *host, struct rng *rng, double rate,
                  double *unit);

/* Draws all parameters that are NaN, so that those which a change made active have any value. */
void breed_fill(const struct gannet_space *space, struct rng *rng, double *unit);

#endif
