/* A Gaussian process kept up to date; see surrogate.h. */
#include "search/gp/surrogate.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void surrogate_init(struct surrogate *surrogate, const struct gp_domain *domain)
{
    *surrogate = (struct surrogate){.domain = domain};
}

void surrogate_fini(struct surrogate *surrogate)
{
    covariance_fini(&surrogate->covariance);
    design_fini(&surrogate->points);
    posterior_fini(&surrogate->posterior);
    free(surrogate->theta);
    *surrogate = (struct surrogate){0};
}

void surrogate_fit(struct surrogate *surrogate, const struct fit_data *data)
{
    struct surrogate before = *surrogate;
    surrogate_fini(surrogate);
    *surrogate = (struct surrogate){.domain = before.domain, .fits = before.fits + 1, .added = before.added};
    double *theta = MEM_ARRAY(double, covariance_size(surrogate->domain->width, data->warped));
    fit(data, theta);
    surrogate_set(surrogate, theta, data->warped);
}

void surrogate_set(struct surrogate *surrogate, double *theta, bool warped)
{
    surrogate->theta = theta;
    covariance_init(&surrogate->covariance, surrogate->domain, warped);
    covariance_set(&surrogate->covariance, theta);
    surrogate->fitted = true;
}

/* Room for so many points; what was there is lost when there was less. */
static void make_room(struct surrogate *surrogate, uint32_t wanted)
{
    if (surrogate->points.capacity >= wanted)
        return;
    uint32_t capacity = wanted + wanted / 4 + 16;
    design_fini(&surrogate->points);
    posterior_fini(&surrogate->posterior);
    design_init(&surrogate->points, surrogate->domain->width, capacity);
    posterior_init(&surrogate->posterior, &surrogate->covariance, capacity);
}

static bool same_point(const struct design *a, const struct design *b, uint32_t i)
{
    for (uint32_t d = 0; d < a->dimension; d++)
        if (memcmp(&a->x[(size_t)d * a->capacity + i], &b->x[(size_t)d * b->capacity + i], sizeof(double)) != 0)
            return false;
    return true;
}

static void trim_rows(struct surrogate *surrogate, uint32_t count)
{
    surrogate->points.count = count;
    posterior_cut(&surrogate->posterior, count);
}

static void add_row(struct surrogate *surrogate, const double *x, double extra_noise)
{
    design_add(&surrogate->points, x);
    posterior_add(&surrogate->posterior, x, extra_noise);
    surrogate->added++;
}

void surrogate_learn(struct surrogate *surrogate, const struct design *points, const double *values,
                     const double *extra_noise, uint32_t more)
{
    make_room(surrogate, points->count + more);
    uint32_t same = 0;
    while (same < points->count && same < surrogate->points.count && same_point(points, &surrogate->points, same) &&
           posterior_has_extra_noise(&surrogate->posterior, same, extra_noise ? extra_noise[same] : 0))
        same++;
    trim_rows(surrogate, same);
    double *x = MEM_ARRAY(double, surrogate->domain->width);
    for (uint32_t i = same; i < points->count; i++) {
        design_get(points, i, x);
        add_row(surrogate, x, extra_noise ? extra_noise[i] : 0);
    }
    free(x);
    posterior_learn(&surrogate->posterior, values);
}

void surrogate_await(struct surrogate *surrogate, const double *x)
{
    add_row(surrogate, x, 0);
}

/* Of a range: more than what the acquisition optimiser puts a trial beside another by (`aside`), and so little that a
 * function without noise hardly changes, whatever its lengths. */
static const double next_to = 2e-6;

/* Of two losses next to each other, in deviations of the noise: a greater difference than the first shows noise, a
 * smaller one than the second shows that there is none. */
static const double noise_shown = 0.5, noise_missed = 0.02;

static bool are_neighbours(const struct design *points, uint32_t i, uint32_t j)
{
    for (uint32_t d = 0; d < points->dimension; d++) {
        double a = points->x[(size_t)d * points->capacity + i], b = points->x[(size_t)d * points->capacity + j];
        if (!(fabs(a - b) < next_to) && !(isnan(a) && isnan(b)))
            return false;
    }
    return true;
}

/* Whether a point elsewhere, of those from `first` on, has a value between those of i and j. Values of few trials, or
 * of trials in one place, are hardly more than ranks, and the least difference of losses looks large in them. */
static bool is_value_between(const struct surrogate *surrogate, uint32_t first, uint32_t i, uint32_t j)
{
    const double *values = surrogate->posterior.values;
    double low = fmin(values[i], values[j]), high = fmax(values[i], values[j]);
    for (uint32_t k = first; k < surrogate->posterior.known; k++)
        if (values[k] > low && values[k] < high && !are_neighbours(&surrogate->points, i, k))
            return true;
    return false;
}

static enum surrogate_noise compare_neighbours(const struct surrogate *surrogate, uint32_t first, uint32_t i,
                                               uint32_t j)
{
    const struct posterior *posterior = &surrogate->posterior;
    if (i >= posterior->known || j >= posterior->known)
        return SURROGATE_AWAITED;
    double difference = fabs(posterior->values[i] - posterior->values[j]), unit = sqrt(surrogate->covariance.noise);
    if (difference > noise_shown * unit)
        return is_value_between(surrogate, first, i, j) ? SURROGATE_NOISY : SURROGATE_AWAITED;
    return difference < noise_missed * unit ? SURROGATE_EXACT : SURROGATE_UNKNOWN;
}

enum surrogate_noise surrogate_noise(const struct surrogate *surrogate, uint32_t first)
{
    enum surrogate_noise shown = SURROGATE_UNKNOWN;
    for (uint32_t i = first + 1; i < surrogate->points.count && shown != SURROGATE_NOISY; i++)
        for (uint32_t j = first; j < i && shown != SURROGATE_NOISY; j++)
            if (are_neighbours(&surrogate->points, i, j)) {
                enum surrogate_noise pair = compare_neighbours(surrogate, first, i, j);
                shown = pair > shown ? pair : shown;
            }
    return shown;
}

/* Whether the rows are the points with values from `first` on. */
static bool has_learned(const struct surrogate *surrogate, uint32_t first, const double *rows, uint32_t count)
{
    const struct design *points = &surrogate->points;
    if (first + count > surrogate->posterior.known)
        return false;
    for (uint32_t d = 0; d < points->dimension; d++)
        for (uint32_t i = 0; i < count; i++)
            if (memcmp(&points->x[(size_t)d * points->capacity + first + i], &rows[(size_t)i * points->dimension + d],
                       sizeof(double)) != 0)
                return false;
    return true;
}

void surrogate_means(struct surrogate *surrogate, uint32_t first, const double *rows, uint32_t count, double *mean)
{
    if (!has_learned(surrogate, first, rows, count)) {
        posterior_predict(&surrogate->posterior, rows, count, mean, NULL);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        mean[i] = posterior_mean(&surrogate->posterior, first + i);
}
