/* The distribution of CMA-ES; see cmaes_normal.h. */
#include "search/simple/cmaes_normal.h"
#include "common/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this step hardly a draw is one that no trial has had (history/visited.h); beyond this condition rounding errors
 * take over. */
static const double least_step = 1e-6, most_condition = 1e7;

/* --- making one --- */

/* (49)-(53) without the negative weights, which points from elsewhere could abuse. */
static void set_weights(struct normal *normal)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < normal->mu; i++) {
        normal->weights[i] = log((normal->lambda + 1) / 2.0) - log(i + 1);
        sum += normal->weights[i];
    }
    for (uint32_t i = 0; i < normal->mu; i++) {
        normal->weights[i] /= sum;
        squares += normal->weights[i] * normal->weights[i];
    }
    normal->mu_eff = 1 / squares;
}

/* (55)-(58); a diagonal has fewer numbers to learn and learns them faster (Ros, Hansen, section 3). */
static void set_rates(struct normal *normal)
{
    double n = fmax(normal->n, 1), mu_eff = normal->mu_eff, faster = normal->full ? 1 : (n + 2) / 3;
    normal->c_sigma = (mu_eff + 2) / (n + mu_eff + 5);
    normal->d_sigma = 1 + 2 * fmax(0, sqrt((mu_eff - 1) / (n + 1)) - 1) + normal->c_sigma;
    normal->c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n);
    normal->c_1 = fmin(1, faster * 2 / ((n + 1.3) * (n + 1.3) + mu_eff));
    normal->c_mu = fmin(1 - normal->c_1, faster * 2 * (.25 + mu_eff + 1 / mu_eff - 2) / ((n + 2) * (n + 2) + mu_eff));
    normal->expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

void normal_init(struct normal *normal, uint32_t n, uint32_t lambda, const double *mean, double sigma)
{
    *normal = (struct normal){.n = n, .lambda = lambda, .mu = lambda / 2, .full = n <= NORMAL_MOST_FULL};
    normal->weights = MEM_ARRAY(double, normal->mu);
    normal->mean = MEM_ARRAY(double, n);
    normal->path_sigma = MEM_ARRAY(double, n);
    normal->path_c = MEM_ARRAY(double, n);
    normal->lengths = MEM_ARRAY(double, n);
    normal->factor = MEM_ARRAY(double, n);
    normal->cov = MEM_ARRAY(double, normal->full ? (size_t)n *n : n);
    normal->axes = MEM_ARRAY(double, normal->full ? (size_t)n *n : 0);
    normal->sigma = sigma;
    for (uint32_t i = 0; i < n; i++) {
        size_t diagonal = normal->full ? (size_t)i * n + i : i;
        normal->mean[i] = mean[i];
        normal->cov[diagonal] = normal->lengths[i] = normal->factor[i] = 1;
        if (normal->full)
            normal->axes[diagonal] = 1;
    }
    set_weights(normal);
    set_rates(normal);
}

void normal_fini(struct normal *normal)
{
    free(normal->weights);
    free(normal->mean);
    free(normal->path_sigma);
    free(normal->path_c);
    free(normal->lengths);
    free(normal->factor);
    free(normal->cov);
    free(normal->axes);
    *normal = (struct normal){0};
}

/* --- drawing --- */

/* y becomes B D z: of the covariance C. */
static void stretch(const struct normal *normal, const double *z, double *y)
{
    uint32_t n = normal->n;
    for (uint32_t i = 0; i < n; i++) {
        y[i] = normal->full ? 0 : normal->lengths[i] * z[i];
        for (uint32_t j = 0; j < n && normal->full; j++)
            y[i] += normal->axes[(size_t)i * n + j] * normal->lengths[j] * z[j];
    }
}

