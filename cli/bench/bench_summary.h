/* What rows of results come down to: medians, ranks, and who is better than whom.
 *
 * Everything is taken at one place: a number of workers and of trials, by their indices in the cube. A table's index
 * may be SUMMARY_ALL. Where a search has found no value yet its regret counts as infinite: it loses against everything
 * else. */
#ifndef GANNET_CLI_BENCH_BENCH_SUMMARY_H
#define GANNET_CLI_BENCH_BENCH_SUMMARY_H

#include "cli/bench/rows.h"
#include "cli/bench/stats.h"

/* Rows of results arranged by what they are of: table, strategy, workers, trials, seed.
 * Alphabet: T tables, S strategies (both in the order they first came), W numbers of workers, N numbers of trials, R
 * seeds (ascending). */
struct cube {
    const char **tables, **strategies; /* texts of the rows */
    uint64_t *workers, *trials, *seeds;
    size_t T, S, W, N, R;
    const struct bench_row **cells; /* T x S x W x N x R; NULL: there is no such row */
};

/* The rows must outlive it. Of several rows for the same cell the last counts. */
void cube_init(struct cube *cube, const struct bench_rows *rows);
void cube_fini(struct cube *cube);

static inline const struct bench_row *cube_at(const struct cube *cube, size_t t, size_t s, size_t w, size_t n, size_t r)
{
    return cube->cells[(((t * cube->S + s) * cube->W + w) * cube->N + n) * cube->R + r];
}

#include <stdint.h>

#define SUMMARY_ALL SIZE_MAX

struct summary_place {
    size_t table, workers, trials;
};

/* How a strategy did. */
struct bench_summary {
    size_t searches;         /* that there are rows of; 0: none, the rest is NaN */
    double best;             /* median over the searches; of one table */
    double regret;           /* median */
    double mean_regret;      /* mean */
    double rank;             /* mean over the searches (table, seed) that all strategies at this place have done */
    size_t ranked;           /* the number of these searches */
    double ask_p50, ask_p99; /* medians of both */
};

/* All strategies at a place: cube->S summaries. */
void bench_summary_make(const struct cube *cube, struct summary_place place, struct bench_summary *out);

/* Strategy a against b: the signed-rank test over the searches that both did; `below` are those that a won. */
struct wilcoxon bench_summary_pair(const struct cube *cube, struct summary_place place, size_t a, size_t b);

/* On how many tables a is significantly better (p < 0.01) than b. */
size_t bench_summary_better(const struct cube *cube, struct summary_place place, size_t a, size_t b);

#endif
