/* The rank-sum test; see rank_sum.h. */
#include "cli/bench/rank_sum.h"
#include "cli/bench/stats.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ways[k][s]: in how many ways k of the ranks have the sum s / 2 (ranks may be halves). Doubles count exactly up to
 * 2^53, which C(40, 20) is far below. */
static double *count_ways(const double *ranks, size_t count, size_t chosen, size_t most)
{
    double *ways = MEM_ARRAY(double, (chosen + 1) * (most + 1));
    ways[0] = 1;
    for (size_t i = 0; i < count; i++) {
        size_t rank = (size_t)lround(2 * ranks[i]);
        for (size_t k = chosen; k-- > 0;)
            for (size_t s = 0; s + rank <= most; s++)
                ways[(k + 1) * (most + 1) + s + rank] += ways[k * (most + 1) + s];
    }
    return ways;
}

/* Twice the smaller tail. */
static double exact_p(const double *ranks, size_t count, size_t chosen, double sum)
{
    size_t most = count * (count + 1), at = (size_t)lround(2 * sum);
    double *ways = count_ways(ranks, count, chosen, most), low = 0, high = 0, all = 0;
    for (size_t s = 0; s <= most; s++) {
        double here = ways[chosen * (most + 1) + s];
        all += here;
        low += s <= at ? here : 0;
        high += s >= at ? here : 0;
    }
    free(ways);
    return fmin(1, 2 * fmin(low, high) / all);
}

/* Every group of t equal ranks takes its part off the variance: (t^3 - t) / (n (n - 1)), (t^2 - 1) of it each. */
static double normal_p(const double *ranks, size_t count, size_t chosen, double sum)
{
    double n = (double)count, a = (double)chosen, b = n - a, ties = 0;
    for (size_t i = 0; i < count; i++) {
        double tied = 0;
        for (size_t j = 0; j < count; j++)
            tied += ranks[j] == ranks[i];
        ties += tied * tied - 1;
    }
    double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
    double away = fabs(sum - a * (n + 1) / 2) - 0.5;
    return away > 0 && variance > 0 ? erfc(away / sqrt(2 * variance)) : 1;
}

/* Two of all ways to choose the first group. */
static double least_p(size_t a, size_t b)
{
    return fmin(1, 2 * exp(lgamma((double)a + 1) + lgamma((double)b + 1) - lgamma((double)(a + b) + 1)));
}

struct rank_sum rank_sum_test(const double *first, size_t first_count, const double *second, size_t second_count)
{
    struct rank_sum test = {.share = 0.5, .p = 1, .least = 1};
    size_t count = first_count + second_count;
    if (!first_count || !second_count)
        return test;
    double *all = MEM_ARRAY(double, count), *ranks = MEM_ARRAY(double, count), sum = 0;
    memcpy(all, first, first_count * sizeof *all);
    memcpy(all + first_count, second, second_count * sizeof *all);
    stats_ranks(all, count, ranks);
    for (size_t i = 0; i < first_count; i++)
        sum += ranks[i];
    double a = (double)first_count, b = (double)second_count;
    test.share = 1 - (sum - a * (a + 1) / 2) / (a * b);
    test.p =
        count <= RANK_SUM_EXACT ? exact_p(ranks, count, first_count, sum) : normal_p(ranks, count, first_count, sum);
    test.least = least_p(first_count, second_count);
    free(all);
    free(ranks);
    return test;
}

/* The smallest counts `count` times, the next one once less, and none less than one before it. */
void rank_sum_holm(double *p, size_t count)
{
    double before = 0;
    double *sorted = MEM_ARRAY(double, count + 1), *kept = MEM_ARRAY(double, count + 1);
    memcpy(sorted, p, count * sizeof *p);
    stats_sort(sorted, count);
    for (size_t i = 0; i < count; i++)
        kept[i] = before = fmin(1, fmax(before, sorted[i] * (double)(count - i)));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (sorted[j] == p[i]) {
                p[i] = kept[j];
                break;
            }
    free(sorted);
    free(kept);
}
