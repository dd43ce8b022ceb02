/* The posterior density of theta and its maximum; see fit.h. */
#include "search/gp/fit.h"
#include "search/gp/linalg.h"
#include "search/gp/minimize.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_EVALUATIONS = 60, /* most fits end before 30 */
    MOST_KEPT =
        1 << 20 /* numbers, 8 MiB: 300 points in 23 coordinates; more would be fetched no faster than computed */
};

static const struct log_prior length_prior = {-1.2, 1.2, -4.0, 5.0}; /* in one dimension; see fit_prior */
static const struct log_prior nominal_prior = {0.3, 1.0, -3.0, 4.0};
static const struct log_prior signal_prior = {0.0, 1.0, -4.0, 4.0};
static const struct log_prior main_prior = {-0.7, 1.0, -6.0, 3.0};
static const struct log_prior noise_prior = {-6.0, 2.0, -13.0, 0.7};
static const struct log_prior warp_prior = {0.0, 0.4, -1.5, 1.5};

struct log_prior fit_prior(const struct gp_domain *domain, uint32_t i)
{
    uint32_t dimension = domain->width;
    if (i == covariance_signal(dimension))
        return signal_prior;
    if (i == covariance_noise(dimension))
        return noise_prior;
    if (i == covariance_main(dimension))
        return main_prior;
    if (i > covariance_main(dimension))
        return warp_prior;
    struct log_prior prior = domain->axes[i].nominal ? nominal_prior : length_prior;
    prior.mean += 0.5 * log(dimension);
    return prior;
}

/* Room for one evaluation, kept from one to the next. */
struct fit_work {
    const struct fit_data *data;
    uint32_t n, dimension;
    struct covariance covariance;
    struct design z; /* the points, warped */
    double *matrix;  /* n x n: the covariance, its factor, its inverse, then derivatives of the value by each of its
                        entries */
    double *joint;   /* n x n: the part of all coordinates together */
    double *slopes;  /* n x n: its derivatives by r^2 */
    double *mains;   /* n x n: the main effects, then derivatives of the value by r_d^2 for one d after the other */
    double *kept;    /* D x n(n-1)/2: what the slopes of the main effects have in common with them; NULL: too much */
    double *alpha;   /* n: inverse covariance times values */
    double *row;     /* n */
};

/* Entries below the diagonal of the first n rows. */
static size_t triangle(uint32_t n)
{
    return n ? (size_t)n * (n - 1) / 2 : 0;
}

static void work_init(struct fit_work *work, const struct fit_data *data)
{
    uint32_t n = data->points->count, dimension = data->domain->width;
    size_t square = (size_t)n * n;
    *work = (struct fit_work){.data = data, .n = n, .dimension = dimension};
    covariance_init(&work->covariance, data->domain, data->warped);
    design_init(&work->z, dimension, n);
    work->matrix = mem_aligned(4 * square + 2 * n, sizeof(double));
    work->joint = work->matrix + square;
    work->slopes = work->joint + square;
    work->mains = work->slopes + square;
    work->alpha = work->mains + square;
    work->row = work->alpha + n;
    if (triangle(n) * dimension <= MOST_KEPT)
        work->kept = mem_aligned(triangle(n) * dimension + 1, sizeof(double));
}

static void work_fini(struct fit_work *work)
{
    covariance_fini(&work->covariance);
    design_fini(&work->z);
    free(work->matrix);
    free(work->kept);
}

static void place_points(struct fit_work *work)
{
    double *point = MEM_ARRAY(double, work->dimension);
    work->z.count = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        design_get(work->data->points, i, point);
        covariance_place(&work->covariance, point, point);
        design_add(&work->z, point);
    }
    free(point);
}

/* Lower triangles of the covariance, of its parts and of the slopes; of the parts without the diagonal. */
static void fill_matrix(struct fit_work *work)
{
    const struct covariance *covariance = &work->covariance;
    double *point = MEM_ARRAY(double, work->dimension);
    for (uint32_t i = 0; i < work->n; i++) {
        size_t at = (size_t)i * work->n;
        design_get(&work->z, i, point);
        covariance_distances(covariance, &work->z, i, point, work->row);
        covariance_joint(covariance, work->row, i, work->joint + at, work->slopes + at);
        memset(work->mains + at, 0, i * sizeof(double));
        covariance_add_main(covariance, &work->z, i, point, work->kept ? work->kept + triangle(i) : NULL,
                            triangle(work->n), work->mains + at);
        for (uint32_t j = 0; j < i; j++)
            work->matrix[at + j] = work->joint[at + j] + work->mains[at + j] + covariance->offset;
        work->matrix[at + i] =
            covariance_own(covariance) + covariance->noise + (work->data->extra_noise ? work->data->extra_noise[i] : 0);
    }
    free(point);
}

/* Turns the inverse into derivatives of the value by each entry of the covariance, i > j:
 *
 *     value = 1/2 y' K^-1 y + 1/2 log |K|,   d value = 1/2 trace((K^-1 - alpha alpha') dK)
 *
 * (Rasmussen, Williams, equation 5.9), and adds up what the signals and the noise do. */
