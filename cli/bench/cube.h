/* Rows of results arranged by what they are of: table, strategy, workers, trials, seed. */
#ifndef GANNET_CLI_BENCH_CUBE_H
#define GANNET_CLI_BENCH_CUBE_H

#include "cli/bench/rows.h"

/* Alphabet: T tables, S strategies (both in the order they first came), W numbers of workers, N numbers of trials, R
 * seeds (ascending). */
struct cube {
    const char **tables, **strategies; /* texts of the rows */
    uint64_t *workers, *trials, *seeds;
    size_t T, S, W, N, R;
    const struct row **cells; /* T x S x W x N x R; NULL: there is no such row */
};

/* The rows must outlive it. Of several rows for the same cell the last counts. */
void cube_init(struct cube *cube, const struct rows *rows);
void cube_fini(struct cube *cube);

static inline const struct row *cube_at(const struct cube *cube, size_t t, size_t s, size_t w, size_t n, size_t r)
{
    return cube->cells[(((t * cube->S + s) * cube->W + w) * cube->N + n) * cube->R + r];
}

#endif
