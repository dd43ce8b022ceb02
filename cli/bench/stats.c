/* Quantiles, means and ranks; see stats.h. */
#include "cli/bench/stats.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, compare_numbers);
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
            int order = compare_numbers(&values[j], &values[i]);
            below += order < 0;
            equal += order == 0;
        }
        ranks[i] = (double)below + ((double)equal + 1) / 2;
    }
}

/* --- Wilcoxon's signed-rank test --- */

/* P(S <= s) and P(S >= s) of the sum S of those of the ranks whose sign is positive, each sign with probability 1/2.
 * Ranks may be halves, so sums are counted twice over: chance[i] is the probability of S = i / 2. */
static void exact_tails(const double *ranks, size_t count, double sum, double *low, double *high)
{
    size_t most = count * (count + 1);
    double *chance = MEM_ARRAY(double, most + 1);
    chance[0] = 1;
    for (size_t r = 0; r < count; r++) {
        size_t rank = (size_t)lround(2 * ranks[r]);
        for (size_t i = most + 1; i-- > 0;)
            chance[i] = (chance[i] + (i >= rank ? chance[i - rank] : 0)) / 2;
    }
    size_t at = (size_t)lround(2 * sum);
    *low = *high = 0;
    for (size_t i = 0; i <= most; i++) {
        *low += i <= at ? chance[i] : 0;
        *high += i >= at ? chance[i] : 0;
    }
    free(chance);
}

/* Every group of t equal ranks takes (t^3 - t) / 48 off the variance: t of them share it, (t^2 - 1) / 48 each. */
static double normal_p(const double *ranks, size_t count, double sum)
{
    double n = (double)count, variance = n * (n + 1) * (2 * n + 1) / 24;
    for (size_t i = 0; i < count; i++) {
        double tied = 0;
        for (size_t j = 0; j < count; j++)
            tied += ranks[j] == ranks[i];
        variance -= (tied * tied - 1) / 48;
    }
    double away = fabs(sum - n * (n + 1) / 4) - 0.5;
    return away > 0 ? erfc(away / sqrt(2 * variance)) : 1;
}

static double two_sided(const double *ranks, size_t count, double sum)
{
    double low, high;
    if (count > WILCOXON_EXACT)
        return normal_p(ranks, count, sum);
    exact_tails(ranks, count, sum, &low, &high);
    return fmin(1, 2 * fmin(low, high));
}

struct wilcoxon wilcoxon_test(const double *a, const double *b, size_t count)
{
    struct wilcoxon test = {.p = 1};
    double *sizes = MEM_ARRAY(double, count + 1), *ranks = MEM_ARRAY(double, count + 1);
    size_t *pair = MEM_ARRAY(size_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (a[i] == b[i]) {
            test.equal++;
            continue;
        }
        *(a[i] < b[i] ? &test.below : &test.above) += 1;
        sizes[test.pairs] = fabs(a[i] - b[i]);
        pair[test.pairs++] = i;
    }
    stats_ranks(sizes, test.pairs, ranks);
    for (size_t i = 0; i < test.pairs; i++)
        test.sum += a[pair[i]] > b[pair[i]] ? ranks[i] : 0;
    if (test.pairs)
        test.p = two_sided(ranks, test.pairs, test.sum);
    free(pair);
    free(ranks);
    free(sizes);
    return test;
}
