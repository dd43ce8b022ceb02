/* Whole functions drawn from what a Gaussian process believes after the trials: near trials they agree, and where none
 * was they differ as much as the process knows little. What is computed of each - a share of the variation, say - is
 * known as surely as the draws agree on it, however unevenly a search has looked at the space.
 *
 * Alphabet: S draws, W coordinates, n trials. */
#ifndef GANNET_SEARCH_EXPLAIN_DRAWS_H
#define GANNET_SEARCH_EXPLAIN_DRAWS_H

#include "search/gp/surrogate.h"
#include "common/rng.h"

struct draws;

/* Draws `count` functions. The surrogate has learned values, and must live on. */
struct draws *draws_create(const struct surrogate *surrogate, uint32_t count, struct rng *rng);
void draws_destroy(struct draws *draws); /* NULL is fine */

/* Fills out[S] with the draws' values at a scaled point x[W]. */
void draws_values(struct draws *draws, const double *x, double *out);

#endif
