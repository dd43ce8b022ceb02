/* Predictions of a Gaussian process; see posterior.h. (Rasmussen, Williams, algorithm 2.1.) */
#include "search/gp/posterior.h"
#include "search/gp/linalg.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates predicted together: enough for a matrix product to be faster than single ones, few enough to stay in the
 * cache. */
enum { BATCH = 64 };

void posterior_init(struct posterior *posterior, const struct covariance *covariance, uint32_t capacity)
{
    uint32_t dimension = covariance->domain->width, stride = linalg_stride(capacity);
    *posterior = (struct posterior){.covariance = covariance, .stride = stride};
    design_init(&posterior->z, dimension, stride);
    posterior->factor = mem_aligned((size_t)capacity * stride, sizeof(double));
    posterior->alpha = mem_aligned(3 * (size_t)stride, sizeof(double));
    posterior->values = posterior->alpha + stride;
    posterior->noise = posterior->values + stride;
    posterior->work = mem_aligned((size_t)stride * BATCH + dimension, sizeof(double));
}

void posterior_fini(struct posterior *posterior)
{
    design_fini(&posterior->z);
    free(posterior->factor);
    free(posterior->alpha);
    free(posterior->work);
    *posterior = (struct posterior){0};
}

/* The new row of the factor is L^-1 k, and what is left of the point's own variance. */
void posterior_add(struct posterior *posterior, const double *x, double extra_noise)
{
    const struct covariance *covariance = posterior->covariance;
    uint32_t count = posterior->z.count;
    double *row = posterior->factor + (size_t)count * posterior->stride, *z = posterior->work;
    covariance_place(covariance, x, z);
    covariance_values(covariance, &posterior->z, count, z, row);
    linalg_solve(posterior->factor, count, posterior->stride, row);
    posterior->noise[count] = covariance->noise + extra_noise;
    double own = covariance_own(covariance) + posterior->noise[count];
    double left = own - linalg_dot(row, row, count);
    row[count] = sqrt(fmax(left, 1e-9 * own)); /* the same point again, and hardly any noise */
    design_add(&posterior->z, z);
}

void posterior_learn(struct posterior *posterior, const double *values)
{
    uint32_t n = posterior->known = posterior->z.count;
    memcpy(posterior->values, values, n * sizeof *values);
    memcpy(posterior->alpha, values, n * sizeof *values);
    linalg_solve(posterior->factor, n, posterior->stride, posterior->alpha);
    linalg_solve_transposed(posterior->factor, n, posterior->stride, posterior->alpha);
}

void posterior_cut(struct posterior *posterior, uint32_t count)
{
    if (posterior->z.count > count)
        posterior->z.count = count;
}

/* One batch: rows of covariances with all points, times alpha, and what the factor makes of them. */
static void predict_batch(struct posterior *posterior, const double *rows, uint32_t count, double *mean,
                          double *variance)
{
    const struct covariance *covariance = posterior->covariance;
    uint32_t dimension = posterior->z.dimension, all = variance ? posterior->z.count : posterior->known;
    uint32_t stride = posterior->stride;
    double *z = posterior->work + (size_t)stride * BATCH;
    for (uint32_t c = 0; c < count; c++) {
        double *row = posterior->work + (size_t)c * stride;
        covariance_place(covariance, rows + (size_t)c * dimension, z);
        covariance_values(covariance, &posterior->z, all, z, row);
    }
    linalg_multiply_rows(posterior->work, count, stride, posterior->known, posterior->alpha, mean);
    if (!variance)
        return;
    linalg_solve_rows(posterior->factor, all, stride, posterior->work, count, stride);
    double own = covariance_own(covariance);
    for (uint32_t c = 0; c < count; c++) {
        const double *row = posterior->work + (size_t)c * stride;
        variance[c] = fmax(own - linalg_dot(row, row, all), 1e-12 * own);
    }
}

