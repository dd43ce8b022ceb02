/* Results of benchmarks for people and for programs. */
#ifndef GANNET_CLI_VIEW_BENCH_RESULTS_H
#define GANNET_CLI_VIEW_BENCH_RESULTS_H

#include "cli/bench/bench_summary.h"
#include "cli/bench/series.h"
#include "cli/console.h"

/* Adds, for each number of workers: the best so far on each table, then ranks, regrets and milliseconds over all of
 * them, then who is better than whom at the last count of trials. */
void contest_show(const struct cube *cube, const struct look *look, struct buf *out);

/* The same as a JSON object with the arrays `standings`, `overall` and `pairs` (docs/bench.md). */
json_t *contest_json(const struct cube *cube);

/* Says which searches broke down and why, once for each contender and file; whether any did. */
bool series_show_broken(const struct series *series, struct console *console);

/* Adds how busy the workers were with each contender: the median of its searches. */
void series_show_utilisation(const struct series *series, const struct contenders *contenders, struct buf *out);

/* The arrays `tables` and `searches` of docs/bench.md. */
json_t *series_tables_json(const struct series_setup *setup);
json_t *series_searches_json(const struct series *series);

#endif
