/* The margin; see cmaes_margin.h. The equations are the paper's, section 4. */
#include "search/simple/cmaes_margin.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* At an end the mean comes as close to the only threshold as the margin needs, (12)-(13). */
static void keep_at_end(struct normal *normal, uint32_t i, double threshold, double alpha)
{
    double reach = normal_stddev(normal, i) * gsl_cdf_ugaussian_Qinv(alpha), distance = normal->mean[i] - threshold;
    if (fabs(distance) > reach)
        normal->mean[i] = threshold + copysign(reach, distance);
}

/* Both tails get alpha / 2 or more, and what was added is taken from the others in proportion, (16)-(20). */
static void correct(double *low, double *high, double alpha)
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
    correct(&low, &high, alpha);
    /* The mean and the width of the normal distribution that has these tails, (21)-(22). */
    double down = gsl_cdf_ugaussian_Qinv(low), up = gsl_cdf_ugaussian_Qinv(high);
    normal->mean[i] = (below * up + above * down) / (down + up);
    normal->factor[i] *= (above - below) / (down + up) / stddev;
}
