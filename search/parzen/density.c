/* The mixture of density kernels; see density.h.
 *
 * Components lie coordinate by coordinate, so that asking runs through memory once and in vector registers. */
#include "search/parzen/density.h"
#include "search/parzen/density_kernel.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One coordinate of all components. Where a component has none, level is L and the Gaussian's numbers are 0. */
struct density_column {
    double *centres, *inverses,
        *constants;   /* K each, of Gaussians: 1 / width, and the constant of density_kernel_constant */
    uint32_t *levels; /* K, of density kernels with levels */
};

struct density {
    uint32_t dimension; /* D */
    struct density_kernel *density_kernels;
    struct density_column *columns; /* D */
    uint32_t count;                 /* K: the points; the space's own distribution is one more, the last */
    size_t capacity;
    double *points;    /* K x D, for drawing */
    double *logs;      /* K + 1: of the components' weights, whose sum is 1 */
    double *cumulated; /* K + 1: the weights' sums */
    double *sums;      /* K + 1: scratch */
};

struct density *density_create(const struct gannet_space *space, const struct gannet_host *host)
{
    struct density *density = MEM_NEW(struct density);
    density->dimension = space->count;
    density->density_kernels = MEM_ARRAY(struct density_kernel, space->count);
    density->columns = MEM_ARRAY(struct density_column, space->count);
    for (uint32_t d = 0; d < space->count; d++)
        density_kernel_init(&density->density_kernels[d], host, &space->params[d], d);
    return density;
}

static void fini_column(struct density_column *column)
{
    free(column->centres);
    free(column->inverses);
    free(column->constants);
    free(column->levels);
}

void density_destroy(struct density *density)
{
    if (!density)
        return;
    for (uint32_t d = 0; d < density->dimension; d++) {
        density_kernel_fini(&density->density_kernels[d]);
        fini_column(&density->columns[d]);
    }
    free(density->density_kernels);
    free(density->columns);
    free(density->points);
    free(density->logs);
    free(density->cumulated);
    free(density->sums);
    free(density);
}

/* --- fitting --- */

/* Room for `count` points and the space's own distribution. */
static void make_room(struct density *density, uint32_t count)
{
    density->count = count;
    if (density->capacity > count)
        return;
    density->capacity = 2 * (size_t)count + 1;
    for (uint32_t d = 0; d < density->dimension; d++) {
        struct density_column *column = &density->columns[d];
        if (density->density_kernels[d].levels) {
            column->levels = mem_resize(column->levels, density->capacity, sizeof *column->levels);
            continue;
        }
        column->centres = mem_resize(column->centres, density->capacity, sizeof(double));
        column->inverses = mem_resize(column->inverses, density->capacity, sizeof(double));
        column->constants = mem_resize(column->constants, density->capacity, sizeof(double));
    }
    density->points = mem_resize(density->points, density->capacity * density->dimension, sizeof(double));
    density->logs = mem_resize(density->logs, density->capacity, sizeof(double));
    density->cumulated = mem_resize(density->cumulated, density->capacity, sizeof(double));
    density->sums = mem_resize(density->sums, density->capacity, sizeof(double));
}

static void weigh_kernels(struct density *density, const struct density_sample *sample)
{
    double sum = 0;
    for (uint32_t k = 0; k <= sample->count; k++) {
        double weight = k == sample->count ? sample->prior : sample->weights ? sample->weights[k] : 1;
        sum += weight;
        density->logs[k] = log(weight);
        density->cumulated[k] = sum;
    }
    for (uint32_t k = 0; k <= sample->count; k++) {
        density->logs[k] -= log(sum);
        density->cumulated[k] /= sum;
    }
}

static void fill_column(struct density *density, uint32_t d, uint32_t k, double unit)
{
    const struct density_kernel *density_kernel = &density->density_kernels[d];
    struct density_column *column = &density->columns[d];
    if (density_kernel->levels) {
        column->levels[k] = isnan(unit) ? density_kernel->levels : density_kernel_level(density_kernel, unit);
        return;
    }
    column->centres[k] = isnan(unit) ? 0 : unit;
    column->inverses[k] = isnan(unit) ? 0 : 1 / density_kernel->width;
    column->constants[k] = isnan(unit) ? 0 : density_kernel_constant(density_kernel, unit);
}

