/* Who of several contenders searches better: the best so far after the same effort - trials, time, core time -, over
 * the seeds of each, and at what confidence one is ahead. Pure: of what rivals.h has read. */
#ifndef GANNET_CLI_VIEW_RIVALRY_H
#define GANNET_CLI_VIEW_RIVALRY_H

#include "cli/bench/rank_sum.h"
#include "cli/data/rivals.h"
#include "cli/look.h"
#include "common/buf.h"

enum effort { EFFORT_TRIALS, EFFORT_SECONDS, EFFORT_CORES, EFFORTS };

/* The name of an effort, as --over takes it ("trials|time|cores"), and the one of a name. */
const char *effort_name(enum effort effort);
enum effort effort_named(const char *name);

/* Values of one contender at an effort, over its seeds. */
struct standing_at {
    double low, median, high; /* the quartiles; NaN: no seed had a value */
    size_t none;              /* seeds without a value */
};

struct standing_at rivalry_standing(const struct rival *rival, enum effort effort, double passed);

/* How much effort all seeds of all contenders have spent: up to there they are compared. */
double rivalry_common(const struct rivals *rivals, enum effort effort);

/* "40 trials", "3m05s of time"; returns `out`. */
const char *rivalry_show_effort(enum effort effort, double passed, char *out, size_t size);

/* Tests the leader at an effort, whose median is best, against each other contender: of each contender a test, of which
 * the leader's own means nothing; p holds for all of them at once. Returns which one leads. */
size_t rivalry_test(const struct rivals *rivals, enum effort effort, double passed, struct rank_sum *tests);

/* The best seed of a contender: its data, and which experiment; NULL: none has a value. And its best point. */
const struct trial_data *rivalry_best_seed(const struct rival *rival, size_t *which);
const struct best_point *rivalry_best(const struct trial_data *data);

/* The value of a parameter of that trial; JSON null when it has none (`data` may be NULL). */
json_t *rivalry_best_param(const struct trial_data *data, const char *name);

/* The parameters of any contender, each once: the members of an object. */
json_t *rivalry_param_names(const struct rivals *rivals);

/* Adds what people read: curves over an effort, a table, sentences, parameters of the bests. */
void rivalry_describe(const struct rivals *rivals, enum effort over, const struct look *look, struct buf *out);

/* The same for programs (docs/json.md). */
json_t *rivalry_json(const struct rivals *rivals);

#endif
