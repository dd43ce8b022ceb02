/* A trial as JSON: the object that other programs may rely on, and all that is known of it; docs/json.md. */
#include "scheduler/store/reader_trial.h"
#include "scheduler/store/counted.h"
#include "scheduler/store/gpu_sums.h"
#include "scheduler/store/operations.h"
#include "scheduler/store/profile.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_criteria.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

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

int reader_add_metrics(struct reader *reader, uint64_t trial, int64_t attempt, json_t *json, struct err *err)
{
    struct lasts lasts = {0};
    json_t *out = json_object_get(json, "metrics"), *step = json_null();
    if (!json_is_object(out))
        json_object_set_new(json, "metrics", out = json_object());
    struct query query = QUERY(reader->db, STATEMENT_SAMPLES, PUT(trial), PUT(attempt));
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct last sample = {.metric = query_get_int(&query), .step = query_get_int(&query)};
        sample.value = query_get_real(&query);
        observe_last(&lasts, sample);
    }
    for (size_t i = 0; row == 0 && i < lasts.count; i++) {
        const char *name = reader_metric(reader, lasts.items[i].metric, err);
        row = name ? json_object_set_new(out, name, json_of_real(lasts.items[i].value)) : -1;
        if (!json_is_integer(step) || lasts.items[i].step > json_integer_value(step)) {
            json_decref(step);
            step = json_integer(lasts.items[i].step);
        }
    }
    json_object_set_new(json, "step", step);
    free(lasts.items);
    return row;
}

int reader_next_sample(struct reader *reader, uint64_t trial, uint32_t attempt, uint32_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_NEXT_SAMPLE, PUT(trial), PUT(attempt));
    int row = query_row(&query, err);
    if (row < 0)
        return -1;
    *out = row ? (uint32_t)query_get_int(&query) : 0;
    query_end(&query);
    return 0;
}

/* --- profiles --- */

void reader_add_times(const struct phase_time *time, json_t *out)
{
    json_object_set_new(out, "seconds", json_of_real(time->seconds));
    json_object_set_new(out, "count", json_integer((json_int_t)time->count));
    json_object_set_new(out, "min", json_of_real(time->min));
    json_object_set_new(out, "max", json_of_real(time->max));
    json_object_set_new(out, "p50", time->p50 > 0 ? json_of_real(time->p50) : json_null());
    json_object_set_new(out, "p95", time->p95 > 0 ? json_of_real(time->p95) : json_null());
}

static json_t *times_of(const struct phase_time *time)
{
    json_t *json = json_object();
    reader_add_times(time, json);
    return json;
}

/* {counter: value} of those that are known. */
static void add_counters(const char *text, json_t *out)
{
    struct run_counters counters;
    counted_decode(text, &counters);
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        if (!isnan(counters.values[i]))
            json_object_set_new(out, run_counter_name((enum run_counter)i), json_of_real(counters.values[i]));
}

/* What was measured of one run, added to the members of `json`: {phase: {seconds, count, min, max}} to "profile",
 * {counter: value} to "counters". */
static int add_profile(struct reader *reader, uint64_t trial, int64_t attempt, json_t *json, struct err *err)
{
    json_t *out = json_object_get(json, "profile");
    struct query query = QUERY(reader->db, STATEMENT_PROFILE, PUT(trial), PUT(attempt));
    struct phase_time phases[PHASES_COUNT] = {0}, time;
    char name[PHASE_NAME_LONGEST + 1];
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    const char *text = query_get_text(&query);
    profile_decode(text, phases);
    for (int i = 0; i < PHASES_COUNT; i++)
        if (phases[i].count)
            json_object_set_new(out, phase_name((enum phase)i), times_of(&phases[i]));
    while ((text = profile_next_named(text, name, &time)))
        json_object_set_new(out, name, times_of(&time));
    add_counters(query_get_text(&query), json_object_get(json, "counters"));
    query_end(&query);
    return 0;
}

/* --- operations --- */

static json_t *operation_of(enum operation operation, const struct operation_count *count)
{
    json_t *json = json_pack("{s:s, s:I, s:o, s:o, s:I}", "operation", operation_name(operation), "calls",
                             (json_int_t)count->calls, "flops", json_of_real(count->flops), "bytes",
                             json_of_real(count->bytes), "timed", (json_int_t)count->timed);
    json_object_set_new(json, "seconds", count->timed ? json_of_real(count->seconds) : json_null());
    json_object_set_new(json, "min", count->timed ? json_of_real(count->min) : json_null());
    json_object_set_new(json, "max", count->timed ? json_of_real(count->max) : json_null());
    json_object_set_new(json, "place", json_string("cpu"));
    return json;
}

