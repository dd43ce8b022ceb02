/* Which trials a person wants to see, said as an expression over their columns:
 *
 *     state == 'failed' and lr > 1e-3
 *     failed or metric.accuracy < 0.5 and time.data > 0.5 * seconds
 *
 * The language is that of constraints (search/expression.h). An operand is a member of a trial (state, reason, seconds,
 * ...), else a parameter, else a metric, else a phase of that name; the prefixes "param.", "metric." and "time." say
 * which. The names of states and endings alone are true of trials that have them. What a trial has no value for is
 * null: no number compares with it, and "x == null" finds it. `started` and `ended` are seconds since 1970, `cpus` and
 * `gpus` how many they are. */
#ifndef GANNET_CLI_DATA_FILTER_H
#define GANNET_CLI_DATA_FILTER_H

#include "cli/data/source.h"

#include <stdbool.h>

/* What there is to name. */
struct filter_names {
    const json_t *experiment; /* reader_experiment: its parameters, and the metrics that trials are judged by */
    const json_t *metrics;    /* an array of further names of metrics; NULL: none */
    const json_t *trials;     /* some trials: their parameters, metrics and phases have names, too; NULL: none */
};

struct filter;

/* NULL with a sentence; *column (from 0) is where in the text. The names are not needed afterwards. */
struct filter *filter_parse(const char *text, const struct filter_names *names, size_t *column, struct err *err);
void filter_destroy(struct filter *filter); /* NULL is fine */

/* The same with the names that the experiment has by now; the sentence says where the mistake is: "character 7: ...".
 * *status is STATUS_USAGE when the text is at fault. */
struct filter *filter_open(struct source *source, const char *text, int *status, struct err *err);

/* Whether it holds for a trial, an object as docs/json.md has it. */
bool filter_keeps(const struct filter *filter, const json_t *trial);

/* Whether nothing but members of that list, and parameters, is read; and whether parameters are. */
bool filter_reads_only(const struct filter *filter, const char *const *members, size_t count);
bool filter_reads_params(const struct filter *filter);

/* The members of a trial that it reads, as names that reader_facts takes: added to an array, each once. */
void filter_list_members(const struct filter *filter, json_t *out);

#endif
