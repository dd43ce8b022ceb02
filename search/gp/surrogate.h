/* A Gaussian process for one of the things that trials are told with: its theta, fitted now and then, and its
 * posterior, which grows with the trials in between. */
#ifndef GANNET_SEARCH_GP_SURROGATE_H
#define GANNET_SEARCH_GP_SURROGATE_H

#include "search/gp/fit.h"
#include "search/gp/posterior.h"

struct surrogate {
    const struct gp_domain *domain;
    struct covariance covariance;
    struct design points; /* scaled: what is in the posterior, in its order */
    struct posterior posterior;
    double *theta;
    bool fitted;
    uint64_t fits;  /* ever: each is some 30 factorisations */
    uint64_t added; /* rows of the factor ever made: each is a covariance with every point before it */
};

void surrogate_init(struct surrogate *surrogate, const struct gp_domain *domain);
void surrogate_fini(struct surrogate *surrogate);

/* Fits theta; the posterior is empty then. */
void surrogate_fit(struct surrogate *surrogate, const struct fit_data *data);

/* Takes a theta that was found elsewhere, of a new surrogate, which owns it from now on. */
void surrogate_set(struct surrogate *surrogate, double *theta, bool warped);

/* Makes the posterior that of these points and values, which keeps the points at the beginning that it had already;
 * there is room for `more` of them. */
void surrogate_learn(struct surrogate *surrogate, const struct design *points, const double *values,
                     const double *extra_noise, uint32_t more);

/* The means at n points, row after row. When they are those that it has learned from point `first` on, as those of its
 * own trials are, that takes O(n) instead of O(n^2). */
void surrogate_means(struct surrogate *surrogate, uint32_t first, const double *rows, uint32_t count, double *mean);

/* What points next to each other show of noise, of those from `first` on; the strongest of what any two of them show
 * counts. Fitted noise alone may be that of a function that the process can't follow. */
enum surrogate_noise {
    SURROGATE_UNKNOWN, /* no two are next to each other, or their values say neither */
    SURROGATE_AWAITED, /* one of two has no value yet, or they differ and no value elsewhere lies between */
    SURROGATE_EXACT,   /* two have the same value */
    SURROGATE_NOISY    /* two have values that differ as noise makes them differ */
};
enum surrogate_noise surrogate_noise(const struct surrogate *surrogate, uint32_t first);

/* A point without a value. */
void surrogate_await(struct surrogate *surrogate, const double *x);

#endif