static void weigh_entries(struct fit_work *work, double *gradient)
{
    const struct covariance *covariance = &work->covariance;
    double by_signal = 0, by_main = 0, by_own = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        double *weights = work->matrix + (size_t)i * work->n;
        const double *joint = work->joint + (size_t)i * work->n, *mains = work->mains + (size_t)i * work->n;
        for (uint32_t j = 0; j < i; j++) {
            weights[j] -= work->alpha[i] * work->alpha[j];
            by_signal += weights[j] * joint[j];
            by_main += weights[j] * mains[j];
        }
        by_own += 0.5 * (weights[i] - work->alpha[i] * work->alpha[i]);
    }
    gradient[covariance_signal(work->dimension)] = by_signal + by_own * covariance->signal;
    gradient[covariance_noise(work->dimension)] = by_own * covariance->noise;
    gradient[covariance_main(work->dimension)] = by_main + by_own * covariance->main;
}

/* Derivatives of the value by each r_d^2, into work->mains. */
static void weigh_slopes(struct fit_work *work, uint32_t d)
{
    const double *z = work->z.x + (size_t)d * work->z.capacity;
    for (uint32_t i = 1; i < work->n; i++) {
        size_t at = (size_t)i * work->n;
        const double *kept = work->kept ? work->kept + d * triangle(work->n) + triangle(i) : NULL;
        covariance_slopes_along(&work->covariance, &work->z, i, d, z[i], work->slopes + at, kept, work->mains + at);
        for (uint32_t j = 0; j < i; j++)
            work->mains[at + j] *= work->matrix[at + j];
    }
}

static double sum_plain(const double *slopes, const double *x, uint32_t count)
{
    double sum = 0, here = x[count];
#pragma omp simd reduction(+ : sum)
    for (uint32_t j = 0; j < count; j++)
        sum += slopes[j] * (x[j] - here) * (x[j] - here);
    return sum;
}

/* d r_d^2 / d log length_d = -2 r_d^2. */
static double by_length(const struct fit_work *work, uint32_t d)
{
    const struct domain_axis *axis = &work->data->domain->axes[d];
    const double *x = work->z.x + (size_t)d * work->z.capacity;
    double sum = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        const double *slopes = work->mains + (size_t)i * work->n;
        if (!axis->nominal && !axis->conditional) {
            sum += sum_plain(slopes, x, i);
            continue;
        }
        for (uint32_t j = 0; j < i; j++)
            sum += slopes[j] * covariance_square(axis, x[i], x[j]);
    }
    return -2 * work->covariance.weight[d] * sum;
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

/* d r_d^2 = 2 weight (z_i - z_j) (dz_i - dz_j): for each point the pull of all others is summed first. */
static void by_warp(const struct fit_work *work, uint32_t d, double *gradient)
{
    double *pull = MEM_ARRAY(double, work->n);
    const double *z = work->z.x + (size_t)d * work->z.capacity,
                 *x = work->data->points->x + (size_t)d * work->data->points->capacity;
    for (uint32_t i = 0; i < work->n; i++)
        for (uint32_t j = 0; j < i; j++) {
            double force = work->mains[(size_t)i * work->n + j] * (z[i] - z[j]);
            if (force != force) /* inactive at one of them: the distance is fixed */
                continue;
            pull[i] += force;
            pull[j] -= force;
        }
    gradient[0] = gradient[1] = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        double by_a, by_b;
        warp_slopes(x[i], work->covariance.a[d], work->covariance.b[d], &by_a, &by_b);
        gradient[0] += 2 * work->covariance.weight[d] * pull[i] * by_a;
        gradient[1] += 2 * work->covariance.weight[d] * pull[i] * by_b;
    }
    free(pull);
}

/* What the lengths and the warps do. */
static void by_coordinates(struct fit_work *work, double *gradient)
{
    for (uint32_t d = 0; d < work->dimension; d++) {
        double *warps = gradient + covariance_warp(work->dimension) + 2 * d;
        weigh_slopes(work, d);
        gradient[d] = by_length(work, d);
        if (work->data->warped && work->data->domain->axes[d].nominal)
            warps[0] = warps[1] = 0;
        else if (work->data->warped)
            by_warp(work, d, warps);
    }
}

static double add_priors(const struct fit_work *work, const double *theta, double *gradient)
{
    double sum = 0;
    for (uint32_t i = 0; i < covariance_size(work->dimension, work->data->warped); i++) {
        struct log_prior prior = fit_prior(work->data->domain, i);
        double off = (theta[i] - prior.mean) / prior.spread;
        sum += 0.5 * off * off;
        if (gradient)
            gradient[i] += off / prior.spread;
    }
    return sum;
}

static double evaluate_density(void *context, const double *theta, double *gradient)
{
    struct fit_work *work = context;
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
        weigh_entries(work, gradient);
        by_coordinates(work, gradient);
    }
    return value + add_priors(work, theta, gradient);
}

double fit_value(const struct fit_data *data, const double *theta, double *gradient)
{
    struct fit_work work;
    work_init(&work, data);
    double value = evaluate_density(&work, theta, gradient);
    work_fini(&work);
    return value;
}

double fit(const struct fit_data *data, double *theta)
{
    uint32_t size = covariance_size(data->domain->width, data->warped);
    struct fit_work work;
    work_init(&work, data);
    double *low = MEM_ARRAY(double, 2 * (size_t)size), *high = low + size;
    for (uint32_t i = 0; i < size; i++) {
        struct log_prior prior = fit_prior(data->domain, i);
        theta[i] = prior.mean;
        low[i] = prior.low;
        high[i] = prior.high;
    }
    struct minimize problem = {evaluate_density, &work, size, low, high, MOST_EVALUATIONS, 1e-3};
    double value = minimize(&problem, theta);
    free(low);
    work_fini(&work);
    return value;
}
