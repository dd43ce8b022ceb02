/* The columns of a list of trials. A column is a path into a trial's JSON object: a member of it ("state"), one of its
 * parameters ("param.lr"), of its metrics ("metric.val_loss") or of its profile ("time.forward"). */
#ifndef GANNET_CLI_VIEW_COLUMNS_H
#define GANNET_CLI_VIEW_COLUMNS_H

#include "cli/console.h"

#include <stddef.h>

enum column_kind { COLUMN_MEMBER, COLUMN_PARAM, COLUMN_METRIC, COLUMN_TIME };

struct trial_column {
    enum column_kind kind;
    char *name;    /* of the member, parameter, metric or phase */
    bool number;   /* its values in the list are numbers or missing */
    bool duration; /* shown as "3m05s" */
};

/* A list of columns; {0} is an empty one. */
struct trial_columns {
    struct trial_column *items;
    size_t count, capacity;
};

void columns_fini(struct trial_columns *columns);

/* All columns of these trials: the members, then params, metrics and times in the order they occur. */
void columns_all(const json_t *trials, struct trial_columns *out);

/* Those that a person wants to see first: number, state, value, time and parameters, the step where any runs, and the
 * reason where any failed.
 */
void columns_usual(const json_t *trials, struct trial_columns *out);

/* Those of a list "trial,state,lr,val_loss": a member, else a parameter, else a metric of that name; the prefixes
 * "param.", "metric." and "time." say which. -1 with a sentence that lists what there is;
 * of an empty list any name is taken. */
int columns_choose(const json_t *trials, const char *list, struct trial_columns *out, struct err *err);

/* The name with its prefix, for the first line of a CSV: "param.lr". Written into out. */
void column_title(const struct trial_column *column, struct buf *out);

/* The value in a trial, borrowed; NULL: none. */
const json_t *column_value(const struct trial_column *column, const json_t *trial);

/* Adds it for people. */
void column_show(const struct trial_column *column, const json_t *trial, struct buf *out);

/* Trials as CSV (RFC 4180): a line of names, then a line a trial. The first adds the line of names. */
void columns_csv_names(const struct trial_columns *columns, struct buf *out);

/* Adds the line of a trial; numbers are exact, what is missing is empty, lists are ranges ("0-3"). */
void columns_csv_trial(const json_t *trial, const struct trial_columns *columns, struct buf *out);

/* How a state is coloured. */
enum tint tint_of_state(const char *state);

#endif
