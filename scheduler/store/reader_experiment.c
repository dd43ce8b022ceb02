/* The experiment as a whole: what it is, how it stands, what happened, where the time went; docs/json.md. */
#include "scheduler/store/profile.h"
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_parts.h"

#include "common/json.h"

#include <math.h>

/* The JSON unless something failed; it is freed then. */
static json_t *json_unless(int failed, json_t *json)
{
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

/* --- what it is --- */

static int add_experiment(struct reader *reader, json_t *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_EXPERIMENT);
    int row = query_row(&query, err);
    if (row < 0)
        return -1;
    if (!row)
        return err_set(err, "%s: the row of the experiment is missing", reader->db->path);
    json_object_set_new(out, "name", reader_get_text(&query));
    json_object_set_new(out, "description", reader_get_text(&query));
    json_object_set_new(out, "seed", json_of_u64(query_get_u64(&query)));
    json_object_set_new(out, "metric", reader_get_text(&query));
    json_object_set_new(out, "goal", reader_get_text(&query));
    json_object_set_new(out, "use", reader_get_text(&query));
    json_object_set_new(out, "strategy", reader_get_text(&query));
    json_object_set_new(out, "gannet", reader_get_text(&query));
    json_object_set_new(out, "spec", reader_get_text(&query));
    query_end(&query);
    return 0;
}

static int add_criteria(struct reader *reader, json_t *out, struct err *err)
{
    json_t *list = reader_criteria_json(reader, err);
    return list ? json_object_set_new(out, "metrics", list) : -1;
}

static int add_parameters(struct reader *reader, json_t *out, struct err *err)
{
    json_t *list = json_array();
    json_object_set_new(out, "parameters", list);
    struct query query = query_make(reader->db, STATEMENT_PARAMETERS);
    int row;
    while ((row = query_row(&query, err)) > 0)
        json_array_append_new(list, reader_get_object(&query));
    return row;
}

static int add_progress(struct reader *reader, json_t *out, struct err *err)
{
    struct progress progress;
    if (progress_read(reader->db, &progress, err))
        return -1;
    json_object_set_new(out, "state", json_string(experiment_state_name(progress.state)));
    json_object_set_new(out, "reason", json_string(reason_name(progress.reason)));
    json_object_set_new(out, "sessions", json_of_u64(progress.sessions));
    json_object_set_new(out, "started", json_of_time(progress.started));
    json_object_set_new(out, "ended", json_of_time(progress.ended));
    json_object_set_new(out, "held", json_of_real(progress_held(&progress)));
    return reader_add_waste(reader, &progress, out, err);
}

json_t *reader_experiment(struct reader *reader, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = json_object();
    int failed = add_experiment(reader, json, err) || add_progress(reader, json, err) ||
                 add_criteria(reader, json, err) || add_parameters(reader, json, err);
    reader_end(reader);
    return json_unless(failed, json);
}

/* --- what happened --- */

/* The columns of the statement EVENTS. */
static json_t *get_event(struct query *query)
{
    json_t *event = json_object();
    json_object_set_new(event, "id", reader_get_int(query));
    json_object_set_new(event, "time", reader_get_time(query));
    json_object_set_new(event, "kind", reader_get_text(query));
    json_object_set_new(event, "trial", reader_get_int(query));
    json_object_set_new(event, "attempt", reader_get_int(query));
    json_object_set_new(event, "node", reader_get_text(query));
    json_object_set_new(event, "text", reader_get_text(query));
    return event;
}

json_t *reader_events(struct reader *reader, int64_t after, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = query_make(reader->db, STATEMENT_EVENTS);
    query_put_int(&query, after);
    int row;
    while ((row = query_row(&query, err)) > 0)
        json_array_append_new(list, get_event(&query));
    reader_end(reader);
    return json_unless(row, list);
}

/* --- where the time went --- */

static json_t *list_phases(const struct phase_time *phases, double *total)
{
    json_t *list = json_array();
    *total = 0;
    for (int i = 0; i < PHASES_COUNT; i++) {
        if (!phases[i].count)
            continue;
        json_t *phase = json_object();
        json_object_set_new(phase, "phase", json_string(phase_name((enum phase)i)));
        reader_add_times(&phases[i], phase);
        json_array_append_new(list, phase);
        *total += phases[i].seconds;
    }
    return list;
}

static int sum_phases(struct reader *reader, struct phase_time *sums, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_PROFILES);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct phase_time phases[PHASES_COUNT] = {0};
        profile_decode(query_get_text(&query), phases);
        for (int i = 0; i < PHASES_COUNT; i++)
            phase_merge(&sums[i], &phases[i]);
    }
    return row;
}

static void add_shares(json_t *list, double total)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *phase = json_array_get(list, i);
        double seconds = json_real_value(json_object_get(phase, "seconds"));
        json_object_set_new(phase, "share", json_of_real(total > 0 ? seconds / total : 0));
    }
}

json_t *reader_phases(struct reader *reader, struct err *err)
{
    struct phase_time sums[PHASES_COUNT] = {0};
    double total;
    if (reader_begin(reader, err))
        return NULL;
    int failed = sum_phases(reader, sums, err);
    reader_end(reader);
    if (failed)
        return NULL;
    json_t *list = list_phases(sums, &total);
    add_shares(list, total);
    return list;
}

/* --- how it stands --- */

static int count_live(struct reader *reader, struct snapshot *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_COUNT_LIVE);
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    uint64_t live = query_get_u64(&query), running = query_get_u64(&query);
    out->trials[TRIAL_RUNNING] = running;
    uint64_t paused = query_get_u64(&query);
    out->trials[TRIAL_PAUSED] = paused;
    out->trials[TRIAL_WAITING] = live - running - paused;
    query_end(&query);
    return 0;
}

static void copy_progress(const struct progress *progress, struct snapshot *out)
{
    *out = (struct snapshot){
        .state = progress->state,
        .reason = progress->reason,
        .attempts_failed = progress->retried,
        .late = progress->late,
        .has_best = progress->tally.has_best,
        .best_trial = progress->tally.best_trial,
        .best = progress->tally.best,
        .held = progress_held(progress),
        .left = -1,
        .early_stop = progress->stepped > 0,
        .steps = progress->steps,
        .stepped = progress->stepped,
        .max_steps = progress->max_steps,
    };
    for (int state = 0; state < TRIAL_STATES; state++)
        out->trials[state] = progress->tally.ended[state];
}

int reader_snapshot(struct reader *reader, struct snapshot *out, struct err *err)
{
    struct progress progress = {0};
    *out = (struct snapshot){0};
    if (reader_begin(reader, err))
        return -1;
    int failed = progress_read(reader->db, &progress, err);
    copy_progress(&progress, out);
    failed = failed || count_live(reader, out, err);
    reader_end(reader);
    return failed ? -1 : 0;
}
