/* Matern 5/2 with main effects and warped inputs; see covariance.h. */
#include "search/gp/covariance.h"
#include "common/clones.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the constant mean, in units of the outputs, which have variance 1. */
static const double offset = 0.25;

void design_init(struct design *design, uint32_t dimension, uint32_t capacity)
{
    *design = (struct design){.capacity = capacity, .dimension = dimension};
    design->x = mem_aligned((size_t)dimension * capacity, sizeof(double));
}

void design_fini(struct design *design)
{
    free(design->x);
    *design = (struct design){0};
}

void design_add(struct design *design, const double *x)
{
    for (uint32_t d = 0; d < design->dimension; d++)
        design->x[(size_t)d * design->capacity + design->count] = x[d];
    design->count++;
}

void design_get(const struct design *design, uint32_t i, double *x)
{
    for (uint32_t d = 0; d < design->dimension; d++)
        x[d] = design->x[(size_t)d * design->capacity + i];
}

void covariance_init(struct covariance *covariance, const struct gp_domain *domain, bool warped)
{
    *covariance = (struct covariance){.domain = domain, .warped = warped, .offset = offset};
    covariance->weight = MEM_ARRAY(double, domain->width);
    covariance->a = MEM_ARRAY(double, domain->width);
    covariance->b = MEM_ARRAY(double, domain->width);
}

void covariance_fini(struct covariance *covariance)
{
    free(covariance->weight);
    free(covariance->a);
    free(covariance->b);
    *covariance = (struct covariance){0};
}

void covariance_set(struct covariance *covariance, const double *theta)
{
    uint32_t dimension = covariance->domain->width, warp = covariance_warp(dimension);
    for (uint32_t d = 0; d < dimension; d++) {
        bool warped = covariance->warped && !covariance->domain->axes[d].nominal;
        covariance->weight[d] = exp(-2 * theta[d]);
        covariance->a[d] = warped ? exp(theta[warp + 2 * d]) : 1;
        covariance->b[d] = warped ? exp(theta[warp + 2 * d + 1]) : 1;
    }
    covariance->signal = exp(theta[covariance_signal(dimension)]);
    covariance->noise = exp(theta[covariance_noise(dimension)]);
    covariance->main = covariance->domain->main_effects ? exp(theta[covariance_main(dimension)]) : 0;
}

void covariance_place(const struct covariance *covariance, const double *x, double *z)
{
    for (uint32_t d = 0; d < covariance->domain->width; d++) {
        double a = covariance->a[d], b = covariance->b[d];
        z[d] = a == 1 && b == 1 ? x[d] : 1 - pow(1 - pow(x[d], a), b);
    }
}

double covariance_stretch(const struct covariance *covariance, uint32_t d, double x)
{
    double a = covariance->a[d], b = covariance->b[d];
    if (a == 1 && b == 1)
        return 1;
    double inside = fmin(fmax(x, 1e-9), 1 - 1e-9); /* at an end the derivative may be infinite */
    return a * b * pow(inside, a - 1) * pow(1 - pow(inside, a), b - 1);
}

CLONES static void add_numeric(const double *x, uint32_t count, double z, double weight, double *out)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++) {
        double difference = x[i] - z;
        out[i] += weight * difference * difference;
    }
}

CLONES static void add_nominal(const double *x, uint32_t count, double z, double weight, double *out)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++)
        out[i] += x[i] == z ? 0 : weight;
}

static void add_conditional(const struct domain_axis *axis, const double *x, uint32_t count, double z, double weight,
                            double *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] += weight * covariance_square(axis, x[i], z);
}

void covariance_distances(const struct covariance *covariance, const struct design *design, uint32_t count,
                          const double *z, double *out)
{
    memset(out, 0, count * sizeof *out);
    for (uint32_t d = 0; d < design->dimension; d++) {
        const struct domain_axis *axis = &covariance->domain->axes[d];
        const double *x = design->x + (size_t)d * design->capacity;
        if (axis->conditional)
            add_conditional(axis, x, count, z[d], covariance->weight[d], out);
        else if (axis->nominal)
            add_nominal(x, count, z[d], covariance->weight[d], out);
        else
            add_numeric(x, count, z[d], covariance->weight[d], out);
    }
}

/* exp(-t) for t >= 0, to the last digits, in a form that compilers turn into vector instructions: t is split into a
 * multiple of log 2, found by adding a number so large that the sum has no fraction, and a rest below log(2) / 2, whose
 * exponential is Taylor's polynomial of degree 13. */
