/* The posterior density of theta and its maximum; see fit.h. */
#include "search/gp/fit.h"
#include "search/gp/linalg.h"
#include "search/gp/minimize.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVALUATIONS = 60 }; /* most fits end before 30 */

/* A normal prior of a logarithm, with the bounds that keep the arithmetic sound. */
struct prior {
    double mean, spread, low, high;
};

static const struct prior length_prior = {-1.2, 1.2, -4.0, 5.0}; /* in one dimension; see prior_of */
static const struct prior nominal_prior = {0.3, 1.0, -3.0, 4.0};
static const struct prior signal_prior = {0.0, 1.0, -4.0, 4.0};
static const struct prior noise_prior = {-6.0, 2.0, -13.0, 0.7};
static const struct prior warp_prior = {0.0, 0.4, -1.5, 1.5};

static struct prior prior_of(const struct domain *domain, uint32_t i)
{
    uint32_t dimension = domain->width;
    if (i == covariance_signal(dimension))
        return signal_prior;
    if (i == covariance_noise(dimension))
        return noise_prior;
    if (i > covariance_noise(dimension))
        return warp_prior;
    struct prior prior = domain->axes[i].nominal ? nominal_prior : length_prior;
    prior.mean += 0.5 * log(dimension);
    return prior;
}

/* Room for one evaluation, kept from one to the next. */
struct work {
    const struct fit_data *data;
    uint32_t n, dimension;
    struct covariance covariance;
    struct cloud z; /* the points, warped */
    double *matrix; /* n x n: the covariance, its factor, its inverse */
    double *slopes; /* n x n: derivatives of the covariance by r^2, then of the value by r^2 */
    double *values; /* n x n: the covariance without noise */
    double *alpha;  /* n: inverse covariance times values */
    double *row;    /* n */
};

static void work_init(struct work *work, const struct fit_data *data)
{
    uint32_t n = data->points->count, dimension = data->domain->width;
    size_t square = (size_t)n * n;
    *work = (struct work){.data = data, .n = n, .dimension = dimension};
    covariance_init(&work->covariance, data->domain, data->warped);
    cloud_init(&work->z, dimension, n);
    work->matrix = mem_aligned(3 * square + 2 * n, sizeof(double));
    work->slopes = work->matrix + square;
    work->values = work->slopes + square;
    work->alpha = work->values + square;
    work->row = work->alpha + n;
}

static void work_fini(struct work *work)
{
    covariance_fini(&work->covariance);
    cloud_fini(&work->z);
    free(work->matrix);
}

static void place_points(struct work *work)
{
    double *point = MEM_ARRAY(double, work->dimension);
    work->z.count = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        cloud_get(work->data->points, i, point);
        covariance_place(&work->covariance, point, point);
        cloud_add(&work->z, point);
    }
    free(point);
}

/* Lower triangles of the covariance, with and without noise, and of the slopes. */
static void fill_matrix(struct work *work)
{
    const struct covariance *covariance = &work->covariance;
    double *point = MEM_ARRAY(double, work->dimension);
    for (uint32_t i = 0; i < work->n; i++) {
        size_t at = (size_t)i * work->n;
        cloud_get(&work->z, i, point);
        covariance_distances(covariance, &work->z, i, point, work->row);
        covariance_slopes(covariance, work->row, i, work->values + at, work->slopes + at);
        memcpy(work->matrix + at, work->values + at, i * sizeof(double));
        work->values[at + i] = covariance->signal + covariance->offset;
        work->matrix[at + i] =
            work->values[at + i] + covariance->noise + (work->data->doubt ? work->data->doubt[i] : 0);
    }
    free(point);
}

/* Turns the slopes into derivatives of the value by each r^2, i > j:
 *
 *     value = 1/2 y' K^-1 y + 1/2 log |K|,   d value = 1/2 trace((K^-1 - alpha alpha') dK)
 *
 * (Rasmussen, Williams, equation 5.9), and adds what the signal and the noise do. */
static void weigh_slopes(struct work *work, double *gradient)
{
    double by_signal = 0, by_noise = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        size_t at = (size_t)i * work->n;
        for (uint32_t j = 0; j < i; j++) {
            double weight = work->matrix[at + j] - work->alpha[i] * work->alpha[j];
            by_signal += weight * (work->values[at + j] - work->covariance.offset);
            work->slopes[at + j] *= weight;
        }
        double weight = work->matrix[at + i] - work->alpha[i] * work->alpha[i];
        by_signal += 0.5 * weight * work->covariance.signal;
        by_noise += 0.5 * weight * work->covariance.noise;
    }
    gradient[covariance_signal(work->dimension)] = by_signal;
    gradient[covariance_noise(work->dimension)] = by_noise;
}

static double sum_plain(const double *slopes, const double *x, uint32_t count)
{
    double sum = 0, here = x[count];
#pragma omp simd reduction(+ : sum)
    for (uint32_t j = 0; j < count; j++)
        sum += slopes[j] * (x[j] - here) * (x[j] - here);
    return sum;
}

