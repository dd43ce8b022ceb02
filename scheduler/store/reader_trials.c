/* Trials in an order; see reader.h. The store sorts, so that nobody needs memory for all trials to have them sorted. */
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_trial.h"

#include "common/json.h"

#include <string.h>

/* The kinds of columns that are no members of a trial; the name follows a dot. */
static const char *const kinds[] = {"param", "metric", "time"};

/* "param.lr" is of the kind "param" and has the name "lr"; "seconds" is a member. */
static void split_column(const char *column, const char **kind, const char **name)
{
    *kind = "member";
    *name = column;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]);
        if (strncmp(column, kinds[i], length) == 0 && column[length] == '.') {
            *kind = kinds[i];
            *name = column + length + 1;
        }
    }
}

static struct query by_column(struct reader *reader, const struct trial_query *which)
{
    const char *kind, *name;
    split_column(which->order, &kind, &name);
    int64_t most = which->limit && !which->state ? (int64_t)which->limit : -1;
    return QUERY(reader->db, STATEMENT_TRIALS_SORTED, PUT(kind), PUT(name), PUT(which->reverse), PUT(most));
}

static int by_value(struct reader *reader, struct query *out, struct err *err)
{
    bool maximize;
    if (progress_goal(reader->db, &maximize, err))
        return -1;
    *out = QUERY(reader->db, STATEMENT_TRIALS_BY_VALUE, PUT(maximize ? -1 : 1));
    return 0;
}

/* In the order of the numbers. Only few trials are alive, however many there are. */
static struct query by_number(struct reader *reader, const struct trial_query *which)
{
    enum trial_state state = (enum trial_state)(which->state - 1);
    if (which->state && trial_state_is_end(state))
        return QUERY(reader->db, STATEMENT_TRIALS_ENDED, PUT(which->after), PUT(trial_state_name(state)));
    return QUERY(reader->db, which->state ? STATEMENT_TRIALS_ALIVE : STATEMENT_TRIALS_BY_NUMBER, PUT(which->after));
}

/* Numbers of trials in the order that is asked for, whatever their state: a query of one column. -1 with a sentence. */
static int order_trials(struct reader *reader, const struct trial_query *which, struct query *out, struct err *err)
{
    if (which->by_value && !which->trial)
        return by_value(reader, out, err);
    *out = which->trial   ? QUERY(reader->db, STATEMENT_TRIAL_NUMBER, PUT(which->trial))
           : which->order ? by_column(reader, which)
                          : by_number(reader, which);
    return 0;
}

static bool is_wanted(const json_t *trial, const struct trial_query *which)
{
    const char *state = json_string_value(json_object_get(trial, "state"));
    return !which->state || (state && strcmp(state, trial_state_name((enum trial_state)(which->state - 1))) == 0);
}

/* Shows one trial if it is wanted: 1 when it was, 0 when not, -1 with a sentence. */
static int visit_one(struct reader *reader, uint64_t number, const struct trial_query *which, reader_visit *visit,
                     void *context, struct err *err)
{
    json_t *trial = which->curve   ? reader_make_curve(reader, number, err)
                    : which->brief ? reader_make_brief(reader, number, err)
                                   : reader_make_trial(reader, number, err);
    int result = !trial ? -1 : json_is_object(trial) && is_wanted(trial, which);
    if (result > 0 && visit(context, trial, err))
        result = -1;
    json_decref(trial);
    return result;
}

/* Trials in an order of the store. */
static int visit_all(struct reader *reader, const struct trial_query *which, reader_visit *visit, void *context,
                     struct err *err)
{
    uint64_t seen = 0;
    int row = 0, shown = 0;
    struct query numbers = {0};
    if (order_trials(reader, which, &numbers, err))
        return -1;
    while (shown >= 0 && (!which->limit || seen < which->limit) && (row = query_row(&numbers, err)) > 0) {
        shown = visit_one(reader, query_get_u64(&numbers), which, visit, context, err);
        seen += shown > 0;
    }
    query_end(&numbers);
    return row < 0 || shown < 0 ? -1 : 0;
}

