/* One trial with everything, as JSON; docs/json.md. */
#include "scheduler/store/reader_parts.h"

#include "common/json.h"

/* The columns of the statement RUNS. */
static json_t *get_run(struct query *query, int64_t *attempt)
{
    json_t *run = json_object();
    *attempt = query_get_int(query);
    json_object_set_new(run, "attempt", json_integer(*attempt));
    json_object_set_new(run, "reason", reader_get_text(query));
    json_object_set_new(run, "late", reader_get_text(query));
    json_object_set_new(run, "detail", reader_get_text(query));
    json_object_set_new(run, "node", reader_get_text(query));
    json_object_set_new(run, "slot", reader_get_int(query));
    json_object_set_new(run, "cpus", reader_get_list(query));
    json_object_set_new(run, "gpus", reader_get_list(query));
    json_object_set_new(run, "leased", reader_get_time(query));
    json_object_set_new(run, "started", reader_get_time(query));
    json_object_set_new(run, "seconds", reader_get_real(query));
    json_object_set_new(run, "cpu_seconds", reader_get_real(query));
    json_object_set_new(run, "peak_memory", reader_get_int(query));
    json_object_set_new(run, "tail", reader_get_text(query));
    json_object_set_new(run, "resumed", reader_get_int(query));
    json_object_set_new(run, "job", reader_get_text(query));
    json_object_set_new(run, "profile", json_object());
    return run;
}

static int add_runs(struct reader *reader, uint64_t trial, json_t *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_RUNS);
    query_put_u64(&query, trial);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        int64_t attempt;
        json_t *run = get_run(&query, &attempt);
        json_array_append_new(out, run);
        if (reader_add_profile(reader, trial, attempt, json_object_get(run, "profile"), err)) {
            query_end(&query);
            return -1;
        }
    }
    return row;
}

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
    struct query query = query_make(reader->db, STATEMENT_SAMPLES);
    query_put_u64(&query, trial);
    query_put_int(&query, attempt);
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

/* What early stopping said of it, with the reasons. */
static int add_decisions(struct reader *reader, uint64_t trial, json_t *out, struct err *err)
{
    static const char *const decisions[] = {"goes_on", "stops", "pauses", "went_on"};
    struct query query = query_make(reader->db, STATEMENT_DECIDED);
    query_put_u64(&query, trial);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        int decision = query_get_enum(&query, sizeof decisions / sizeof *decisions);
        json_t *json = json_object();
        json_object_set_new(json, "decision", decision < 0 ? json_null() : json_string(decisions[decision]));
        json_object_set_new(json, "step", reader_get_int(&query));
        json_object_set_new(json, "value", reader_get_real(&query));
        json_object_set_new(json, "why", reader_get_text(&query));
        json_array_append_new(out, json);
    }
    return row;
}

static json_t *make_show(struct reader *reader, uint64_t trial, struct err *err)
{
    struct trial_extra extra;
    json_t *json = reader_make_trial(reader, trial, &extra, err);
    if (!json_is_object(json))
        return json;
    json_t *runs = json_array(), *curve = json_array(), *decisions = json_array();
    json_object_set_new(json, "detail", extra.detail);
    json_object_set_new(json, "runs", runs);
    json_object_set_new(json, "curve", curve);
    json_object_set_new(json, "decisions", decisions);
    if (add_runs(reader, trial, runs, err) == 0 && add_curve(reader, trial, extra.attempt, curve, err) == 0 &&
        add_decisions(reader, trial, decisions, err) == 0)
        return json;
    json_decref(json);
    return NULL;
}

json_t *reader_show(struct reader *reader, uint64_t trial, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = make_show(reader, trial, err);
    reader_end(reader);
    return json;
}
