/* A table of configurations and what was measured of them, from a CSV file, found by configuration. A column is a
 * parameter unless it is the metric, a repeat of it (METRIC.s0, METRIC.s1, ...), the step, or named as another metric.
 * A configuration has one row, or one for each step. */
#ifndef GANNET_WORKER_DATA_LOOKUP_H
#define GANNET_WORKER_DATA_LOOKUP_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which columns are no parameters. */
struct lookup_roles {
    const char *metric;
    const char *step;   /* the name of the column of steps, if there is one */
    const json_t *also; /* a list of texts: further metrics; or NULL */
};

struct lookup;

/* Reads a table. NULL with a sentence that names file, line and column: no CSV, a metric that is no number, two rows of
 * the same configuration and step, no column of that metric, ... */
struct lookup *lookup_open(const char *path, const struct lookup_roles *roles, struct err *err);
void lookup_close(struct lookup *lookup); /* NULL is fine */

/* Finds the first row of a configuration, a JSON object: -1 with a sentence that says what of it is not in the table. A
 * parameter that the configuration leaves out must have an empty cell. */
int lookup_find(struct lookup *lookup, const json_t *params, size_t *row, struct err *err);

/* The row of the next step after a row; itself after the last. */
size_t lookup_next(const struct lookup *lookup, size_t row);

/* Whether there is a column of steps, and a row's step; 0 when there is none. */
bool lookup_has_steps(const struct lookup *lookup);
int64_t lookup_step(const struct lookup *lookup, size_t row);

/* Metrics, numbered from 0: how many, the one of a name (-1: none), and a row's value of it, NaN where the cell is
 * empty. */
size_t lookup_metrics(const struct lookup *lookup);
int lookup_column(const struct lookup *lookup, const char *name);
double lookup_value(const struct lookup *lookup, size_t row, size_t metric);

#endif