void posterior_predict(struct posterior *posterior, const double *rows, uint32_t count, double *mean, double *variance)
{
    for (uint32_t at = 0; at < count; at += BATCH) {
        uint32_t size = count - at < BATCH ? count - at : BATCH;
        predict_batch(posterior, rows + (size_t)at * posterior->z.dimension, size, mean + at,
                      variance ? variance + at : NULL);
    }
}

/* A corner is a point whose continuous coordinates, those that are active, are at ends of their ranges. */
static bool is_near_corner(const struct posterior *posterior, uint32_t i, const double *z, double most)
{
    const struct design *points = &posterior->z;
    bool corner = false;
    double sum = 0;
    for (uint32_t d = 0; d < points->dimension && sum < most; d++) {
        const struct domain_axis *axis = &posterior->covariance->domain->axes[d];
        double there = points->x[(size_t)d * points->capacity + i], square = covariance_square(axis, there, z[d]);
        if (axis->fine && !isnan(there) && there != 0 && there != 1)
            return false;
        corner = corner || (axis->fine && !isnan(there));
        sum += axis->fine || square == 0 ? posterior->covariance->weight[d] * square : INFINITY;
    }
    return corner && sum < most;
}

bool posterior_near_corner(struct posterior *posterior, const double *x, double reach)
{
    double *z = posterior->work + (size_t)posterior->stride * BATCH;
    covariance_place(posterior->covariance, x, z);
    for (uint32_t i = 0; i < posterior->z.count; i++)
        if (is_near_corner(posterior, i, z, reach * reach))
            return true;
    return false;
}

/* d k / d x_d = slope * 2 weight (z_d - z_id) dz/dx, summed with the weights of the mean and of the variance. */
static void sum_gradient(const struct posterior *posterior, uint32_t d, double z, const double *slopes,
                         const double *pull, double *by_mean, double *by_variance)
{
    const double *x = posterior->z.x + (size_t)d * posterior->z.capacity;
    *by_mean = *by_variance = 0;
    if (posterior->covariance->domain->axes[d].nominal || isnan(z))
        return;
    double mean = 0, variance = 0;
    for (uint32_t i = 0; i < posterior->z.count; i++) {
        if (isnan(x[i]))
            continue;
        double slope = slopes[i] * (z - x[i]);
        mean += i < posterior->known ? slope * posterior->alpha[i] : 0;
        variance -= 2 * slope * pull[i];
    }
    *by_mean = mean;
    *by_variance = variance;
}

void posterior_gradient(struct posterior *posterior, const double *x, double *mean, double *variance,
                        double *mean_gradient, double *variance_gradient)
{
    const struct covariance *covariance = posterior->covariance;
    uint32_t all = posterior->z.count, stride = posterior->stride;
    double *values = posterior->work, *slopes = values + stride, *along = slopes + stride;
    double *z = posterior->work + (size_t)stride * BATCH;
    covariance_place(covariance, x, z);
    covariance_distances(covariance, &posterior->z, all, z, along);
    covariance_joint(covariance, along, all, values, slopes);
    for (uint32_t i = 0; i < all; i++)
        values[i] += covariance->offset;
    covariance_add_main(covariance, &posterior->z, all, z, NULL, 0, values);
    *mean = linalg_dot(values, posterior->alpha, posterior->known);
    linalg_solve(posterior->factor, all, stride, values);
    double own = covariance_own(covariance);
    *variance = fmax(own - linalg_dot(values, values, all), 1e-12 * own);
    linalg_solve_transposed(posterior->factor, all, stride, values);
    for (uint32_t d = 0; d < posterior->z.dimension; d++) {
        covariance_slopes_along(covariance, &posterior->z, all, d, z[d], slopes, NULL, along);
        sum_gradient(posterior, d, z[d], along, values, &mean_gradient[d], &variance_gradient[d]);
        double factor = 2 * covariance->weight[d] * covariance_stretch(covariance, d, x[d]);
        mean_gradient[d] = mean_gradient[d] != 0 ? mean_gradient[d] * factor : 0;
        variance_gradient[d] = variance_gradient[d] != 0 ? variance_gradient[d] * factor : 0;
    }
}
