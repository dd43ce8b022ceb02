/* The signed-rank test: whether one of two strategies is better on the same tasks, whatever the scale of the
 * differences.
 *
 * F. Wilcoxon: "Individual comparisons by ranking methods", Biometrics Bulletin 1(6), 1945. Pairs without a difference
 * are left out, equal differences share the mean of their ranks. */
#ifndef GANNET_CLI_BENCH_WILCOXON_H
#define GANNET_CLI_BENCH_WILCOXON_H

#include <stddef.h>

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
