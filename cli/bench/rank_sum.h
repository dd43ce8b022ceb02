/* Whether one of two groups of numbers that were measured apart tends to be smaller: the rank-sum test.
 *
 * H. B. Mann, D. R. Whitney: "On a test of whether one of two random variables is stochastically larger than the
 * other", Annals of Mathematical Statistics 18(1), 1947. The share of pairs is the effect of A. Vargha, H. D. Delaney:
 * "A critique and improvement of the CL common language effect size statistics", Journal of Educational and Behavioral
 * Statistics 25(2), 2000. Several such tests at once: S. Holm: "A simple sequentially rejective multiple test
 * procedure", Scandinavian Journal of Statistics 6(2), 1979. */
#ifndef GANNET_CLI_BENCH_RANK_SUM_H
#define GANNET_CLI_BENCH_RANK_SUM_H

#include <stddef.h>

struct rank_sum {
    double share; /* of all pairs of one of each group, those in which that of the first is smaller; ties count half */
    double p;     /* two-sided: how likely groups that do not differ are to differ so much */
    double least; /* the smallest p that groups of these sizes can have: above 0.05 they can't show anything */
};

/* Up to this many numbers in all the probability is exact, ties included: all ways to choose the first group are
 * counted. Beyond, it is that of the normal distribution with corrections for ties and continuity. */
enum { RANK_SUM_EXACT = 40 };

/* Infinities are fine, NaN counts as larger than all. Of an empty group nothing is known: 0.5, 1 and 1. */
struct rank_sum rank_sum_test(const double *first, size_t first_count, const double *second, size_t second_count);

/* Makes of the p of several tests those that hold for all of them at once, in place. */
void rank_sum_holm(double *p, size_t count);

#endif