/* d r^2 / d log length = -2 weight difference^2. */
static void by_lengths(const struct work *work, double *gradient)
{
    for (uint32_t d = 0; d < work->dimension; d++) {
        const struct axis *axis = &work->data->domain->axes[d];
        const double *x = work->z.x + (size_t)d * work->z.room;
        double sum = 0;
        for (uint32_t i = 0; i < work->n; i++) {
            const double *slopes = work->slopes + (size_t)i * work->n;
            if (!axis->nominal && !axis->conditional) {
                sum += sum_plain(slopes, x, i);
                continue;
            }
            for (uint32_t j = 0; j < i; j++)
                sum += slopes[j] * covariance_square(axis, x[i], x[j]);
        }
        gradient[d] = -2 * work->covariance.weight[d] * sum;
    }
}

/* The derivatives of 1 - (1 - x^a)^b by log a and log b. */
static void warp_slopes(double x, double a, double b, double *by_a, double *by_b)
{
    *by_a = *by_b = 0;
    if (!(x > 0 && x < 1))
        return;
    double power = pow(x, a), rest = 1 - power;
    *by_a = a * b * pow(rest, b - 1) * power * log(x);
    *by_b = -b * pow(rest, b) * log(rest);
}

/* d r^2 = 2 weight (z_i - z_j) (dz_i - dz_j): for each point the pull of all others is summed first. */
static void by_warps(const struct work *work, double *gradient)
{
    const struct domain *domain = work->data->domain;
    double *pull = MEM_ARRAY(double, work->n);
    for (uint32_t d = 0; d < work->dimension; d++) {
        double *out = gradient + covariance_warp(work->dimension) + 2 * d;
        const double *z = work->z.x + (size_t)d * work->z.room,
                     *x = work->data->points->x + (size_t)d * work->data->points->room;
        out[0] = out[1] = 0;
        if (domain->axes[d].nominal)
            continue;
        memset(pull, 0, work->n * sizeof *pull);
        for (uint32_t i = 0; i < work->n; i++)
            for (uint32_t j = 0; j < i; j++) {
                double force = work->slopes[(size_t)i * work->n + j] * (z[i] - z[j]);
                if (force != force) /* inactive at one of them: the distance is fixed */
                    continue;
                pull[i] += force;
                pull[j] -= force;
            }
        for (uint32_t i = 0; i < work->n; i++) {
            double by_a, by_b;
            warp_slopes(x[i], work->covariance.a[d], work->covariance.b[d], &by_a, &by_b);
            out[0] += 2 * work->covariance.weight[d] * pull[i] * by_a;
            out[1] += 2 * work->covariance.weight[d] * pull[i] * by_b;
        }
    }
    free(pull);
}

static double add_priors(const struct work *work, const double *theta, double *gradient)
{
    double sum = 0;
    for (uint32_t i = 0; i < covariance_size(work->dimension, work->data->warped); i++) {
        struct prior prior = prior_of(work->data->domain, i);
        double off = (theta[i] - prior.mean) / prior.spread;
        sum += 0.5 * off * off;
        if (gradient)
            gradient[i] += off / prior.spread;
    }
    return sum;
}

static double evaluate(void *context, const double *theta, double *gradient)
{
    struct work *work = context;
    covariance_set(&work->covariance, theta);
    place_points(work);
    fill_matrix(work);
    if (!linalg_factor(work->matrix, work->n, work->n))
        return INFINITY;
    memcpy(work->alpha, work->data->values, work->n * sizeof(double));
    linalg_solve(work->matrix, work->n, work->n, work->alpha);
    double value = 0.5 * linalg_dot(work->alpha, work->alpha, work->n);
    for (uint32_t i = 0; i < work->n; i++)
        value += log(work->matrix[(size_t)i * work->n + i]);
    if (gradient) {
        linalg_solve_transposed(work->matrix, work->n, work->n, work->alpha);
        linalg_invert(work->matrix, work->n, work->n);
        weigh_slopes(work, gradient);
        by_lengths(work, gradient);
        if (work->data->warped)
            by_warps(work, gradient);
    }
    return value + add_priors(work, theta, gradient);
}

double fit_value(const struct fit_data *data, const double *theta, double *gradient)
{
    struct work work;
    work_init(&work, data);
    double value = evaluate(&work, theta, gradient);
    work_fini(&work);
    return value;
}

double fit(const struct fit_data *data, double *theta)
{
    uint32_t size = covariance_size(data->domain->width, data->warped);
    struct work work;
    work_init(&work, data);
    double *low = MEM_ARRAY(double, 2 * (size_t)size), *high = low + size;
    for (uint32_t i = 0; i < size; i++) {
        struct prior prior = prior_of(data->domain, i);
        theta[i] = prior.mean;
        low[i] = prior.low;
        high[i] = prior.high;
    }
    struct minimize problem = {evaluate, &work, size, low, high, MOST_EVALUATIONS, 1e-3};
    double value = minimize(&problem, theta);
    free(low);
    work_fini(&work);
    return value;
}
