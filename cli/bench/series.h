/* All searches of a benchmark - every objective, contender and seed - on several threads. The result does not depend on
 * how many: each search is a function of its setup alone.
 *
 *     series_start ... series_wait (again and again, painting how it goes) ... [series_stop] ... series_rows,
 * series_end
 */
#ifndef GANNET_CLI_BENCH_SERIES_H
#define GANNET_CLI_BENCH_SERIES_H

#include "cli/bench/contender.h"
#include "cli/bench/rows.h"
#include "cli/bench/simulate.h"

struct series_setup {
    struct bench_objective *const *objectives;
    size_t objective_count;
    const struct contenders *contenders;
    uint64_t seeds; /* 1 .. seeds */
    uint64_t trials;
    uint32_t workers;
    struct durations durations;
    bool asks_take_time, by_steps; /* as in struct simulation */
    unsigned jobs;                 /* threads */
};

/* One search of a series and what came of it. */
struct series_search {
    struct bench_objective *objective;
    const struct contender *contender;
    uint64_t seed;
    enum { SEARCH_OPEN, SEARCH_DONE, SEARCH_BROKEN } state;
    struct simulated result; /* of a done one */
    struct err err;          /* of a broken one */
};

struct series;

/* Starts the threads; what the setup points to must live until series_end. NULL with a sentence. */
struct series *series_start(const struct series_setup *setup, struct err *err);

/* Waits until all searches have ended (true), at most `seconds`. */
bool series_wait(struct series *series, double seconds);

/* Searches ended so far, and in all. */
uint64_t series_ended(struct series *series);
uint64_t series_count(const struct series *series);

/* Lets no further search begin and gives up those that run. */
void series_stop(struct series *series);

/* The searches, sorted by objective, contender and seed; only after series_wait was true. */
const struct series_search *series_searches(const struct series *series, size_t *count);

/* Adds the standings of all done searches, in the same order. */
void series_rows(const struct series *series, struct bench_rows *rows);

/* Stops it and frees all. NULL is fine. */
void series_end(struct series *series);

#endif
