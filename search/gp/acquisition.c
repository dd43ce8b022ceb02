/* Acquisition functions; see acquisition.h. (Expected improvement: Jones, Schonlau, Welch: "Efficient global
 * optimization of expensive black-box functions", 1998. Its logarithm: Ament et al.: "Unexpected improvements to
 * expected improvement for Bayesian optimization", NeurIPS 2023.) */
#include "search/gp/acquisition.h"
#include "common/mem.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_erf.h>
#include <math.h>
#include <stdlib.h>

/* log(sqrt(2 pi)) */
#define LOG_ROOT_2PI 0.91893853320467274178

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

/* The score of a mean and a variance, and its derivatives by both (may be NULL). */
static double score_objective(const struct acquisition *acquisition, double mean, double variance, double *by_mean,
                              double *by_variance)
{
    double deviation = sqrt(variance), slope;
    if (acquisition->kind == ACQUISITION_BOUND) {
        if (by_mean) {
            *by_mean = -1;
            *by_variance = 0.5 * acquisition->kappa / deviation;
        }
        return acquisition->kappa * deviation - mean;
    }
    double z = (acquisition->best - mean) / deviation;
    double score = log(deviation) + acquisition_log_improvement(z, &slope);
    if (by_mean) {
        *by_mean = -slope / deviation;
        *by_variance = (1 - slope * z) / (2 * variance);
    }
    return score;
}

/* Trials that succeed have the value 1, others -1: a probit of the mean, unsure where the variance is large. */
static double score_chance(double mean, double variance, double *by_mean, double *by_variance)
{
    double width = sqrt(0.1 + variance), slope, score = acquisition_log_chance(mean / width, &slope);
    if (by_mean) {
        *by_mean = slope / width;
        *by_variance = -0.5 * slope * mean / (width * width * width);
    }
    return score;
}

void acquisition_score(const struct acquisition *acquisition, const double *rows, uint32_t count, double *scores)
{
    double *mean = MEM_ARRAY(double, 2 * (size_t)count), *variance = mean + count;
    for (uint32_t c = 0; c < count; c++)
        scores[c] = 0;
    if (acquisition->objective) {
        posterior_predict(acquisition->objective, rows, count, mean, variance);
        for (uint32_t c = 0; c < count; c++)
            scores[c] += score_objective(acquisition, mean[c], variance[c], NULL, NULL);
    }
    if (acquisition->chance) {
        posterior_predict(acquisition->chance, rows, count, mean, variance);
        for (uint32_t c = 0; c < count; c++)
            scores[c] += score_chance(mean[c], variance[c], NULL, NULL);
    }
    free(mean);
}

double acquisition_gradient(const struct acquisition *acquisition, const double *x, double *gradient)
{
    const struct posterior *any = acquisition->objective ? acquisition->objective : acquisition->chance;
    uint32_t dimension = any->z.dimension;
    double *of_mean = MEM_ARRAY(double, 2 * (size_t)dimension), *of_variance = of_mean + dimension;
    double score = 0, mean, variance, by_mean, by_variance;
    for (uint32_t d = 0; d < dimension; d++)
        gradient[d] = 0;
    for (int part = 0; part < 2; part++) {
        struct posterior *posterior = part ? acquisition->chance : acquisition->objective;
        if (!posterior)
            continue;
        posterior_gradient(posterior, x, &mean, &variance, of_mean, of_variance);
        score += part ? score_chance(mean, variance, &by_mean, &by_variance)
                      : score_objective(acquisition, mean, variance, &by_mean, &by_variance);
        for (uint32_t d = 0; d < dimension; d++)
            gradient[d] += by_mean * of_mean[d] + by_variance * of_variance[d];
    }
    free(of_mean);
    return score;
}
