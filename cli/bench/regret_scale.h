/* The two values that regret is measured between: the best there is and the median. */
#ifndef GANNET_CLI_BENCH_REGRET_SCALE_H
#define GANNET_CLI_BENCH_REGRET_SCALE_H

#include "common/err.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* Configurations that are looked at to know them all: a million take some ten seconds. */
enum { SCALE_MOST = 1000000 };

/* Of a larger space, the first proposals of random search whose median is taken. */
enum { SCALE_POINTS = 10000 };

struct regret_scale_setup {
    const struct spec *spec;
    double (*truth)(void *context,
                    const json_t *params); /* what a configuration comes to without noise; NaN: nothing */
    void *context;
};

/* Finds both: see objective_optimum. -1 with a sentence: the space of a table is larger than SCALE_MOST, nothing in it
 * has a value, or half of it has the best. */
int regret_scale_find(const struct regret_scale_setup *setup, double *optimum, double *median, struct err *err);

#endif
