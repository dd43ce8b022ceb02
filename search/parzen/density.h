/* A density over the space, estimated from points: a mixture of products of density kernels (density_kernel.h), one
 * component a point and one that is the space's own distribution.
 *
 * Conditional parameters need no groups and no made-up values: along a coordinate that a point does not have its
 * density kernel is the space's own distribution, and a coordinate that is inactive where the density is asked for is
 * left out of the product (integrated over).
 *
 * Alphabet: D parameters, K components. */
#ifndef GANNET_SEARCH_PARZEN_DENSITY_H
#define GANNET_SEARCH_PARZEN_DENSITY_H

#include "common/rng.h"
#include "search/strategy.h"

/* What a density is made of, and how wide its density kernels are. */
struct density_sample {
    const double *const *points; /* canonical */
    const double *weights;       /* one a point, 0 or above; NULL: all 1 */
    uint32_t count;
    double prior;   /* the weight of the space's own distribution, above 0 */
    double breadth; /* factor for the widths; 1: by the rule */
};

struct density;

struct density *density_create(const struct gannet_space *space, const struct gannet_host *host);
void density_destroy(struct density *density); /* NULL is fine */

/* Fits it anew. Points are read during the call only. */
void density_fit(struct density *density, const struct density_sample *sample);

/* The log of the density at a canonical point, relative to the space's own distribution. */
double density_log(const struct density *density, const double *unit);

/* Draws a point; snap it. Every coordinate is set. */
void density_draw(const struct density *density, struct rng *rng, double *unit);

#endif