json_t *reader_list_operations(const struct operation_count *counts, json_t *gpu)
{
    const char *name;
    json_t *list = json_array(), *row;
    for (int i = 0; i < OPERATIONS_COUNT; i++)
        if (counts[i].calls)
            json_array_append_new(list, operation_of((enum operation)i, &counts[i]));
    json_object_foreach(gpu, name, row) json_array_append(list, row);
    return list;
}

static int add_operations(struct reader *reader, uint64_t trial, int64_t attempt, json_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_OPERATIONS_OF_RUN, PUT(trial), PUT(attempt));
    struct operation_count counts[OPERATIONS_COUNT] = {0};
    json_t *gpu = json_object(), *why = NULL;
    int row;
    while ((row = query_row(&query, err)) > 0) {
        const char *text = query_get_text(&query);
        operations_decode(text, counts);
        why = gpu_sums_add(text, gpu);
    }
    json_object_set_new(out, "operations", reader_list_operations(counts, gpu));
    json_decref(gpu);
    json_object_set_new(out, "gpu_unknown", why ? why : json_null());
    return row;
}

/* --- the object --- */

/* The columns of the statement TRIAL behind the first two. */
static const struct reader_column trial_columns[] = {
    {"state", reader_get_text},     {"reason", reader_get_text},      {"attempts", reader_get_int},
    {"params", reader_get_object},  {"metrics", reader_get_nothing},  {"value", reader_get_real},
    {"started", reader_get_time},   {"ended", reader_get_time},       {"seconds", reader_get_real},
    {"node", reader_get_text},      {"slot", reader_get_int},         {"cpus", reader_get_list},
    {"gpus", reader_get_list},      {"profile", reader_get_nothing},  {"values", reader_get_nothing},
    {"feasible", reader_get_truth}, {"job", reader_get_text},         {"ignored", reader_get_truth},
    {"added", reader_get_truth},    {"nodes", reader_get_text},       {"verdict", reader_get_text},
    {"figure", reader_get_real},    {"counters", reader_get_nothing},
};

/* The value of every metric that trials are judged by, of a trial that has one. */
static int add_values(struct reader *reader, uint64_t trial, json_t *json, struct err *err)
{
    double first;
    if (!json_to_real(json_object_get(json, "value"), &first))
        return 0;
    json_t *values = reader_values(reader, trial, first, err);
    return values ? json_object_set_new(json, "values", values) : -1;
}

int reader_add_added(struct reader *reader, json_t *trial, struct err *err)
{
    double first;
    const char *name;
    json_t *value;
    if (!json_is_true(json_object_get(trial, "added")) || !json_to_real(json_object_get(trial, "value"), &first))
        return 0;
    uint64_t number = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    json_t *values = reader_values(reader, number, first, err), *metrics = json_object_get(trial, "metrics");
    json_object_foreach(values, name, value) json_object_set(metrics, name, value);
    json_decref(values);
    return values ? 0 : -1;
}

/* Adds the trial's members to `json`: 1; 0: there is no such trial; -1 with a sentence. *attempt: the one that counts;
 * 0: none. *detail: a sentence about its ending, null when there is none. */
static int read_brief(struct reader *reader, uint64_t trial, json_t *json, int64_t *attempt, json_t **detail,
                      struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_TRIAL, PUT(trial));
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    *attempt = query_get_int(&query);
    *detail = reader_get_text(&query);
    json_object_set_new(json, "trial", json_of_u64(trial));
    reader_add_row(&query, READER_COLUMNS(trial_columns), json);
    query_end(&query);
    return add_values(reader, trial, json, err) || reader_add_added(reader, json, err) ? -1 : 1;
}

/* The same with what was sampled and measured. */
static int read_trial(struct reader *reader, uint64_t trial, json_t *json, int64_t *attempt, json_t **detail,
                      struct err *err)
{
    int row = read_brief(reader, trial, json, attempt, detail, err);
    if (row <= 0)
        return row;
    return reader_add_metrics(reader, trial, *attempt, json, err) || add_profile(reader, trial, *attempt, json, err)
               ? -1
               : 1;
}

/* As reader_make_trial. */
static json_t *make_trial(struct reader *reader, uint64_t trial, int64_t *attempt, json_t **detail, struct err *err)
{
    json_t *json = json_object();
    int row = read_trial(reader, trial, json, attempt, detail, err);
    if (row > 0)
        return json;
    json_decref(json);
    return row < 0 ? NULL : json_null();
}

json_t *reader_make_trial(struct reader *reader, uint64_t trial, struct err *err)
{
    int64_t attempt;
    json_t *detail = NULL, *json = make_trial(reader, trial, &attempt, &detail, err);
    json_decref(detail);
    return json;
}

json_t *reader_make_brief(struct reader *reader, uint64_t trial, struct err *err)
{
    int64_t attempt;
    json_t *detail = NULL, *json = json_object();
    int row = read_brief(reader, trial, json, &attempt, &detail, err);
    json_decref(detail);
    if (row > 0)
        return json;
    json_decref(json);
    return row < 0 ? NULL : json_null();
}

