/* Quantiles, means and ranks; see stats.h. */
#include "cli/bench/stats.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, compare);
}

double stats_quantile(double *values, size_t count, double q)
{
    if (!count)
        return NAN;
    stats_sort(values, count);
    double rank = ceil(q * (double)count);
    size_t index = rank < 1 ? 0 : (size_t)rank - 1;
    return values[index < count ? index : count - 1];
}

double stats_median(double *values, size_t count)
{
    if (!count)
        return NAN;
    stats_sort(values, count);
    double low = values[(count - 1) / 2], high = values[count / 2];
    return low == high ? low : low + (high - low) / 2; /* infinities have no difference */
}

double stats_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : NAN;
}

void stats_ranks(const double *values, size_t count, double *ranks)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < count; j++) {
            int order = compare(&values[j], &values[i]);
            below += order < 0;
            equal += order == 0;
        }
        ranks[i] = (double)below + ((double)equal + 1) / 2;
    }
}
