/* The density kernel along one coordinate: how the probability that an observation stands for spreads around it.
 *
 * All densities are relative to the space's own distribution, which is uniform in the unit cube: a density of 1, a
 * logarithm of 0, says nothing. Coordinates with few levels have the probability of each level tabulated; those with
 * many, and continuous ones, have a Gaussian cut off at 0 and 1. Choices without an order keep their value with some
 * probability and else take any of them.
 *
 * Alphabet: L levels. */
#ifndef GANNET_SEARCH_PARZEN_DENSITY_KERNEL_H
#define GANNET_SEARCH_PARZEN_DENSITY_KERNEL_H

#include "common/rng.h"
#include "search/strategy.h"

#define DENSITY_KERNEL_LEAST 0.03 /* the least width of ordered coordinates */

enum {
    DENSITY_KERNEL_MOST_LEVELS = 64
}; /* that an ordered coordinate may have to be tabulated: 64 x 64 doubles are 32 KiB */

struct density_kernel {
    bool nominal;      /* choices without an order */
    uint32_t levels;   /* L; 0: a Gaussian without levels */
    double *edges;     /* L + 1 bounds of the levels, from 0 to 1 */
    double width;      /* standard deviation; of choices without an order the probability of taking any of them */
    double *logs;      /* L x L, of levels with an order: [asked][observed], the log of the density */
    double *cumulated; /* L x L, likewise: [observed][level], the probability of this level or one below */
};

void density_kernel_init(struct density_kernel *density_kernel, const struct gannet_host *host,
                         const struct gannet_param *param, uint32_t index);
void density_kernel_fini(struct density_kernel *density_kernel);

/* How wide the density kernels of these points should be along coordinate d of `dimension`, by the rule in
 * density_kernel.c. Points that lack the coordinate are passed over. */
double density_kernel_choose(const struct density_kernel *density_kernel, const double *const *points, uint32_t count,
                             uint32_t d, uint32_t dimension);

/* Sets the width for all observations: above 0; of choices without an order at most 1. */
void density_kernel_set(struct density_kernel *density_kernel, double width);

/* Of density kernels with levels: which level a canonical coordinate is. */
uint32_t density_kernel_level(const struct density_kernel *density_kernel, double unit);

/* Of choices without an order: the log of the density at a level that was observed; elsewhere it is log(width). */
double density_kernel_same(const struct density_kernel *density_kernel, uint32_t level);

/* Of density kernels without levels: the log of the density's constant factor when the observation is at `centre`. The
 * log of the density at x is then that minus ((x - centre) / width)^2 / 2. */
double density_kernel_constant(const struct density_kernel *density_kernel, double centre);

/* The log of the density at a coordinate, given an observation; for when there are few to ask for. */
double density_kernel_log(const struct density_kernel *density_kernel, double observed, double asked);

/* Draws a coordinate near an observation. */
double density_kernel_draw(const struct density_kernel *density_kernel, double observed, struct rng *rng);

#endif
