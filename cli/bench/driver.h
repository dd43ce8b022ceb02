/* A contender at work on one search: the same questions whether it is a strategy in this process or an outside
 * program. All calls from one thread. */
#ifndef GANNET_CLI_BENCH_DRIVER_H
#define GANNET_CLI_BENCH_DRIVER_H

#include "cli/bench/contender.h"
#include "cli/bench/objective.h"
#include "search/searcher.h"

#include <stdatomic.h>

struct driver_setup {
    const struct contender *contender;
    const struct bench_objective *objective;
    uint64_t seed;
    uint64_t trials; /* 0: not limited */
    uint64_t steps;  /* of a whole trial, when trials may be stopped on their way; else 0 */
    uint32_t workers;
    const atomic_bool *stop; /* becomes true: an outside program is not waited for any longer */
};

struct driver;

/* NULL with a sentence: an option that the strategy does not have, a space it can't search, a program that does not
 * start. */
struct driver *driver_create(const struct driver_setup *setup, struct err *err);
void driver_destroy(struct driver *driver); /* NULL is fine */

/* What trial `trial` is to try: *params is the caller's. As searcher_ask. */
enum searcher_answer driver_ask(struct driver *driver, uint64_t trial, json_t **params, struct err *err);

/* What came of a trial, or what it has come to so far. */
struct driver_result {
    enum ending ending; /* of an ended one */
    double value;       /* in the metric's units */
    double seconds;
    uint64_t step; /* of the value; 0: it has no steps */
};

/* A trial has ended; a trial has come to this at a rung, and goes on or waits. -1 with a sentence: an outside program
 * is gone. */
int driver_tell(struct driver *driver, uint64_t trial, const struct driver_result *told, struct err *err);
int driver_observe(struct driver *driver, uint64_t trial, const struct driver_result *so_far, struct err *err);

#endif