/* --- with everything --- */

/* The columns of the statement RUNS. */
static const struct reader_column run_columns[] = {
    {"attempt", reader_get_int},      {"reason", reader_get_text},      {"late", reader_get_text},
    {"detail", reader_get_text},      {"node", reader_get_text},        {"slot", reader_get_int},
    {"cpus", reader_get_list},        {"gpus", reader_get_list},        {"leased", reader_get_time},
    {"started", reader_get_time},     {"seconds", reader_get_real},     {"cpu_seconds", reader_get_real},
    {"peak_memory", reader_get_int},  {"tail", reader_get_text},        {"resumed", reader_get_int},
    {"job", reader_get_text},         {"memory_limit", reader_get_int}, {"time_limit", reader_get_real},
    {"gpu_slots", reader_get_int},    {"nodes", reader_get_text},       {"verdict", reader_get_text},
    {"figure", reader_get_real},      {"uncounted", reader_get_object}, {"profile", reader_get_nothing},
    {"counters", reader_get_nothing},
};

static int add_runs(struct reader *reader, uint64_t trial, json_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_RUNS, PUT(trial));
    int row = reader_add_rows(&query, READER_COLUMNS(run_columns), out, err);
    for (size_t i = 0; row == 0 && i < json_array_size(out); i++) {
        json_t *run = json_array_get(out, i);
        int64_t attempt = json_integer_value(json_object_get(run, "attempt"));
        row = add_profile(reader, trial, attempt, run, err);
    }
    return row;
}

/* The columns of the statement SAMPLES. */
static json_t *get_sample(struct reader *reader, struct query *query, struct err *err)
{
    const char *metric = reader_metric(reader, query_get_int(query), err);
    if (!metric)
        return NULL;
    json_t *sample = json_object();
    json_object_set_new(sample, "metric", json_string(metric));
    json_object_set_new(sample, "step", reader_get_int(query));
    json_object_set_new(sample, "value", json_of_real(query_get_real(query)));
    json_object_set_new(sample, "time", reader_get_real(query));
    return sample;
}

static int add_curve(struct reader *reader, uint64_t trial, int64_t attempt, json_t *out, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_SAMPLES, PUT(trial), PUT(attempt));
    int row;
    while ((row = query_row(&query, err)) > 0) {
        json_t *sample = get_sample(reader, &query, err);
        if (!sample) {
            query_end(&query);
            return -1;
        }
        json_array_append_new(out, sample);
    }
    return row;
}

json_t *reader_make_curve(struct reader *reader, uint64_t trial, struct err *err)
{
    int64_t attempt;
    json_t *detail = NULL, *curve = json_array(), *json = make_trial(reader, trial, &attempt, &detail, err);
    if (!json_is_object(json)) {
        json_decref(detail);
        json_decref(curve);
        return json;
    }
    json_object_set_new(json, "detail", detail);
    json_object_set_new(json, "curve", curve);
    if (add_curve(reader, trial, attempt, curve, err) == 0)
        return json;
    json_decref(json);
    return NULL;
}

static json_t *get_decision(struct query *query)
{
    static const char *const decisions[] = {"goes_on", "stops", "pauses", "went_on"};
    int decision = query_get_enum(query, sizeof decisions / sizeof *decisions);
    return decision < 0 ? json_null() : json_string(decisions[decision]);
}

/* The columns of the statement DECIDED: what early stopping said of a trial, with the reasons. */
static const struct reader_column decision_columns[] = {{"decision", get_decision},  {"step", reader_get_int},
                                                        {"value", reader_get_real},  {"cut_off", reader_get_real},
                                                        {"bracket", reader_get_int}, {"why", reader_get_text}};

static int add_everything(struct reader *reader, uint64_t trial, int64_t attempt, json_t *out, struct err *err)
{
    json_t *runs = json_array(), *curve = json_array(), *decisions = json_array();
    json_object_set_new(out, "runs", runs);
    json_object_set_new(out, "curve", curve);
    json_object_set_new(out, "decisions", decisions);
    if (add_operations(reader, trial, attempt, out, err) || add_runs(reader, trial, runs, err) ||
        add_curve(reader, trial, attempt, curve, err))
        return -1;
    struct query query = QUERY(reader->db, STATEMENT_DECIDED, PUT(trial));
    return reader_add_rows(&query, READER_COLUMNS(decision_columns), decisions, err);
}

json_t *reader_show(struct reader *reader, uint64_t trial, struct err *err)
{
    int64_t attempt;
    json_t *detail = NULL;
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = make_trial(reader, trial, &attempt, &detail, err);
    int failed = 0;
    if (json_is_object(json)) {
        json_object_set_new(json, "detail", detail);
        failed = add_everything(reader, trial, attempt, json, err);
    } else {
        json_decref(detail);
    }
    return reader_finish(reader, failed, json);
}
