/* The searches of a benchmark for people and for programs: what their rows don't say. */
#ifndef GANNET_CLI_VIEW_BENCH_SERIES_H
#define GANNET_CLI_VIEW_BENCH_SERIES_H

#include "cli/bench/series.h"
#include "cli/console.h"

/* Says which searches broke down and why, once for each contender and file; whether any did. */
bool series_show_broken(const struct series *series, struct console *console);

/* Adds how busy the workers were with each contender: the median of its searches. */
void series_show_utilisation(const struct series *series, const struct contenders *contenders, struct buf *out);

/* The arrays `tables` and `searches` of docs/bench.md. */
json_t *series_tables_json(const struct series_setup *setup);
json_t *series_searches_json(const struct series *series);

#endif
