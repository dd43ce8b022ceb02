/* The covariance of the Gaussian process: Matern 5/2 with a length for each coordinate, once of all coordinates
 * together and once for each of them alone.
 *
 *     k(x, x') = signal m(r) + main / D sum_d m(r_d sqrt(D)) + offset
 *     m(r) = (1 + t + t^2 / 3) exp(-t),   t = sqrt(5) r,   r_d = difference_d / length_d,   r^2 = sum_d r_d^2
 *
 * (m: Rasmussen, Williams: "Gaussian processes for machine learning", 2006, equation 4.17.) The sum is for main
 * effects: what a parameter does whatever the others are, which a few trials tell about every value of it (Duvenaud,
 * Nickisch, Rasmussen: "Additive Gaussian processes", NIPS 2011). Lengths grow with sqrt(D), so that many coordinates
 * together are not all far away; one alone has none of that, whence the factor. The difference of nominal values is 0
 * or 1. Where a parameter is inactive at one of the points it is 1, at both 0. The offset stands for a constant mean
 * with a normal prior. Numeric coordinates may be warped, x -> 1 - (1 - x^a)^b, so that what happens near an end of the
 * range is told apart better than elsewhere (Snoek et al.: "Input warping for Bayesian optimization of non-stationary
 * functions", ICML 2014, with Kumaraswamy's distribution).
 *
 * What is fitted is a vector theta of logarithms: D lengths, the signal, the noise, the main effects' signal and, when
 * warped, a and b of each coordinate.
 *
 * Alphabet: D coordinates (W of domain.h, the depth being one like the others), n points. */
#ifndef GANNET_SEARCH_GP_COVARIANCE_H
#define GANNET_SEARCH_GP_COVARIANCE_H

#include "search/gp/domain.h"

/* n points, coordinate after coordinate: x[d * room + i]. */
struct design {
    uint32_t count, capacity, dimension; /* n, at most; D */
    double *x;
};

void design_init(struct design *design, uint32_t dimension, uint32_t capacity);
void design_fini(struct design *design);
void design_add(struct design *design, const double *x); /* there must be room */
void design_get(const struct design *design, uint32_t i, double *x);

struct covariance {
    const struct gp_domain *domain;
    bool warped;
    double *weight; /* D: 1 / length^2 */
    double *a, *b;  /* D: the warps; 1 where there is none */
    double signal, noise, offset;
    double main; /* 0: no main effects */
};

/* The places of its parts in theta, and how long it is. */
static inline uint32_t covariance_signal(uint32_t dimension)
{
    return dimension;
}
static inline uint32_t covariance_noise(uint32_t dimension)
{
    return dimension + 1;
}
static inline uint32_t covariance_main(uint32_t dimension)
{
    return dimension + 2;
}
static inline uint32_t covariance_warp(uint32_t dimension)
{
    return dimension + 3;
}
static inline uint32_t covariance_size(uint32_t dimension, bool warped)
{
    return dimension + 3 + (warped ? 2 * dimension : 0);
}

void covariance_init(struct covariance *covariance, const struct gp_domain *domain, bool warped);
void covariance_fini(struct covariance *covariance);
void covariance_set(struct covariance *covariance, const double *theta);

/* z = the point x (scaled coordinates) warped; may be the same place. */
void covariance_place(const struct covariance *covariance, const double *x, double *z);
/* The derivative of z[d] by x[d]. */
double covariance_stretch(const struct covariance *covariance, uint32_t d, double x);

/* out[i] = r^2 between z and point i of the design, for the first `count` of them; both warped. */
void covariance_distances(const struct covariance *covariance, const struct design *design, uint32_t count,
                          const double *z, double *out);

/* From r^2 to the part of all coordinates together, signal m(r), and its derivative by r^2. */
void covariance_joint(const struct covariance *covariance, const double *squares, uint32_t count, double *values,
                      double *slopes);
/* Adds the main effects of z and the points to out. `kept`, unless it is NULL, gets `count` numbers for each
 * coordinate, `stride` behind those of the one before, which covariance_slopes_along need not compute again. */
void covariance_add_main(const struct covariance *covariance, const struct design *design, uint32_t count,
                         const double *z, double *kept, size_t stride, double *out);

/* The covariance of z and each of the first `count` points. */
void covariance_values(const struct covariance *covariance, const struct design *design, uint32_t count,
                       const double *z, double *out);

/* out[i] = the derivative of the covariance of a point at z[d] and point i by r_d^2: slopes[i], that of the part of all
 * coordinates together, and what the main effect adds. `kept` are the numbers of covariance_add_main for d, or NULL. */
void covariance_slopes_along(const struct covariance *covariance, const struct design *design, uint32_t count,
                             uint32_t d, double z, const double *slopes, const double *kept, double *out);

/* The variance of a point before anything is known, without noise. */
static inline double covariance_own(const struct covariance *covariance)
{
    return covariance->signal + covariance->main + covariance->offset;
}

/* The square of the difference of two values of a coordinate. */
static inline double covariance_square(const struct domain_axis *axis, double p, double q)
{
    if (p != p || q != q) /* inactive */
        return (p != p) == (q != q) ? 0 : 1;
    return axis->nominal ? (p != q) : (p - q) * (p - q);
}

#endif
