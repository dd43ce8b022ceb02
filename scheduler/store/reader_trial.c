/* Trials as JSON: the object that other programs may rely on; docs/json.md. */
#include "scheduler/store/profile.h"
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_parts.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- metrics --- */

/* The last value of a metric: that of the highest step, the later one of equal steps. */
struct last {
    int64_t metric, step;
    double value;
};

struct lasts {
    struct last *items;
    size_t count, capacity;
};

static void observe_last(struct lasts *lasts, struct last sample)
{
    for (size_t i = 0; i < lasts->count; i++)
        if (lasts->items[i].metric == sample.metric) {
            if (sample.step >= lasts->items[i].step)
                lasts->items[i] = sample;
            return;
        }
    MEM_GROW(lasts->items, lasts->capacity, lasts->count + 1);
    lasts->items[lasts->count++] = sample;
}

static int add_metrics(struct reader *reader, uint64_t trial, int64_t attempt, json_t *out, struct err *err)
{
    struct lasts lasts = {0};
    struct query query = query_make(reader->db, STATEMENT_SAMPLES);
    query_put_u64(&query, trial);
    query_put_int(&query, attempt);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct last sample = {.metric = query_get_int(&query), .step = query_get_int(&query)};
        sample.value = query_get_real(&query);
        observe_last(&lasts, sample);
    }
    for (size_t i = 0; row == 0 && i < lasts.count; i++) {
        const char *name = reader_metric(reader, lasts.items[i].metric, err);
        row = name ? json_object_set_new(out, name, json_of_real(lasts.items[i].value)) : -1;
    }
    free(lasts.items);
    return row;
}

/* --- profiles --- */

void reader_add_times(const struct phase_time *time, json_t *out)
{
    json_object_set_new(out, "seconds", json_of_real(time->seconds));
    json_object_set_new(out, "count", json_integer((json_int_t)time->count));
    json_object_set_new(out, "min", json_of_real(time->min));
    json_object_set_new(out, "max", json_of_real(time->max));
}

int reader_add_profile(struct reader *reader, uint64_t trial, int64_t attempt, json_t *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_PROFILE);
    query_put_u64(&query, trial);
    query_put_int(&query, attempt);
    struct phase_time phases[PHASES_COUNT] = {0};
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    profile_decode(query_get_text(&query), phases);
    query_end(&query);
    for (int i = 0; i < PHASES_COUNT; i++) {
        if (!phases[i].count)
            continue;
        json_t *phase = json_object();
        reader_add_times(&phases[i], phase);
        json_object_set_new(out, phase_name((enum phase)i), phase);
    }
    return 0;
}

/* --- the object --- */

/* A column that is 1, 0 or NULL. */
static json_t *get_truth(struct query *query)
{
    json_t *number = reader_get_int(query), *truth = json_null();
    if (json_is_integer(number))
        truth = json_boolean(json_integer_value(number));
    json_decref(number);
    return truth;
}

/* The columns of the statement TRIAL. Metrics and profile are filled in when its query has ended. */
static json_t *get_trial(struct query *query, uint64_t trial, struct trial_extra *extra)
{
    json_t *json = json_object();
    json_object_set_new(json, "trial", json_of_u64(trial));
    json_object_set_new(json, "state", reader_get_text(query));
    json_object_set_new(json, "reason", reader_get_text(query));
    json_object_set_new(json, "attempts", reader_get_int(query));
    json_object_set_new(json, "params", reader_get_object(query));
    json_object_set_new(json, "metrics", json_object());
    extra->value = query_get_real(query);
    json_object_set_new(json, "value", isnan(extra->value) ? json_null() : json_of_real(extra->value));
    json_object_set_new(json, "started", reader_get_time(query));
    json_object_set_new(json, "ended", reader_get_time(query));
    json_object_set_new(json, "seconds", reader_get_real(query));
    json_object_set_new(json, "node", reader_get_text(query));
    json_object_set_new(json, "slot", reader_get_int(query));
    json_object_set_new(json, "cpus", reader_get_list(query));
    json_object_set_new(json, "gpus", reader_get_list(query));
    json_object_set_new(json, "profile", json_object());
    extra->attempt = query_get_int(query);
    extra->detail = reader_get_text(query);
    json_object_set_new(json, "values", json_object());
    json_object_set_new(json, "feasible", get_truth(query));
    json_object_set_new(json, "job", reader_get_text(query));
    return json;
}

/* The value of every metric that trials are judged by, of a trial that has one. */
static int add_values(struct reader *reader, uint64_t trial, double first, json_t *json, struct err *err)
{
    json_t *values = isnan(first) ? json_object() : reader_values(reader, trial, first, err);
    return values ? json_object_set_new(json, "values", values) : -1;
}

static int read_trial(struct reader *reader, uint64_t trial, json_t **out, struct trial_extra *extra, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_TRIAL);
    query_put_u64(&query, trial);
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    *out = get_trial(&query, trial, extra);
    query_end(&query);
    return add_values(reader, trial, extra->value, *out, err) ||
                   add_metrics(reader, trial, extra->attempt, json_object_get(*out, "metrics"), err) ||
                   reader_add_profile(reader, trial, extra->attempt, json_object_get(*out, "profile"), err)
               ? -1
               : 0;
}

json_t *reader_make_trial(struct reader *reader, uint64_t trial, struct trial_extra *extra, struct err *err)
{
    json_t *json = json_null();
    struct trial_extra own = {.detail = json_null()};
    if (read_trial(reader, trial, &json, &own, err)) {
        json_decref(json);
        json_decref(own.detail);
        return NULL;
    }
    if (extra)
        *extra = own;
    else
        json_decref(own.detail);
    return json;
}

/* --- many --- */

static bool is_wanted(const json_t *trial, const struct trial_query *which)
{
    const char *state = json_string_value(json_object_get(trial, "state"));
    return !which->state || (state && strcmp(state, trial_state_name((enum trial_state)(which->state - 1))) == 0);
}

/* Shows one trial if it is wanted: 1 when it was, 0 when not, -1 with a sentence. */
static int visit_one(struct reader *reader, uint64_t number, const struct trial_query *which, reader_visit *visit,
                     void *context, struct err *err)
{
    json_t *trial = reader_make_trial(reader, number, NULL, err);
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
    if (reader_order(reader, which, &numbers, err))
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

static int append_trial_store(void *context, json_t *trial, struct err *err)
{
    (void)err;
    return json_array_append(context, trial);
}

json_t *reader_trials(struct reader *reader, const struct trial_query *which, struct err *err)
{
    json_t *list = json_array();
    if (reader_trials_each(reader, which, append_trial_store, list, err) == 0)
        return list;
    json_decref(list);
    return NULL;
}

json_t *reader_best(struct reader *reader, struct err *err)
{
    struct progress progress;
    json_t *best = NULL;
    if (reader_begin(reader, err))
        return NULL;
    if (progress_read(reader->db, &progress, err) == 0)
        best = progress.tally.has_best ? reader_make_trial(reader, progress.tally.best_trial, NULL, err) : json_null();
    reader_end(reader);
    return best;
}