/* Trials of a list. */
static int visit_listed(struct reader *reader, const struct trial_query *which, reader_visit *visit, void *context,
                        struct err *err)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < json_array_size(which->numbers) && (!which->limit || seen < which->limit); i++) {
        uint64_t number = (uint64_t)json_integer_value(json_array_get(which->numbers, i));
        int shown = visit_one(reader, number, which, visit, context, err);
        if (shown < 0)
            return -1;
        seen += (uint64_t)shown;
    }
    return 0;
}

int reader_trials_each(struct reader *reader, const struct trial_query *which, reader_visit *visit, void *context,
                       struct err *err)
{
    if (reader_begin(reader, err))
        return -1;
    int failed = which->numbers ? visit_listed(reader, which, visit, context, err)
                                : visit_all(reader, which, visit, context, err);
    reader_end(reader);
    return failed;
}

static int append_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    return json_array_append(context, trial);
}

json_t *reader_trials(struct reader *reader, const struct trial_query *which, struct err *err)
{
    json_t *list = json_array();
    if (reader_trials_each(reader, which, append_trial, list, err) == 0)
        return list;
    json_decref(list);
    return NULL;
}

static int read_numbers(struct reader *reader, const struct trial_query *which, json_t *out, struct err *err)
{
    struct query numbers = {0};
    int row = 0;
    if (order_trials(reader, which, &numbers, err))
        return -1;
    while ((!which->limit || json_array_size(out) < which->limit) && (row = query_row(&numbers, err)) > 0)
        json_array_append_new(out, json_integer(query_get_int(&numbers)));
    query_end(&numbers);
    return row < 0 ? -1 : 0;
}

json_t *reader_numbers(struct reader *reader, const struct trial_query *query, struct err *err)
{
    struct trial_query which = {
        .by_value = query->by_value, .order = query->order, .reverse = query->reverse, .limit = query->limit};
    if (reader_begin(reader, err))
        return NULL;
    json_t *numbers = json_array();
    return reader_finish(reader, read_numbers(reader, &which, numbers, err), numbers);
}

static int read_trend(struct reader *reader, uint64_t trial, uint64_t most, json_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_TREND, PUT(trial), PUT(most));
    json_t *trend = json_array();
    int row;
    json_array_append_new(out, trend);
    while ((row = query_row(&query, err)) > 0)
        json_array_insert_new(trend, 0, json_of_real(query_get_real(&query)));
    return row;
}

json_t *reader_trends(struct reader *reader, const json_t *numbers, uint64_t most, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *out = json_array();
    int failed = 0;
    for (size_t i = 0; !failed && i < json_array_size(numbers); i++)
        failed = read_trend(reader, (uint64_t)json_integer_value(json_array_get(numbers, i)), most, out, err);
    return reader_finish(reader, failed, out);
}

static int read_params(struct reader *reader, uint64_t trial, json_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_PARAMS, PUT(trial));
    int row = query_row(&query, err);
    if (row < 0)
        return -1;
    json_array_append_new(out, row ? reader_get_object(&query) : json_null());
    if (row)
        query_end(&query);
    return 0;
}

json_t *reader_params(struct reader *reader, const json_t *numbers, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *out = json_array();
    int failed = 0;
    for (size_t i = 0; !failed && i < json_array_size(numbers); i++)
        failed = read_params(reader, (uint64_t)json_integer_value(json_array_get(numbers, i)), out, err);
    return reader_finish(reader, failed, out);
}

json_t *reader_metrics(struct reader *reader, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = query_make(reader->db, STATEMENT_METRIC_NAMES);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        query_skip(&query); /* its number */
        json_array_append_new(list, json_of_text(query_get_text(&query)));
    }
    return reader_finish(reader, row, list);
}

json_t *reader_best(struct reader *reader, struct err *err)
{
    struct progress progress;
    json_t *best = NULL;
    if (reader_begin(reader, err))
        return NULL;
    if (progress_read(reader->db, &progress, err) == 0)
        best = progress.tally.has_best ? reader_make_trial(reader, progress.tally.best_trial, err) : json_null();
    reader_end(reader);
    return best;
}
