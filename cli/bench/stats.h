/* Numbers about numbers: what benchmarks are summed up by. NaN means "none"; it sorts behind everything. */
#ifndef GANNET_CLI_BENCH_STATS_H
#define GANNET_CLI_BENCH_STATS_H

#include <stddef.h>

/* Sorts in place, NaN last. */
void stats_sort(double *values, size_t count);

/* The value that a fraction `q` of all do not exceed (nearest rank: the ceil(q count)-th smallest). Sorts in place. NaN
 * of no numbers. */
double stats_quantile(double *values, size_t count, double q);

/* The middle value, or the mean of the two in the middle. Sorts in place. NaN of no numbers. */
double stats_median(double *values, size_t count);

/* The mean; NaN of no numbers. */
double stats_mean(const double *values, size_t count);

/* The rank of each value, from 1 for the smallest; equal ones share the mean of their ranks, NaNs are equal to each
 * other. */
void stats_ranks(const double *values, size_t count, double *ranks);

/* --- Wilcoxon's signed-rank test --- */

/* The signed-rank test: whether one of two strategies is better on the same tasks, whatever the scale of the
 * differences.
 *
 * F. Wilcoxon: "Individual comparisons by ranking methods", Biometrics Bulletin 1(6), 1945. Pairs without a difference
 * are left out, equal differences share the mean of their ranks. */
struct wilcoxon {
    size_t pairs;               /* with a difference */
    size_t below, above, equal; /* pairs with a < b, a > b, a = b */
    double sum;                 /* of the ranks of the pairs with a > b */
    double p;                   /* two-sided; 1 when there are no pairs */
};

/* Up to this many pairs the probability is exact, ties included: all 2^n signs of the ranks are counted. Beyond, it is
 * that of the normal distribution with corrections for ties and continuity, whose error is then below 0.001. */
enum { WILCOXON_EXACT = 50 };

/* Compares a[i] with b[i]. No NaNs; infinities are fine. */
struct wilcoxon wilcoxon_test(const double *a, const double *b, size_t count);

#endif