void density_fit(struct density *density, const struct density_sample *sample)
{
    uint32_t dimension = density->dimension;
    make_room(density, sample->count);
    weigh_kernels(density, sample);
    for (uint32_t k = 0; k < sample->count; k++)
        memcpy(density->points + (size_t)k * dimension, sample->points[k], dimension * sizeof(double));
    for (uint32_t d = 0; d < dimension; d++) {
        struct density_kernel *density_kernel = &density->density_kernels[d];
        double width =
            sample->breadth * density_kernel_choose(density_kernel, sample->points, sample->count, d, dimension);
        density_kernel_set(density_kernel,
                           density_kernel->nominal ? fmin(1, width) : fmax(DENSITY_KERNEL_LEAST, width));
        for (uint32_t k = 0; k < sample->count; k++)
            fill_column(density, d, k, sample->points[k][d]);
        fill_column(density, d, sample->count, NAN);
    }
}

/* --- asking --- */

/* Each adds the logs of one coordinate's density kernels at `unit` to the sums of all components. */

static void add_nominal(double *sums, uint32_t count, const struct density_column *column,
                        const struct density_kernel *density_kernel, double unit)
{
    uint32_t asked = density_kernel_level(density_kernel, unit), none = density_kernel->levels;
    double same = density_kernel_same(density_kernel, asked), other = log(density_kernel->width);
    for (uint32_t k = 0; k <= count; k++)
        sums[k] += column->levels[k] == asked ? same : column->levels[k] == none ? 0 : other;
}

static void add_levels(double *sums, uint32_t count, const struct density_column *column,
                       const struct density_kernel *density_kernel, double unit)
{
    const double *row =
        &density_kernel->logs[(size_t)density_kernel_level(density_kernel, unit) * density_kernel->levels];
    for (uint32_t k = 0; k <= count; k++)
        sums[k] += column->levels[k] == density_kernel->levels ? 0 : row[column->levels[k]];
}

static void add_gaussian(double *restrict sums, uint32_t count, const struct density_column *column, double unit)
{
    const double *restrict centres = column->centres, *restrict inverses = column->inverses,
                           *restrict constants = column->constants;
#pragma omp simd
    for (uint32_t k = 0; k <= count; k++) {
        double z = (unit - centres[k]) * inverses[k];
        sums[k] += constants[k] - z * z / 2;
    }
}

static double log_sum(const double *logs, uint32_t count)
{
    double most = logs[0], sum = 0;
    for (uint32_t k = 1; k <= count; k++)
        most = fmax(most, logs[k]);
    for (uint32_t k = 0; k <= count; k++)
        if (logs[k] - most > -40) /* less changes no digit */
            sum += exp(logs[k] - most);
    return most + log(sum);
}

double density_log(const struct density *density, const double *unit)
{
    memcpy(density->sums, density->logs, (density->count + 1) * sizeof(double));
    for (uint32_t d = 0; d < density->dimension; d++) {
        const struct density_kernel *density_kernel = &density->density_kernels[d];
        if (isnan(unit[d]))
            continue;
        if (density_kernel->nominal)
            add_nominal(density->sums, density->count, &density->columns[d], density_kernel, unit[d]);
        else if (density_kernel->levels)
            add_levels(density->sums, density->count, &density->columns[d], density_kernel, unit[d]);
        else
            add_gaussian(density->sums, density->count, &density->columns[d], unit[d]);
    }
    return log_sum(density->sums, density->count);
}

void density_draw(const struct density *density, struct rng *rng, double *unit)
{
    double chance = rng_unit(rng);
    uint32_t low = 0, high = density->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (chance < density->cumulated[middle])
            high = middle;
        else
            low = middle + 1;
    }
    const double *point = density->points + (size_t)low * density->dimension;
    for (uint32_t d = 0; d < density->dimension; d++) {
        bool says = low < density->count && !isnan(point[d]);
        unit[d] = says ? density_kernel_draw(&density->density_kernels[d], point[d], rng) : rng_unit(rng);
    }
}
