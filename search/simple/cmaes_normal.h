/* The normal distribution of CMA-ES and how it learns: mean, step size and covariance, moved towards the better half of
 * each generation.
 *
 * After Hansen: "The CMA evolution strategy: a tutorial" (arXiv 1604.00772, 2016), whose names and default parameters
 * are used; equation numbers are its. With more coordinates than NORMAL_MOST_FULL only the diagonal of the covariance
 * is learned (Ros, Hansen: "A simple modification in CMA-ES achieving linear time and space complexity", PPSN X, 2008).
 * Each coordinate has a factor of its own, which only the margin changes.
 *
 * Alphabet: n coordinates, lambda points a generation, the mu best of which count. */
#ifndef GANNET_SEARCH_SIMPLE_CMAES_NORMAL_H
#define GANNET_SEARCH_SIMPLE_CMAES_NORMAL_H

#include "common/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* Decomposing a matrix of 100 x 100 takes some 5 ms. */
enum { NORMAL_MOST_FULL = 100 };

struct normal {
    uint32_t n, lambda, mu;
    bool full;                               /* the whole covariance, not its diagonal only */
    double *weights;                         /* mu, falling, sum 1 */
    double mu_eff;                           /* variance effective selection mass, (8) */
    double c_sigma, d_sigma, c_c, c_1, c_mu; /* learning rates, (55)-(58) */
    double expected;                         /* length of a standard normal vector */
    double sigma;                            /* step size */
    double *mean;                            /* n */
    double *path_sigma; /* n: evolution path of the step size, in coordinates where C is the identity */
    double *path_c;     /* n: that of the covariance */
    double *cov;        /* C: n x n, or n of its diagonal */
    double *axes;       /* n x n: C's eigenvectors, a column each; unused for a diagonal */
    double *lengths;    /* n: square roots of C's eigenvalues */
    double *factor;     /* n: the margin's A */
    uint64_t generations;
};

/* A round one around mean[n], which is copied. */
void normal_init(struct normal *normal, uint32_t n, uint32_t lambda, const double *mean, double sigma);
void normal_fini(struct normal *normal);

/* A draw: x[n]. */
void normal_draw(const struct normal *normal, struct rng *rng, double *x);

/* Standard deviation of a coordinate. */
double normal_stddev(const struct normal *normal, uint32_t i);

/* Learns a generation: the mu best of its points, the best first; the mean itself may be one. Points may come from
 * anywhere - an earlier distribution, a person - and are shortened when they lie too far out to be from this one
 * (Hansen: "Injecting external solutions into CMA-ES", arXiv 1110.4181, 2011). */
void normal_learn(struct normal *normal, const double *const *best);

/* Whether it has become too small, or too flat, to go on. */
bool normal_is_done(const struct normal *normal);

/* The margin of CMA-ES: coordinates that have levels - integers, ordered choices - keep some chance to change their
 * level however small the steps become, so that none freezes. (Hamano, Saito, Nomura, Shirakawa: "CMA-ES with margin:
 * lower-bounding marginal probability for mixed-integer black-box optimization", GECCO 2022.)
 *
 * After a generation: moves the mean and the factor of coordinate i so that the mean's level, which reaches from
 * `below` to `above` (infinite for the first and the last level), is left downwards and upwards with probability alpha
 * / 2 or more each; from an end, with alpha. */
void margin_keep(struct normal *normal, uint32_t i, double below, double above, double alpha);

#endif
