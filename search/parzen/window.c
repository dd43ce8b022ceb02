/* Windows along a coordinate; see window.h. */
#include "search/parzen/window.h"
#include "common/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* The smallest density that a window may have: far tails must not decide by their rounding. */
static const double LEAST = 1e-12;

/* Widths follow Scott's rule (Multivariate Density Estimation, 1992, eq. 6.42), s K^(-1/(D + 4)) with s the spread of
 * the points, but s stays between bounds: a handful of points must neither become needles nor, before they have come
 * together, cover everything. Where levels are few the upper bound is taken whatever the spread: next to a good level
 * are others worth a trial. The least width is Watanabe's (arXiv 2304.11127, section 3.3.4). */
static const double LEAST_SPREAD = 0.1, MOST_SPREAD = 0.2;

/* The middle of a level is known; the first begins at 0. */
static void find_edges(struct window *window, const struct gannet_host *host, uint32_t index)
{
    window->edges[0] = 0;
    for (uint32_t l = 0; l < window->levels; l++)
        window->edges[l + 1] = 2 * host->level(host, index, l) - window->edges[l];
    window->edges[window->levels] = 1;
}

void window_init(struct window *window, const struct gannet_host *host, const struct gannet_param *param,
                 uint32_t index)
{
    *window = (struct window){.nominal = param->kind == GANNET_CHOICE};
    if (param->levels == 0 || (param->levels > WINDOW_MOST_LEVELS && !window->nominal))
        return;
    window->levels = (uint32_t)param->levels;
    window->edges = MEM_ARRAY(double, window->levels + 1);
    find_edges(window, host, index);
    if (window->nominal)
        return;
    window->logs = MEM_ARRAY(double, (size_t)window->levels * window->levels);
    window->cumulated = MEM_ARRAY(double, (size_t)window->levels * window->levels);
}

void window_fini(struct window *window)
{
    free(window->edges);
    free(window->logs);
    free(window->cumulated);
}

uint32_t window_level(const struct window *window, double unit)
{
    uint32_t low = 0, high = window->levels;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (unit >= window->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double middle_of(const struct window *window, uint32_t level)
{
    return (window->edges[level] + window->edges[level + 1]) / 2;
}

static double span_of(const struct window *window, uint32_t level)
{
    return fmax(window->edges[level + 1] - window->edges[level], LEAST);
}

/* The probability that a Gaussian, cut off at 0 and 1, gives to what lies below x. */
static double cut_gaussian(double x, double centre, double width)
{
    double low = gsl_cdf_ugaussian_P(-centre / width), high = gsl_cdf_ugaussian_P((1 - centre) / width);
    return (gsl_cdf_ugaussian_P((x - centre) / width) - low) / (high - low);
}

static void tabulate(struct window *window, uint32_t observed)
{
    double centre = middle_of(window, observed), below = 0;
    for (uint32_t l = 0; l < window->levels; l++) {
        double upto = l + 1 == window->levels ? 1 : cut_gaussian(window->edges[l + 1], centre, window->width);
        double density = (upto - below) / span_of(window, l);
        window->logs[(size_t)l * window->levels + observed] = log(fmax(density, LEAST));
        window->cumulated[(size_t)observed * window->levels + l] = upto;
        below = upto;
    }
}

/* Of choices without an order any is taken as if each had been seen once more. */
double window_choose(const struct window *window, const double *const *points, uint32_t count, uint32_t d,
                     uint32_t dimension)
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
    if (window->nominal)
        return window->levels / (seen + window->levels);
    seen = fmax(seen, 1);
    double spread = window->levels ? MOST_SPREAD : sqrt(fmax(0, squares / seen - sum / seen * sum / seen));
    spread = fmin(MOST_SPREAD, fmax(LEAST_SPREAD, spread));
    return fmax(WINDOW_LEAST, spread * pow(seen, -1 / (dimension + 4.0)));
}

void window_set(struct window *window, double width)
{
    bool same = window->width == width;
    window->width = width;
    for (uint32_t l = 0; l < window->levels && window->logs && !same; l++)
        tabulate(window, l);
}

double window_same(const struct window *window, uint32_t level)
{
    return log((1 - window->width) / span_of(window, level) + window->width);
}

double window_constant(const struct window *window, double centre)
{
    double inside = gsl_cdf_ugaussian_P((1 - centre) / window->width) - gsl_cdf_ugaussian_P(-centre / window->width);
    return -log(window->width * sqrt(2 * M_PI) * inside);
}

double window_log(const struct window *window, double observed, double asked)
{
    if (!window->levels)
        return window_constant(window, observed) - pow((asked - observed) / window->width, 2) / 2;
    uint32_t from = window_level(window, observed), to = window_level(window, asked);
    if (window->nominal)
        return from == to ? window_same(window, to) : log(window->width);
    return window->logs[(size_t)to * window->levels + from];
}

/* At least a third of the window lies inside, unless it is far wider than the cube, which it never is. */
static double draw_gaussian(const struct window *window, double observed, struct rng *rng)
{
    for (int i = 0; i < 50; i++) {
        double unit = observed + window->width * rng_normal(rng);
        if (unit >= 0 && unit <= 1)
            return unit;
    }
    return rng_unit(rng);
}

double window_draw(const struct window *window, double observed, struct rng *rng)
{
    if (window->nominal)
        return rng_unit(rng) < window->width ? rng_unit(rng) : observed;
    if (!window->levels)
        return draw_gaussian(window, observed, rng);
    const double *row = &window->cumulated[(size_t)window_level(window, observed) * window->levels];
    double chance = rng_unit(rng);
    uint32_t level = 0;
    while (level + 1 < window->levels && chance >= row[level])
        level++;
    return middle_of(window, level);
}
