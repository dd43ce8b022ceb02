/* One whole search on a virtual clock: P workers that work at the same time, asynchronously. A free worker asks at
 * once; trials end in the order of their times, equal times by trial number; each end is told before the next ask. */
#ifndef GANNET_CLI_BENCH_SIMULATE_H
#define GANNET_CLI_BENCH_SIMULATE_H

#include "cli/bench/virtual_clock.h"
#include "cli/bench/driver.h"

#include <stdatomic.h>

struct simulation {
    struct bench_objective *objective;
    const struct contender *contender;
    uint64_t seed, trials;
    bool by_steps; /* count steps instead of trials; so when any contender of the benchmark stops early */
    uint32_t workers;
    struct durations durations; /* when the objective does not say how long trials take */
    bool asks_take_time;        /* the virtual clock stops while a strategy thinks unless this is set: then the strategy
                                 * thinks beside the workers, as in a coordinator, for the time that it takes on this
                                 * processor, and a queue of proposals is kept ready. Not by steps. */
    const atomic_bool *stop;    /* becomes true: give the search up */
};

/* The state of a search when a number of its trials have ended. */
struct bench_standing {
    uint64_t trials;
    double best;         /* the true value of the whole trial with the best value seen so far; NaN: none yet */
    double regret;       /* of `best` */
    double ask50, ask99; /* milliseconds a suggestion took, ask and tell together, since the standing before; NaN: there
                          * was none */
};

struct simulated {
    struct bench_standing *standings; /* at each of the counts below the search's trials, and at its end */
    size_t count;
    uint64_t ended, failed; /* trials; fewer ended than wanted when nothing was left to try */
    uint64_t stopped;       /* of the ended ones, those that were stopped early */
    uint64_t steps;         /* run in all, when steps are counted */
    double utilisation;     /* of the workers, until nothing more was handed out */
    struct err failure;     /* how the first of the failed trials failed */
};

/* The counts that standings are taken at: 10, 25, 50, 100, 200, then 500, 1000, 2000, 5000, ... The one after `count`;
 * after 0 the first. */
uint64_t simulate_next_count(uint64_t count);

/* Runs it. -1 with a sentence when the contender broke down; 1: it was stopped. *out is empty then. A search that has
 * nothing left to try keeps its last standing for all further counts. */
int simulate(const struct simulation *simulation, struct simulated *out, struct err *err);

void simulated_fini(struct simulated *simulated);

#endif