/* z becomes C^-1/2 y = B D^-1 B' y; `turned` is room for n. */
static void whiten(const struct normal *normal, const double *y, double *z, double *turned)
{
    uint32_t n = normal->n;
    for (uint32_t i = 0; i < n && !normal->full; i++)
        z[i] = y[i] / normal->lengths[i];
    if (!normal->full)
        return;
    for (uint32_t j = 0; j < n; j++) {
        turned[j] = 0;
        for (uint32_t i = 0; i < n; i++)
            turned[j] += normal->axes[(size_t)i * n + j] * y[i];
        turned[j] /= normal->lengths[j];
    }
    for (uint32_t i = 0; i < n; i++) {
        z[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            z[i] += normal->axes[(size_t)i * n + j] * turned[j];
    }
}

void normal_draw(const struct normal *normal, struct rng *rng, double *x)
{
    double *z = MEM_ARRAY(double, normal->n);
    for (uint32_t i = 0; i < normal->n; i++)
        z[i] = rng_normal(rng);
    stretch(normal, z, x);
    for (uint32_t i = 0; i < normal->n; i++)
        x[i] = normal->mean[i] + normal->sigma * normal->factor[i] * x[i];
    free(z);
}

double normal_stddev(const struct normal *normal, uint32_t i)
{
    double variance = normal->cov[normal->full ? (size_t)i * normal->n + i : i];
    return normal->sigma * normal->factor[i] * sqrt(variance);
}

/* --- learning --- */

static double length_of(const double *z, uint32_t n)
{
    double squares = 0;
    for (uint32_t i = 0; i < n; i++)
        squares += z[i] * z[i];
    return sqrt(squares);
}

/* The steps y that lead from the mean to the points, in units of the step size, none longer than is likely. */
static void find_steps(const struct normal *normal, const double *const *best, double *steps, double *capacity)
{
    uint32_t n = normal->n;
    double longest = sqrt(n) + 2.0 * n / (n + 2.0);
    for (uint32_t k = 0; k < normal->mu; k++) {
        double *y = steps + (size_t)k * n;
        for (uint32_t i = 0; i < n; i++)
            y[i] = (best[k][i] - normal->mean[i]) / (normal->sigma * normal->factor[i]);
        whiten(normal, y, capacity, capacity + n);
        double length = length_of(capacity, n);
        for (uint32_t i = 0; i < n && length > longest; i++)
            y[i] *= longest / length;
    }
}

/* The paths, (43) and (45). Returns h_sigma: 0 while the step size grows so fast that C must not. */
static double walk_paths(struct normal *normal, const double *step, double *capacity)
{
    uint32_t n = normal->n;
    double keep = 1 - normal->c_sigma, gain = sqrt(normal->c_sigma * (2 - normal->c_sigma) * normal->mu_eff);
    whiten(normal, step, capacity, capacity + n);
    for (uint32_t i = 0; i < n; i++)
        normal->path_sigma[i] = keep * normal->path_sigma[i] + gain * capacity[i];
    double length = length_of(normal->path_sigma, n);
    double settled = length / sqrt(1 - pow(keep, 2 * (double)normal->generations));
    double h_sigma = settled < (1.4 + 2 / (n + 1.0)) * normal->expected ? 1 : 0;
    double gain_c = h_sigma * sqrt(normal->c_c * (2 - normal->c_c) * normal->mu_eff);
    for (uint32_t i = 0; i < n; i++)
        normal->path_c[i] = (1 - normal->c_c) * normal->path_c[i] + gain_c * step[i];
    /* (44); no more than a factor e a generation */
    normal->sigma *= exp(fmin(1, normal->c_sigma / normal->d_sigma * (length / normal->expected - 1)));
    return h_sigma;
}

/* One entry of C, (47). */
static double learned_entry(const struct normal *normal, double old, const double *steps, uint32_t i, uint32_t j,
                            double keep)
{
    double sum = 0;
    for (uint32_t k = 0; k < normal->mu; k++)
        sum += normal->weights[k] * steps[(size_t)k * normal->n + i] * steps[(size_t)k * normal->n + j];
    return keep * old + normal->c_1 * normal->path_c[i] * normal->path_c[j] + normal->c_mu * sum;
}

static void learn_covariance(struct normal *normal, const double *steps, double h_sigma)
{
    uint32_t n = normal->n;
    double keep = 1 - normal->c_1 - normal->c_mu + (1 - h_sigma) * normal->c_1 * normal->c_c * (2 - normal->c_c);
    for (uint32_t i = 0; i < n && !normal->full; i++)
        normal->cov[i] = learned_entry(normal, normal->cov[i], steps, i, i, keep);
    for (uint32_t i = 0; i < n && normal->full; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double *entry = &normal->cov[(size_t)i * n + j];
            *entry = normal->cov[(size_t)j * n + i] = learned_entry(normal, *entry, steps, i, j, keep);
        }
}

/* C = B D^2 B'. What rounding made negative becomes very short. */
static void decompose(struct normal *normal)
{
    uint32_t n = normal->n;
    if (normal->full) {
        double *copy = MEM_ARRAY(double, (size_t)n *n);
        memcpy(copy, normal->cov, (size_t)n * n * sizeof *copy);
        gsl_matrix_view c = gsl_matrix_view_array(copy, n, n), b = gsl_matrix_view_array(normal->axes, n, n);
        gsl_vector_view d = gsl_vector_view_array(normal->lengths, n);
        gsl_eigen_symmv_workspace *capacity = gsl_eigen_symmv_alloc(n);
        gsl_eigen_symmv(&c.matrix, &d.vector, &b.matrix, capacity);
        gsl_eigen_symmv_free(capacity);
        free(copy);
    }
    for (uint32_t i = 0; i < n; i++)
        normal->lengths[i] = sqrt(fmax(normal->full ? normal->lengths[i] : normal->cov[i], 1e-20));
}

void normal_learn(struct normal *normal, const double *const *best)
{
    uint32_t n = normal->n;
    normal->generations++;
    if (!n)
        return;
    double *steps = MEM_ARRAY(double, (size_t)normal->mu *n), *step = MEM_ARRAY(double, n);
    double *capacity = MEM_ARRAY(double, 2 * (size_t)n);
    find_steps(normal, best, steps, capacity);
    for (uint32_t k = 0; k < normal->mu; k++)
        for (uint32_t i = 0; i < n; i++)
            step[i] += normal->weights[k] * steps[(size_t)k * n + i];
    for (uint32_t i = 0; i < n; i++)
        normal->mean[i] += normal->sigma * normal->factor[i] * step[i];
    learn_covariance(normal, steps, walk_paths(normal, step, capacity));
    decompose(normal);
    free(steps);
    free(step);
    free(capacity);
}

bool normal_is_done(const struct normal *normal)
{
    double shortest = INFINITY, longest = 0;
    for (uint32_t i = 0; i < normal->n; i++) {
        shortest = fmin(shortest, normal->lengths[i]);
        longest = fmax(longest, normal->lengths[i]);
    }
    return normal->n && (normal->sigma * longest < least_step || longest > most_condition * shortest);
}

/* --- the margin: equations of its paper, section 4 --- */

/* At an end the mean comes as close to the only threshold as the margin needs, (12)-(13). */
static void keep_at_end(struct normal *normal, uint32_t i, double threshold, double alpha)
{
    double reach = normal_stddev(normal, i) * gsl_cdf_ugaussian_Qinv(alpha), distance = normal->mean[i] - threshold;
    if (fabs(distance) > reach)
        normal->mean[i] = threshold + copysign(reach, distance);
}

/* Both tails get alpha / 2 or more, and what was added is taken from the others in proportion, (16)-(20). */
static void correct_tails(double *low, double *high, double alpha)
{
    double least = alpha / 2, middle = fmax(1 - *low - *high, least), a = fmax(*low, least), b = fmax(*high, least);
    double violation = 1 - a - b - middle, spare = a + b + middle - 3 * least;
    if (spare <= 0)
        return;
    *low = a + violation / spare * (a - least);
    *high = b + violation / spare * (b - least);
}

void margin_keep(struct normal *normal, uint32_t i, double below, double above, double alpha)
{
    if (isinf(below) || isinf(above)) {
        if (isfinite(below) || isfinite(above))
            keep_at_end(normal, i, isinf(below) ? above : below, alpha);
        return;
    }
    double stddev = normal_stddev(normal, i), mean = normal->mean[i];
    double low = gsl_cdf_ugaussian_P((below - mean) / stddev), high = gsl_cdf_ugaussian_Q((above - mean) / stddev);
    if (low >= alpha / 2 && high >= alpha / 2)
        return;
    correct_tails(&low, &high, alpha);
    /* The mean and the width of the normal distribution that has these tails, (21)-(22). */
    double down = gsl_cdf_ugaussian_Qinv(low), up = gsl_cdf_ugaussian_Qinv(high);
    normal->mean[i] = (below * up + above * down) / (down + up);
    normal->factor[i] *= (above - below) / (down + up) / stddev;
}
