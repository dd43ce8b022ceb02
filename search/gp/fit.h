/* Which lengths, signal, noise and warps explain a set of values best: the maximum of the posterior density of theta
 * (covariance.h), by its gradient.
 *
 * The priors are wide and centred where functions of that many coordinates can be learned at all: lengths grow with
 * the square root of D (Hvarfner, Hellsten, Nardi: "Vanilla Bayesian optimization performs great in high dimensions",
 * ICML 2024), noise is small. A fit starts at the priors' means every time, so that it depends on its data alone; a
 * second start found nothing better on the whole.
 *
 * Alphabet: n points in D coordinates. */
#ifndef GANNET_SEARCH_GP_FIT_H
#define GANNET_SEARCH_GP_FIT_H

#include "search/gp/covariance.h"

/* What is explained. */
struct fit_data {
    const struct gp_domain *domain;
    const struct design *points; /* n, scaled, not warped */
    const double *values;        /* n: about 0 and about 1 in size */
    const double *extra_noise;   /* n variances of noise that single values have beside the common one; NULL: none */
    bool warped;
};

/* The prior of an entry of theta: normal, within bounds that keep the arithmetic sound. */
struct log_prior {
    double mean, spread, low, high;
};
struct log_prior fit_prior(const struct gp_domain *domain, uint32_t i);

/* Writes the best theta found, covariance_size() doubles; returns its value as fit_value does. */
double fit(const struct fit_data *data, double *theta);

/* Minus the logarithm of the posterior density of theta, up to a constant, and its gradient (may be NULL); infinite
 * where the covariance has no factor. */
double fit_value(const struct fit_data *data, const double *theta, double *gradient);

#endif
