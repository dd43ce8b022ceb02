/* Forecasts of learning curves; see curve.h. */
#include "search/stop/curve.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

/* Exponents from nearly logarithmic to steep, and rates from a curve that is half way at T to one that has long ended.
 */
static const double powers[] = {0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3};
static const double rates[] = {1, 2, 4, 8, 16, 32};
enum { POWERS = sizeof powers / sizeof *powers, RATES = sizeof rates / sizeof *rates, MEMBERS = POWERS + RATES };

/* The prior, of curves in units of their own spread: c and a within some 100 times the noise, noise of about 3 %. */
static const double coefficient_variance = 1e4, noise_shape = 1, noise_scale = 1e-3;

/* One member's posterior, as a prediction: a Student t. */
struct family_fit {
    double log_evidence;
    double mean, scale, freedom;
};

static double shape_at(int member, double t, double t1, double T)
{
    if (member < POWERS)
        return pow(t / t1, -powers[member]);
    return exp(-rates[member - POWERS] * (t - t1) / (T > t1 ? T - t1 : 1));
}

/* The regression of y on (1, f): the posterior precision L = X'X + I / v, its inverse, and the rest of Murphy's
 * equations 207-213 with a prior mean of zero. */
static struct family_fit fit_family(int which, const double *t, const double *y, size_t n, double T)
{
    double s1 = (double)n + 1 / coefficient_variance, sf = 0, sff = 1 / coefficient_variance, sy = 0, sfy = 0, syy = 0;
    for (size_t i = 0; i < n; i++) {
        double f = shape_at(which, t[i], t[0], T);
        sf += f;
        sff += f * f;
        sy += y[i];
        sfy += f * y[i];
        syy += y[i] * y[i];
    }
    double det = s1 * sff - sf * sf;
    double c = (sff * sy - sf * sfy) / det, a = (s1 * sfy - sf * sy) / det;
    double shape_n = noise_shape + (double)n / 2;
    double scale_n = fmax(noise_scale + (syy - c * sy - a * sfy) / 2, 1e-12);
    double f = shape_at(which, T, t[0], T), spread = (sff - 2 * f * sf + f * f * s1) / det;
    return (struct family_fit){.log_evidence = -0.5 * log(det) - shape_n * log(scale_n),
                               .mean = c + a * f,
                               .scale = sqrt(scale_n / shape_n * (1 + spread)),
                               .freedom = 2 * shape_n};
}

/* Centre and spread of the points, so that the prior fits curves of any size: differences are made about 1 before they
 * are squared. What differs in the last digits alone is a flat curve. */
static void measure_spread(const double *y, size_t n, double *centre, double *spread)
{
    double sum = 0, largest = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(y[i] - sum));
    for (size_t i = 0; i < n && largest > 0; i++)
        squares += pow((y[i] - sum) / largest, 2) / (double)n;
    *centre = sum;
    *spread = fmax(fmax(largest * sqrt(squares), 1e-12 * fabs(sum)), DBL_MIN);
}

struct curve_forecast curve_forecast(const double *t, const double *y, size_t n, double T, double bar)
{
    struct family_fit members[MEMBERS];
    double scaled[n], centre, spread, most = -INFINITY, sum = 0;
    measure_spread(y, n, &centre, &spread);
    for (size_t i = 0; i < n; i++)
        scaled[i] = (y[i] - centre) / spread;
    for (int i = 0; i < MEMBERS; i++) {
        members[i] = fit_family(i, t, scaled, n, T);
        most = fmax(most, members[i].log_evidence);
    }
    struct curve_forecast out = {0};
    for (int i = 0; i < MEMBERS; i++) {
        double weight = exp(members[i].log_evidence - most);
        double z = ((bar - centre) / spread - members[i].mean) / members[i].scale;
        sum += weight;
        out.mean += weight * members[i].mean;
        out.chance += weight * gsl_cdf_tdist_P(z, members[i].freedom);
    }
    out.mean = centre + spread * out.mean / sum;
    out.chance /= sum;
    return out;
}
