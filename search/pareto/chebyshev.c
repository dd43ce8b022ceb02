/* The augmented Chebyshev function; see chebyshev.h. */
#include "search/pareto/chebyshev.h"
#include "search/pareto/front.h"
#include "search/strategy.h"

#include <math.h>

static const double augmentation = 0.05; /* Knowles's rho */

/* Exponential draws divided by their sum are even on the simplex (Devroye: "Non-uniform random variate generation",
 * 1986, chapter V, theorem 2.2). */
void chebyshev_draw(uint64_t random, uint32_t m, double *weights)
{
    double sum = 0;
    for (uint32_t k = 0; k < m; k++) {
        weights[k] = 1e-9 - log1p(-gannet_random(&random));
        sum += weights[k];
    }
    for (uint32_t k = 0; k < m; k++)
        weights[k] /= sum;
}

void chebyshev_scale(const double *points, size_t n, uint32_t m, double *low, double *high)
{
    front_range(points, n, m, low, high);
    for (uint32_t k = 0; k < m; k++) {
        low[k] = isfinite(low[k]) ? low[k] : 0;
        high[k] = high[k] > low[k] ? high[k] : low[k] + fmax(fabs(low[k]), 1e-3);
    }
}

double chebyshev_loss(const double *losses, uint32_t m, const double *weights, const double *low, const double *high)
{
    double most = -INFINITY, sum = 0;
    for (uint32_t k = 0; k < m; k++) {
        double term = weights[k] * (losses[k] - low[k]) / (high[k] - low[k]);
        if (isnan(term))
            return INFINITY;
        most = fmax(most, term);
        sum += term;
    }
    return most + augmentation * sum;
}
