/* Numbers about numbers: what benchmarks are summed up by. NaN stands for "none"; it sorts behind everything. */
#ifndef GANNET_CLI_BENCH_STATS_H
#define GANNET_CLI_BENCH_STATS_H

#include <stddef.h>

/* Sorts in place, NaN last. */
void stats_sort(double *values, size_t count);

/* The value that a fraction `q` of all do not exceed (nearest rank: the ceil(q count)-th smallest). Sorts in place. NaN
 * of nothing. */
double stats_quantile(double *values, size_t count, double q);

/* The middle value, or the mean of the two in the middle. Sorts in place. NaN of nothing. */
double stats_median(double *values, size_t count);

/* NaN of nothing. */
double stats_mean(const double *values, size_t count);

/* The rank of each value, from 1 for the smallest; equal ones share the mean of their ranks, NaNs are equal to each
 * other. */
void stats_ranks(const double *values, size_t count, double *ranks);

#endif
