/* Acquisition functions; see acquisition.h. (Expected improvement: Jones, Schonlau, Welch: "Efficient global
 * optimization of expensive black-box functions", 1998. Its logarithm: Ament et al.: "Unexpected improvements to
 * expected improvement for Bayesian optimization", NeurIPS 2023. Scalarised bounds: Paria, Kandasamy, Poczos: "A
 * flexible framework for multi-objective Bayesian optimization using random scalarizations", UAI 2019.)
 *
 * Every score is a function of means and variances; what it is at a point, and how it changes with each of them, is
 * worked out by score_of(), for many points and for gradients alike. */
#include "search/gp/acquisition.h"
#include "search/pareto/ehvi.h"
#include "common/mem.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_erf.h>
#include <math.h>
#include <stdlib.h>

/* log(sqrt(2 pi)) */
#define LOG_ROOT_2PI 0.91893853320467274178

enum { PARTS = 2 * ACQUISITION_MOST + 1 }; /* objectives, chances, cost */

/* What all processes say about a point, objectives first, then chances, then the cost. */
struct belief {
    double mean[PARTS], variance[PARTS];
    double by_mean[PARTS], by_variance[PARTS]; /* how the score changes with them */
};

/* For z < 0, with m = Phi(z) / phi(z) (Mills' ratio at -z): phi + z Phi = phi (1 + z m). Far out 1 + z m is a
 * difference of nearly equal numbers, and Laplace's series 1/z^2 - 3/z^4 + 15/z^6 - 105/z^8 is exact enough. */
double acquisition_log_improvement(double z, double *slope)
{
    if (z > -1) {
        double density = gsl_ran_ugaussian_pdf(z), below = 0.5 * erfc(-z * M_SQRT1_2), value = density + z * below;
        if (slope)
            *slope = below / value;
        return log(value);
    }
    double mills = 1 / gsl_sf_hazard(-z), square = 1 / (z * z);
    double rest = z > -40 ? 1 + z * mills : square * (1 - square * (3 - square * (15 - square * 105)));
    if (slope)
        *slope = mills / rest;
    return -0.5 * z * z - LOG_ROOT_2PI + log(rest);
}

double acquisition_log_chance(double z, double *slope)
{
    if (z > -1) {
        double below = 0.5 * erfc(-z * M_SQRT1_2);
        if (slope)
            *slope = gsl_ran_ugaussian_pdf(z) / below;
        return log(below);
    }
    double hazard = gsl_sf_hazard(-z);
    if (slope)
        *slope = hazard;
    return -0.5 * z * z - LOG_ROOT_2PI - log(hazard);
}

static double score_improvement(const struct acquisition *acquisition, struct belief *belief)
{
    double variance = belief->variance[0], deviation = sqrt(variance), slope;
    double z = (acquisition->best - belief->mean[0]) / deviation;
    double score = log(deviation) + acquisition_log_improvement(z, &slope);
    belief->by_mean[0] = -slope / deviation;
    belief->by_variance[0] = (1 - slope * z) / (2 * variance);
    return score;
}

/* The augmented Chebyshev function of the bounds, negated. The greatest term and the sum have a slope each. */
static double score_bound(const struct acquisition *acquisition, struct belief *belief)
{
    uint32_t greatest = 0;
    double worst = -INFINITY, sum = 0;
    for (uint32_t k = 0; k < acquisition->objectives; k++) {
        double bound = belief->mean[k] - acquisition->kappa * sqrt(belief->variance[k]);
        double term = acquisition->weights[k] * (bound - acquisition->low[k]);
        belief->by_mean[k] = -0.05 * acquisition->weights[k];
        sum += 0.05 * term;
        if (term > worst) {
            worst = term;
            greatest = k;
        }
    }
    belief->by_mean[greatest] -= acquisition->weights[greatest];
    for (uint32_t k = 0; k < acquisition->objectives; k++)
        belief->by_variance[k] = -belief->by_mean[k] * acquisition->kappa * 0.5 / sqrt(belief->variance[k]);
    return -worst - sum;
}

static double score_volume(const struct acquisition *acquisition, struct belief *belief)
{
    double deviation[2] = {sqrt(belief->variance[0]), sqrt(belief->variance[1])}, gradient[4];
    double volume = ehvi_expect(acquisition->front, acquisition->front_count, acquisition->reference, belief->mean,
                                deviation, gradient);
    double floor = fmax(volume, 1e-200); /* where nothing is expected at all, no direction is better */
    for (uint32_t k = 0; k < 2; k++) {
        belief->by_mean[k] = gradient[k] / floor;
        belief->by_variance[k] = gradient[2 + k] / floor * 0.5 / deviation[k];
    }
    return log(floor);
}

