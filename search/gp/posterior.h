/* A Gaussian process that has seen values: what it expects at other points, and how sure it is.
 *
 *     posterior_init        with a covariance and room for so many points
 *     posterior_add ...     points, each in O(n^2)
 *     posterior_learn       the values of all points so far; may be called again when they have changed
 *     posterior_add ...     more points, without values: they run. They lower the variance and leave the mean alone.
 *     posterior_cut         forgets the points from one on
 *     posterior_predict     many points at once
 *
 * Points come one by one, so that a process that has grown is bit by bit the one made anew, however much room each has.
 *
 * Alphabet: n points with values, m >= n in all, c candidates. */
#ifndef GANNET_SEARCH_GP_POSTERIOR_H
#define GANNET_SEARCH_GP_POSTERIOR_H

#include "search/gp/covariance.h"

struct posterior {
    const struct covariance *covariance;
    struct design z;        /* m points, warped */
    uint32_t known, stride; /* n; from one row to the next */
    double *factor;         /* of the covariance; see linalg.h */
    double *alpha;          /* n: inverse covariance times values */
    double *values;         /* n */
    double *noise;          /* m: the variance of each point's noise */
    double *work;           /* some rows of `stride` */
};

void posterior_init(struct posterior *posterior, const struct covariance *covariance, uint32_t capacity);
void posterior_fini(struct posterior *posterior); /* a zeroed one is fine */

/* Adds a point (scaled, not warped), with a variance of its own beside the common noise. */
void posterior_add(struct posterior *posterior, const double *x, double extra_noise);
void posterior_learn(struct posterior *posterior, const double *values);
void posterior_cut(struct posterior *posterior, uint32_t count);

/* Mean and variance (of the function, without noise) at c points, row after row, scaled. `variance` may be NULL, which
 * is much cheaper. */
void posterior_predict(struct posterior *posterior, const double *rows, uint32_t count, double *mean, double *variance);

/* Whether point i was added with this variance of its own. */
static inline bool posterior_has_extra_noise(const struct posterior *posterior, uint32_t i, double extra_noise)
{
    return posterior->noise[i] == posterior->covariance->noise + extra_noise;
}

/* The mean at point i, which has a value: y - noise alpha, since (K + noise) alpha = y. */
static inline double posterior_mean(const struct posterior *posterior, uint32_t i)
{
    return posterior->values[i] - posterior->noise[i] * posterior->alpha[i];
}

/* Whether a point (scaled) lies within `reach` lengths of one of the posterior's in a corner: all continuous
 * coordinates of that are at ends of their ranges. Other coordinates must be the same. */
bool posterior_near_corner(struct posterior *posterior, const double *x, double reach);

/* The same at one point with the gradients of both: D doubles each. Nominal coordinates have gradient 0. */
void posterior_gradient(struct posterior *posterior, const double *x, double *mean, double *variance,
                        double *mean_gradient, double *variance_gradient);

#endif
