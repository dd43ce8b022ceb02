/* What CMA-ES has beside the normal distribution for choices without an order: a probability for each value, moved
 * towards what the better half of a generation had, and never below a margin. (After Hamano et al.: "CatCMA: stochastic
 * optimization for mixed-category problems", GECCO 2024. Ours learns at a fixed rate.) */
#ifndef GANNET_SEARCH_SIMPLE_CMAES_CHOICES_H
#define GANNET_SEARCH_SIMPLE_CMAES_CHOICES_H

#include "search/simple/cmaes_normal.h"

struct choices {
    uint32_t count;         /* parameters */
    const uint64_t *values; /* of each: how many values; not owned */
    double **chance;        /* of each parameter and value */
};

/* All values equally probable; `values` must live on. */
void choices_init(struct choices *choices, uint32_t count, const uint64_t *values);
void choices_fini(struct choices *choices);

/* A draw: the index of the value of each parameter. */
void choices_draw(const struct choices *choices, struct rng *rng, double *index);

/* Learns from the mu best of a generation, as weighted by the normal distribution: indices of values, the best first. A
 * negative index is a parameter that was not active: it says nothing. */
void choices_learn(struct choices *choices, const struct normal *normal, const double *const *best);

#endif
