/* The two values that regret is measured between: the best there is and the median. */
#ifndef GANNET_CLI_BENCH_SCALE_H
#define GANNET_CLI_BENCH_SCALE_H

#include "cli/bench/objective.h"

/* Configurations of a table that are looked up to know them all: 4 million cost about half a minute. */
enum { SCALE_MOST = 1 << 22 };

/* See objective_optimum. -1 with a sentence: the space of a table is infinite or larger than SCALE_MOST, nothing in it
 * has a value, or all of it has the same. */
int scale_find(struct objective *objective, double *optimum, double *median, struct err *err);

#endif
