/* What rows of results come down to: medians, ranks, and who is better than whom.
 *
 * Everything is taken at one place: a number of workers and of trials, by their indices in the cube. A table's index
 * may be SUMMARY_ALL. Where a search has found no value yet its regret counts as infinite: it loses against everything
 * else. */
#ifndef GANNET_CLI_BENCH_BENCH_SUMMARY_H
#define GANNET_CLI_BENCH_BENCH_SUMMARY_H

#include "cli/bench/cube.h"
#include "cli/bench/wilcoxon.h"

#include <stdint.h>

#define SUMMARY_ALL SIZE_MAX

struct summary_place {
    size_t table, workers, trials;
};

/* How a strategy did. */
struct summary {
    size_t searches;         /* that there are rows of; 0: none, the rest is NaN */
    double best;             /* median over the searches; of one table */
    double regret;           /* median */
    double mean_regret;      /* mean */
    double rank;             /* mean over the searches (table, seed) that all strategies have been at that were here; */
    size_t ranked;           /* so many */
    double ask_p50, ask_p99; /* medians of both */
};

/* All strategies at a place: cube->S summaries. */
void summary_make(const struct cube *cube, struct summary_place place, struct summary *out);

/* Strategy a against b: the signed-rank test over the searches that both did; `below` are those that a won. */
struct wilcoxon summary_pair(const struct cube *cube, struct summary_place place, size_t a, size_t b);

/* On how many tables a is significantly better (p < 0.01) than b. */
size_t summary_better(const struct cube *cube, struct summary_place place, size_t a, size_t b);

#endif
