/* Who of several contenders searches better: the best so far after the same effort - trials, time, core time -, over
 * the seeds of each, and at what confidence one is ahead. Pure: of what compared.h has read. */
#ifndef GANNET_CLI_VIEW_COMPARISON_H
#define GANNET_CLI_VIEW_COMPARISON_H

#include "cli/bench/rank_sum.h"
#include "cli/data/compared.h"
#include "cli/look.h"
#include "common/buf.h"

enum effort { EFFORT_TRIALS, EFFORT_SECONDS, EFFORT_CORES, EFFORTS };

/* The effort of a name, as --over takes it ("trials|time|cores"). */
enum effort effort_named(const char *name);

/* Values of one contender at an effort, over its seeds. */
struct standing_at {
    double low, median, high; /* the quartiles; NaN: no seed had a value */
    size_t none;              /* seeds without a value */
};

struct standing_at comparison_standing(const struct compared_group *group, enum effort effort, double passed);

/* How much effort all seeds of all contenders have spent: up to there they are compared. */
double comparison_common(const struct compared *compared, enum effort effort);

/* "40 trials", "3m05s of time"; returns `out`. */
const char *comparison_show_effort(enum effort effort, double passed, char *out, size_t size);

/* Tests the leader at an effort, whose median is best, against each other contender: of each contender a test, of which
 * the leader's own means nothing; p holds for all of them at once. Returns which one leads. */
size_t comparison_test(const struct compared *compared, enum effort effort, double passed, struct rank_sum *tests);

/* The best seed of a contender: its data, and which experiment; NULL: none has a value. And its best point. */
const struct trial_data *comparison_best_seed(const struct compared_group *group, size_t *which);
const struct best_point *comparison_best(const struct trial_data *data);

/* The value of a parameter of that trial; JSON null when it has none (`data` may be NULL). */
json_t *comparison_best_param(const struct trial_data *data, const char *name);

/* The parameters of any contender, each once: the members of an object. */
json_t *comparison_param_names(const struct compared *compared);

/* Adds what people read: curves over an effort, a table, sentences, parameters of the bests. */
void comparison_describe(const struct compared *compared, enum effort over, const struct look *look, struct buf *out);

/* The same for programs (docs/json.md). */
json_t *comparison_json(const struct compared *compared);

#endif
