/* Density kernels along a coordinate; see density_kernel.h. */
#include "search/parzen/density_kernel.h"
#include "common/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* The smallest density that a density kernel may have: far tails must not decide by their rounding. */
static const double LEAST = 1e-12;

/* Widths follow Scott's rule (Multivariate Density Estimation, 1992, eq. 6.42), s K^(-1/(D + 4)) with s the spread of
 * the points, but s stays between bounds: a handful of points must neither become needles nor, before they have come
 * together, cover everything. Where levels are few the upper bound is taken whatever the spread: next to a good level
 * are others worth a trial. The least width is Watanabe's (arXiv 2304.11127, section 3.3.4). */
static const double LEAST_SPREAD = 0.1, MOST_SPREAD = 0.2;

/* The middle of a level is known; the first begins at 0. */
static void find_edges(struct density_kernel *density_kernel, const struct gannet_host *host, uint32_t index)
{
    density_kernel->edges[0] = 0;
    for (uint32_t l = 0; l < density_kernel->levels; l++)
        density_kernel->edges[l + 1] = 2 * host->level(host, index, l) - density_kernel->edges[l];
    density_kernel->edges[density_kernel->levels] = 1;
}

void density_kernel_init(struct density_kernel *density_kernel, const struct gannet_host *host,
                         const struct gannet_param *param, uint32_t index)
{
    *density_kernel = (struct density_kernel){.nominal = param->kind == GANNET_CHOICE};
    if (param->levels == 0 || (param->levels > DENSITY_KERNEL_MOST_LEVELS && !density_kernel->nominal))
        return;
    density_kernel->levels = (uint32_t)param->levels;
    density_kernel->edges = MEM_ARRAY(double, density_kernel->levels + 1);
    find_edges(density_kernel, host, index);
    if (density_kernel->nominal)
        return;
    density_kernel->logs = MEM_ARRAY(double, (size_t)density_kernel->levels * density_kernel->levels);
    density_kernel->cumulated = MEM_ARRAY(double, (size_t)density_kernel->levels * density_kernel->levels);
}

void density_kernel_fini(struct density_kernel *density_kernel)
{
    free(density_kernel->edges);
    free(density_kernel->logs);
    free(density_kernel->cumulated);
}

uint32_t density_kernel_level(const struct density_kernel *density_kernel, double unit)
{
    uint32_t low = 0, high = density_kernel->levels;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (unit >= density_kernel->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double middle_of(const struct density_kernel *density_kernel, uint32_t level)
{
    return (density_kernel->edges[level] + density_kernel->edges[level + 1]) / 2;
}

static double span_of(const struct density_kernel *density_kernel, uint32_t level)
{
    return fmax(density_kernel->edges[level + 1] - density_kernel->edges[level], LEAST);
}

/* The probability that a Gaussian, cut off at 0 and 1, gives to what lies below x. */
static double cut_gaussian(double x, double centre, double width)
{
    double low = gsl_cdf_ugaussian_P(-centre / width), high = gsl_cdf_ugaussian_P((1 - centre) / width);
    return (gsl_cdf_ugaussian_P((x - centre) / width) - low) / (high - low);
}

static void tabulate_kernel(struct density_kernel *density_kernel, uint32_t observed)
{
    double centre = middle_of(density_kernel, observed), below = 0;
    for (uint32_t l = 0; l < density_kernel->levels; l++) {
        double upto = l + 1 == density_kernel->levels
                          ? 1
                          : cut_gaussian(density_kernel->edges[l + 1], centre, density_kernel->width);
        double density = (upto - below) / span_of(density_kernel, l);
        density_kernel->logs[(size_t)l * density_kernel->levels + observed] = log(fmax(density, LEAST));
        density_kernel->cumulated[(size_t)observed * density_kernel->levels + l] = upto;
        below = upto;
    }
}

/* Of choices without an order any is taken as if each had been seen once more. */
double density_kernel_choose(const struct density_kernel *density_kernel, const double *const *points, uint32_t count,
                             uint32_t d, uint32_t dimension)
{
    double seen = 0, sum = 0, squares = 0;
    for (uint32_t k = 0; k < count; k++) {
        double unit = points[k][d];
        if (isnan(unit))
            continue;
        seen++;
        sum += unit;
        squares += unit * unit;
    }
    if (density_kernel->nominal)
        return density_kernel->levels / (seen + density_kernel->levels);
    seen = fmax(seen, 1);
    double spread = density_kernel->levels ? MOST_SPREAD : sqrt(fmax(0, squares / seen - sum / seen * sum / seen));
    spread = fmin(MOST_SPREAD, fmax(LEAST_SPREAD, spread));
    return fmax(DENSITY_KERNEL_LEAST, spread * pow(seen, -1 / (dimension + 4.0)));
}

void density_kernel_set(struct density_kernel *density_kernel, double width)
{
    bool same = density_kernel->width == width;
    density_kernel->width = width;
    for (uint32_t l = 0; l < density_kernel->levels && density_kernel->logs && !same; l++)
        tabulate_kernel(density_kernel, l);
}

double density_kernel_same(const struct density_kernel *density_kernel, uint32_t level)
{
    return log((1 - density_kernel->width) / span_of(density_kernel, level) + density_kernel->width);
}

double density_kernel_constant(const struct density_kernel *density_kernel, double centre)
{
    double inside = gsl_cdf_ugaussian_P((1 - centre) / density_kernel->width) -
                    gsl_cdf_ugaussian_P(-centre / density_kernel->width);
    return -log(density_kernel->width * sqrt(2 * M_PI) * inside);
}

double density_kernel_log(const struct density_kernel *density_kernel, double observed, double asked)
{
    if (!density_kernel->levels)
        return density_kernel_constant(density_kernel, observed) -
               pow((asked - observed) / density_kernel->width, 2) / 2;
    uint32_t from = density_kernel_level(density_kernel, observed), to = density_kernel_level(density_kernel, asked);
    if (density_kernel->nominal)
        return from == to ? density_kernel_same(density_kernel, to) : log(density_kernel->width);
    return density_kernel->logs[(size_t)to * density_kernel->levels + from];
}

/* At least a third of the density kernel lies inside, unless it is far wider than the cube, which it never is. */
static double draw_gaussian(const struct density_kernel *density_kernel, double observed, struct rng *rng)
{
    for (int i = 0; i < 50; i++) {
        double unit = observed + density_kernel->width * rng_normal(rng);
        if (unit >= 0 && unit <= 1)
            return unit;
    }
    return rng_unit(rng);
}

double density_kernel_draw(const struct density_kernel *density_kernel, double observed, struct rng *rng)
{
    if (density_kernel->nominal)
        return rng_unit(rng) < density_kernel->width ? rng_unit(rng) : observed;
    if (!density_kernel->levels)
        return draw_gaussian(density_kernel, observed, rng);
    const double *row =
        &density_kernel->cumulated[(size_t)density_kernel_level(density_kernel, observed) * density_kernel->levels];
    double chance = rng_unit(rng);
    uint32_t level = 0;
    while (level + 1 < density_kernel->levels && chance >= row[level])
        level++;
    return middle_of(density_kernel, level);
}
