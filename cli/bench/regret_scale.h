/* The two values that regret is measured between: the best there is and the median. */
#ifndef GANNET_CLI_BENCH_REGRET_SCALE_H
#define GANNET_CLI_BENCH_REGRET_SCALE_H

#include "cli/bench/objective.h"

/* Configurations that are looked at to know them all: a million take some ten seconds. */
enum { SCALE_MOST = 1000000 };

/* See objective_optimum. -1 with a sentence: the space of a table is larger than SCALE_MOST, nothing in it has a value,
 * or half of it has the best. */
int scale_find(struct objective *objective, double *optimum, double *median, struct err *err);

#endif