static inline double exp_minus(double t)
{
    static const double whole = 0x1.8p52, log2_high = 0x1.62e42fee00000p-1, log2_low = 0x1.a39ef35793c76p-33;
    double bounded = t < 700 ? t : 700;
    double shifted = whole - bounded * M_LOG2E;
    double power = shifted - whole;
    double rest = (-bounded - power * log2_high) - power * log2_low;
    double sum = 1.0 / 6227020800;
    static const double factorials[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
#pragma GCC unroll 13
    for (int i = 0; i < 13; i++)
        sum = sum * rest + factorials[i];
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 52) + ((uint64_t)1023 << 52); /* 2^power */
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

/* m and its derivative by r^2 = t^2 / 5, which is -5/6 (1 + t) exp(-t). */
static inline double fall(double t)
{
    return (1 + t + t * t / 3) * exp_minus(t);
}

static inline double fall_slope(double t)
{
    return -5.0 / 6 * (1 + t) * exp_minus(t);
}

CLONES static void to_values(double *squares, uint32_t count, double signal, double mean)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++)
        squares[i] = signal * fall(sqrt(5 * squares[i])) + mean;
}

CLONES static void to_slopes(const double *squares, uint32_t count, double signal, double *values, double *slopes)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++) {
        double t = sqrt(5 * squares[i]);
        double falling = signal * exp_minus(t);
        values[i] = (1 + t + t * t / 3) * falling;
        slopes[i] = -5.0 / 6 * (1 + t) * falling;
    }
}

void covariance_joint(const struct covariance *covariance, const double *squares, uint32_t count, double *values,
                      double *slopes)
{
    to_slopes(squares, count, covariance->signal, values, slopes);
}

/* --- main effects --- */

CLONES static void add_main_numeric(const double *x, uint32_t count, double z, double scale, double signal, double *out)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++)
        out[i] += signal * fall(scale * fabs(x[i] - z));
}

/* The same, and keeps the exponentials: most of the time goes into them. */
CLONES static void keep_main_numeric(const double *x, uint32_t count, double z, double scale, double signal,
                                     double *kept, double *out)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++) {
        double t = scale * fabs(x[i] - z), falling = exp_minus(t);
        kept[i] = falling;
        out[i] += signal * ((1 + t + t * t / 3) * falling);
    }
}

CLONES static void add_kept_slopes(const double *x, uint32_t count, double z, double scale, double factor,
                                   const double *slopes, const double *kept, double *out)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++) {
        double t = scale * fabs(x[i] - z);
        out[i] = slopes[i] + factor * (-5.0 / 6 * (1 + t) * kept[i]);
    }
}

CLONES static void add_slopes_numeric(const double *x, uint32_t count, double z, double scale, double factor,
                                      const double *slopes, double *out)
{
#pragma omp simd
    for (uint32_t i = 0; i < count; i++)
        out[i] = slopes[i] + factor * fall_slope(scale * fabs(x[i] - z));
}

/* Nominal or conditional: the difference is 0 or 1 but for numbers that are active at both points. */
static double coordinate_distance(const struct domain_axis *axis, double p, double q)
{
    return sqrt(covariance_square(axis, p, q));
}

/* From a difference along d to t. */
static double main_scale(const struct covariance *covariance, uint32_t d)
{
    return sqrt(5 * covariance->weight[d] * covariance->domain->width);
}

void covariance_add_main(const struct covariance *covariance, const struct design *design, uint32_t count,
                         const double *z, double *kept, size_t stride, double *out)
{
    double signal = covariance->main / design->dimension;
    for (uint32_t d = 0; d < design->dimension && signal > 0; d++) {
        const struct domain_axis *axis = &covariance->domain->axes[d];
        const double *x = design->x + (size_t)d * design->capacity;
        double scale = main_scale(covariance, d), apart = signal * fall(scale);
        if (!axis->conditional && !axis->nominal && kept)
            keep_main_numeric(x, count, z[d], scale, signal, kept + d * stride, out);
        else if (!axis->conditional && !axis->nominal)
            add_main_numeric(x, count, z[d], scale, signal, out);
        else if (!axis->conditional)
            for (uint32_t i = 0; i < count; i++)
                out[i] += x[i] == z[d] ? signal : apart;
        else
            for (uint32_t i = 0; i < count; i++)
                out[i] += signal * fall(scale * coordinate_distance(axis, x[i], z[d]));
    }
}

/* r_d^2 is multiplied by D and m divided by it, so that D is not in the derivative. */
void covariance_slopes_along(const struct covariance *covariance, const struct design *design, uint32_t count,
                             uint32_t d, double z, const double *slopes, const double *kept, double *out)
{
    const struct domain_axis *axis = &covariance->domain->axes[d];
    const double *x = design->x + (size_t)d * design->capacity;
    double scale = main_scale(covariance, d);
    if (covariance->main <= 0)
        memcpy(out, slopes, count * sizeof *out);
    else if (!axis->conditional && !axis->nominal && kept)
        add_kept_slopes(x, count, z, scale, covariance->main, slopes, kept, out);
    else if (!axis->conditional && !axis->nominal)
        add_slopes_numeric(x, count, z, scale, covariance->main, slopes, out);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = slopes[i] + covariance->main * fall_slope(scale * coordinate_distance(axis, x[i], z));
}

void covariance_values(const struct covariance *covariance, const struct design *design, uint32_t count,
                       const double *z, double *out)
{
    covariance_distances(covariance, design, count, z, out);
    to_values(out, count, covariance->signal, covariance->offset);
    covariance_add_main(covariance, design, count, z, NULL, 0, out);
}
