/* Losses to values; see transform.h.
 *
 * The two steps are those of Google Vizier's Gaussian process bandit (Song et al., arXiv 2408.11527, section 3.2): what
 * is worse than the median is given the quantiles of a normal distribution as wide as the good half is; then
 * logarithms stretch the good end. */
#include "search/gp/transform.h"
#include "common/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How much the good end is stretched; towards 1: not at all. */
static const double stretch = 1.5;

/* What is known of the losses that are numbers. */
struct loss_order {
    double *sorted;
    uint32_t count;
    double median, width; /* width: the root mean square distance of the good half from the median */
};

static void order_init(struct loss_order *order, const double *losses, uint32_t n)
{
    *order = (struct loss_order){.sorted = MEM_ARRAY(double, n + 1)};
    for (uint32_t i = 0; i < n; i++)
        if (isfinite(losses[i]))
            order->sorted[order->count++] = losses[i];
    gsl_sort(order->sorted, 1, order->count);
    if (order->count == 0)
        return;
    uint32_t good = (order->count + 1) / 2;
    order->median = order->sorted[good - 1];
    double sum = 0;
    for (uint32_t i = 0; i < good; i++)
        sum += (order->sorted[i] - order->median) * (order->sorted[i] - order->median) / good;
    order->width = sum > 0 && isfinite(sum) ? sqrt(sum) : 0;
}

/* The part of the losses that lie below, those equal to it counted half. */
static double normal_quantile_of(const struct loss_order *order, double loss)
{
    uint32_t below = 0, high = order->count;
    while (below < high) {
        uint32_t middle = below + (high - below) / 2;
        if (order->sorted[middle] < loss)
            below = middle + 1;
        else
            high = middle;
    }
    uint32_t upto = below;
    while (upto < order->count && order->sorted[upto] == loss)
        upto++;
    return (0.5 * (below + upto)) / order->count;
}

/* A loss in units of the good half's width, from the median; the bad half by rank. Without a width only ranks are left.
 */
static double flatten(const struct loss_order *order, double loss)
{
    if (order->width > 0 && loss <= order->median)
        return (loss - order->median) / order->width;
    double part = normal_quantile_of(order, loss), least = 0.5 / order->count;
    double rank = gsl_cdf_ugaussian_Pinv(fmin(fmax(part, least), 1 - least));
    return order->width > 0 ? fmax(rank, 0) : rank;
}

/* The largest difference from the mean, which is written; NaN counts for nothing. */
static double measure_values(const double *values, uint32_t n, double *mean)
{
    double largest = 0;
    uint32_t count = 0;
    *mean = 0;
    for (uint32_t i = 0; i < n; i++)
        count += isnan(values[i]) ? 0 : 1;
    for (uint32_t i = 0; i < n; i++)
        *mean += isnan(values[i]) ? 0 : values[i] / count;
    for (uint32_t i = 0; i < n; i++)
        largest = isnan(values[i]) ? largest : fmax(largest, fabs(values[i] - *mean));
    return largest;
}

/* Differences are made about 1 before they are squared, so that no size of values is too small or too large. What
 * differs in the last digits alone is rounding: the values are one. */
double transform_standardize(double *values, uint32_t n)
{
    double mean, largest = measure_values(values, n, &mean), squares = 0;
    uint32_t count = 0;
    if (!isfinite(largest))
        return NAN;
    bool constant = largest <= 1e-14 * fabs(mean);
    for (uint32_t i = 0; i < n; i++) {
        if (isnan(values[i]))
            continue;
        values[i] = constant ? 0 : (values[i] - mean) / largest;
        squares += values[i] * values[i];
        count++;
    }
    double scale = squares > 0 ? sqrt(squares / count) : 1;
    for (uint32_t i = 0; i < n; i++)
        values[i] /= scale;
    return squares > 0 ? scale * largest : 1;
}

/* The same for values from 0 to 1, which have no need for that. */
static void standardize_parts(double *values, uint32_t n)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            squares += values[i] * values[i];
            count++;
        }
    double mean = count ? sum / count : 0, variance = count ? squares / count - mean * mean : 0;
    double scale = variance > 0 ? sqrt(variance) : 1;
    for (uint32_t i = 0; i < n; i++)
        values[i] = (values[i] - mean) / scale;
}

/* Failures are a little worse than the worst. */
static void place_failures(double *values, uint32_t n)
{
    double worst = 0;
    for (uint32_t i = 0; i < n; i++)
        if (values[i] > worst)
            worst = values[i];
    for (uint32_t i = 0; i < n; i++)
        if (isnan(values[i]))
            values[i] = worst + 0.5;
}

void transform(const double *losses, uint32_t n, double *values)
{
    struct loss_order order;
    order_init(&order, losses, n);
    double best = order.count ? flatten(&order, order.sorted[0]) : 0;
    double worst = order.count ? flatten(&order, order.sorted[order.count - 1]) : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(losses[i])) {
            values[i] = NAN;
            continue;
        }
        double flat = flatten(&order, losses[i]);
        double part = worst > best ? (flat - best) / (worst - best) : 0; /* 0: the best, 1: the worst */
        values[i] = log1p(part * (stretch - 1)) / log(stretch);
    }
    standardize_parts(values, n);
    place_failures(values, n);
    free(order.sorted);
}

void transform_plain(const double *losses, uint32_t n, double *values)
{
    double *copy = MEM_ARRAY(double, n + 1); /* values may be in the place of losses */
    for (uint32_t i = 0; i < n; i++)
        copy[i] = isfinite(losses[i]) ? losses[i] : NAN;
    if (isfinite(transform_standardize(copy, n))) {
        place_failures(copy, n);
        memcpy(values, copy, n * sizeof *copy);
    } else {
        transform(losses, n, values);
    }
    free(copy);
}
