/* PED-ANOVA; see ped_anova.h.
 *
 * Watanabe, Bansal, Hutter: "PED-ANOVA: efficiently quantifying hyperparameter importance in arbitrary subspaces"
 * (IJCAI 2023, arXiv 2304.10255). The variance of "is one of the best" that a parameter explains among the good is, up
 * to a factor that all parameters share, the Pearson divergence of two one-dimensional densities (theorem 1):
 *
 *     sum over its values x of p_good(x) (p_best(x) / p_good(x) - 1)^2
 *
 * Two changes. A conditional parameter is judged among the trials that have it, and its divergence counts by their
 * share of the best. And with few trials any parameter diverges by chance: what as many random
 * good trials diverge by is taken off, and what does not clearly exceed that is nothing. */
#include "search/explain/ped_anova.h"
#include "search/parzen/density_kernel.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

enum {
    CELLS = 64,  /* where a coordinate without few levels is looked at */
    CHANCES = 40 /* random choices of as many trials as the best are */
};

static const double LEAST_WIDTH = 1e-4; /* when all good points are at one place */

/* A coordinate, cut into cells, with the densities of good trials along it. */
struct coordinate_densities {
    struct density_kernel density_kernel;
    uint32_t cells;
    double *middles, *spans; /* of cells: the middles, and how much of the coordinate each takes */
    double *good, *some;     /* cells: densities of all good trials, and of some of them */
};

/* Where the good points lie along a coordinate: their ends, or 0 and 1 when none has it; their standard deviation. */
struct good_extent {
    double low, high, spread;
};

static struct good_extent measure_extent(const double *const *points, uint32_t count, uint32_t d)
{
    struct good_extent extent = {1, 0, 0};
    double seen = 0, sum = 0, squares = 0;
    for (uint32_t k = 0; k < count; k++) {
        double unit = points[k][d];
        if (isnan(unit))
            continue;
        extent.low = fmin(extent.low, unit);
        extent.high = fmax(extent.high, unit);
        seen++;
        sum += unit;
        squares += unit * unit;
    }
    if (seen == 0)
        return (struct good_extent){0, 1, 0};
    extent.spread = sqrt(fmax(0, squares / seen - sum / seen * sum / seen));
    return extent;
}

/* Lays out the cells: the levels, or evenly where the good points are. There density kernels may be narrow: the good
 * points of a search that has come together lie close to each other, and the differences between them count. */
static void lay_out(struct coordinate_densities *densities, const double *const *points, uint32_t best, uint32_t count,
                    uint32_t d)
{
    struct density_kernel *density_kernel = &densities->density_kernel;
    struct good_extent extent = measure_extent(points, count, d);
    double scott = extent.spread * pow(fmax(best, 1), -1.0 / 5);
    density_kernel_set(density_kernel, density_kernel->levels
                                           ? density_kernel_choose(density_kernel, points, best, d, 1)
                                           : fmax(LEAST_WIDTH, scott));
    double low = fmax(0, extent.low - 2 * density_kernel->width),
           high = fmin(1, extent.high + 2 * density_kernel->width);
    for (uint32_t c = 0; c < densities->cells; c++) {
        double from = density_kernel->levels ? density_kernel->edges[c] : low + (high - low) * c / (double)CELLS;
        double to =
            density_kernel->levels ? density_kernel->edges[c + 1] : low + (high - low) * (c + 1) / (double)CELLS;
        densities->middles[c] = (from + to) / 2;
        densities->spans[c] = to - from;
    }
}

static void densities_init(struct coordinate_densities *densities, const struct gannet_space *space,
                           const struct gannet_host *host, uint32_t d)
{
    density_kernel_init(&densities->density_kernel, host, &space->params[d], d);
    densities->cells = densities->density_kernel.levels ? densities->density_kernel.levels : CELLS;
    densities->middles = MEM_ARRAY(double, 4 * (size_t)densities->cells);
    densities->spans = densities->middles + densities->cells;
    densities->good = densities->spans + densities->cells;
    densities->some = densities->good + densities->cells;
}

static void densities_fini(struct coordinate_densities *densities)
{
    density_kernel_fini(&densities->density_kernel);
    free(densities->middles);
}

/* The density of the points that have the coordinate, and of one more that could be anywhere. How many have it. */
static uint32_t estimate_densities(const struct coordinate_densities *densities, const double *const *points,
                                   uint32_t count, uint32_t d, double *density)
{
    uint32_t seen = 0;
    for (uint32_t c = 0; c < densities->cells; c++)
        density[c] = 1;
    for (uint32_t k = 0; k < count; k++) {
        if (isnan(points[k][d]))
            continue;
        seen++;
        for (uint32_t c = 0; c < densities->cells; c++)
            density[c] += exp(density_kernel_log(&densities->density_kernel, points[k][d], densities->middles[c]));
    }
    for (uint32_t c = 0; c < densities->cells; c++)
        density[c] /= seen + 1;
    return seen;
}

/* The divergence of some points from all good ones, counted by the share of them that have the coordinate. */
static double divergence_of(struct coordinate_densities *densities, const double *const *points, uint32_t count,
                            uint32_t d)
{
    double sum = 0, share = estimate_densities(densities, points, count, d, densities->some) / (double)count;
    for (uint32_t c = 0; c < densities->cells; c++)
        sum += densities->spans[c] * pow(densities->some[c] - densities->good[c], 2) / densities->good[c];
    return share * sum;
}

/* Chooses `size` of the points by chance: they come first (Fisher and Yates). */
static void shuffle_first(const double **points, uint32_t count, uint32_t size, struct rng *rng)
{
    for (uint32_t i = 0; i < size; i++) {
        uint32_t other = i + (uint32_t)rng_below(rng, count - i);
        const double *point = points[i];
        points[i] = points[other];
        points[other] = point;
    }
}

/* What the best diverge by beyond what chance does; 0 when that is within a standard deviation of chance. */
static double excess_divergence(struct coordinate_densities *densities, const double *const *points, uint32_t best,
                                uint32_t count, uint32_t d)
{
    struct rng rng = rng_make(0, "ped_anova", d);
    const double **some = MEM_ARRAY(const double *, count);
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < count; k++)
        some[k] = points[k];
    lay_out(densities, points, best, count, d);
    estimate_densities(densities, points, count, d, densities->good);
    for (int i = 0; i < CHANCES; i++) {
        shuffle_first(some, count, best, &rng);
        double chance = divergence_of(densities, some, best, d);
        sum += chance;
        squares += chance * chance;
    }
    free(some);
    double mean = sum / (double)CHANCES, spread = sqrt(fmax(0, squares / (double)CHANCES - mean * mean));
    double beyond = divergence_of(densities, points, best, d) - mean;
    return beyond > spread ? beyond : 0;
}

void ped_anova(const struct gannet_space *space, const struct gannet_host *host, const double *const *points,
               uint32_t best, uint32_t count, double *shares)
{
    double sum = 0;
    for (uint32_t d = 0; d < space->count; d++) {
        struct coordinate_densities densities;
        densities_init(&densities, space, host, d);
        shares[d] = best > 0 && best < count ? excess_divergence(&densities, points, best, count, d) : 0;
        sum += shares[d];
        densities_fini(&densities);
    }
    for (uint32_t d = 0; d < space->count && sum > 0; d++)
        shares[d] /= sum;
}
