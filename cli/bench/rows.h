/* Results of benchmarks as rows: what `gannet bench --csv` writes, and reads again to compare with. One row is how one
 * search stood when a number of its trials had ended. */
#ifndef GANNET_CLI_BENCH_ROWS_H
#define GANNET_CLI_BENCH_ROWS_H

#include "common/buf.h"
#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/* X(member, how it is written): the columns in their order. */
#define ROW_COLUMNS(X)                                                                                                 \
    X(table, TEXT)                                                                                                     \
    X(strategy, TEXT)                                                                                                  \
    X(seed, COUNT)                                                                                                     \
    X(workers, COUNT)                                                                                                  \
    X(trials, COUNT)                                                                                                   \
    X(best, REAL)                                                                                                      \
    X(regret, REAL)                                                                                                    \
    X(ask_ms_p50, TIME)                                                                                                \
    X(ask_ms_p99, TIME)

#define ROW_TYPE_TEXT  const char *
#define ROW_TYPE_COUNT uint64_t
#define ROW_TYPE_REAL  double
#define ROW_TYPE_TIME  double

struct bench_row {
#define X(member, type) ROW_TYPE_##type member;
    ROW_COLUMNS(X)
#undef X
};

/* {0} is an empty list. Texts belong to the list. */
struct bench_rows {
    struct bench_row *items;
    size_t count, capacity;
    char **texts; /* each different one once, in the order they came */
    size_t text_count, text_capacity;
};

void rows_fini(struct bench_rows *rows);

/* Adds a copy of a row. */
void rows_add(struct bench_rows *rows, const struct bench_row *row);

/* Adds all as CSV, the line of names first. */
void rows_write(const struct bench_rows *rows, struct buf *out);

/* Adds those of a file that rows_write or another program wrote; further columns are skipped. -1 with a sentence that
 * names file and line. */
int rows_read(struct bench_rows *rows, const char *path, struct err *err);

#endif