static double score_chance(const struct acquisition *acquisition, struct belief *belief, uint32_t i)
{
    uint32_t part = acquisition->objectives + i;
    double width = sqrt(acquisition->blur[i] + belief->variance[part]), slope;
    double score = acquisition_log_chance(belief->mean[part] / width, &slope);
    belief->by_mean[part] = slope / width;
    belief->by_variance[part] = -0.5 * slope * belief->mean[part] / (width * width * width);
    return score;
}

static double score_objectives(const struct acquisition *acquisition, struct belief *belief)
{
    switch (acquisition->kind) {
    case ACQUISITION_IMPROVEMENT:
        return score_improvement(acquisition, belief);
    case ACQUISITION_BOUND:
        return score_bound(acquisition, belief);
    case ACQUISITION_VOLUME:
        return score_volume(acquisition, belief);
    case ACQUISITION_FEASIBLE:
        for (uint32_t k = 0; k < acquisition->objectives; k++)
            belief->by_mean[k] = belief->by_variance[k] = 0;
        return 0;
    }
    return 0;
}

/* Improvement for each unit of cost: the logarithm of the cost is taken away. */
static double score_of(const struct acquisition *acquisition, struct belief *belief)
{
    double score = score_objectives(acquisition, belief);
    for (uint32_t i = 0; i < acquisition->chances; i++)
        score += score_chance(acquisition, belief, i);
    if (acquisition->cost) {
        uint32_t part = acquisition->objectives + acquisition->chances;
        belief->by_mean[part] = -acquisition->cost_scale;
        belief->by_variance[part] = 0;
        score -= acquisition->cost_scale * belief->mean[part];
    }
    return score;
}

/* --- all processes --- */

static uint32_t part_count(const struct acquisition *acquisition)
{
    return acquisition->objectives + acquisition->chances + (acquisition->cost ? 1 : 0);
}

static struct posterior *part_at(const struct acquisition *acquisition, uint32_t part)
{
    if (part < acquisition->objectives)
        return acquisition->objective[part];
    part -= acquisition->objectives;
    return part < acquisition->chances ? acquisition->chance[part] : acquisition->cost;
}

static bool is_crowded(const struct acquisition *acquisition, const struct belief *belief, const double *x)
{
    if (!(acquisition->reach > 0) || belief->mean[0] < acquisition->best)
        return false;
    return posterior_near_corner(acquisition->objective[0], x, acquisition->reach);
}

void acquisition_score(const struct acquisition *acquisition, const double *rows, uint32_t count, double *scores)
{
    uint32_t parts = part_count(acquisition);
    double *mean = MEM_ARRAY(double, 2 * (size_t)count * parts + 1), *variance = mean + (size_t)count * parts;
    for (uint32_t p = 0; p < parts; p++)
        posterior_predict(part_at(acquisition, p), rows, count, mean + (size_t)p * count, variance + (size_t)p * count);
    for (uint32_t c = 0; c < count; c++) {
        struct belief belief;
        for (uint32_t p = 0; p < parts; p++) {
            belief.mean[p] = mean[(size_t)p * count + c];
            belief.variance[p] = variance[(size_t)p * count + c];
        }
        bool crowded = is_crowded(acquisition, &belief, rows + (size_t)c * part_at(acquisition, 0)->z.dimension);
        scores[c] = crowded ? -INFINITY : score_of(acquisition, &belief);
    }
    free(mean);
}

double acquisition_gradient(const struct acquisition *acquisition, const double *x, double *gradient)
{
    uint32_t parts = part_count(acquisition), width = part_at(acquisition, 0)->z.dimension;
    double *of_mean = MEM_ARRAY(double, 2 * (size_t)width * parts), *of_variance = of_mean + (size_t)width * parts;
    struct belief belief;
    for (uint32_t p = 0; p < parts; p++)
        posterior_gradient(part_at(acquisition, p), x, &belief.mean[p], &belief.variance[p],
                           of_mean + (size_t)p * width, of_variance + (size_t)p * width);
    double score = score_of(acquisition, &belief);
    for (uint32_t d = 0; d < width; d++) {
        gradient[d] = 0;
        for (uint32_t p = 0; p < parts; p++)
            gradient[d] += belief.by_mean[p] * of_mean[(size_t)p * width + d] +
                           belief.by_variance[p] * of_variance[(size_t)p * width + d];
    }
    free(of_mean);
    return score;
}
