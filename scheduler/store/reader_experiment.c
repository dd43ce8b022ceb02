/* The experiment as a whole: what it is, how far it is, what happened, where the time went, what went wrong;
 * docs/json.md. */
#include "scheduler/store/gpu_sums.h"
#include "scheduler/store/operations.h"
#include "scheduler/store/profile.h"
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_columns.h"
#include "scheduler/store/reader_criteria.h"
#include "scheduler/store/reader_trial.h"

#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what it is --- */

/* The columns of the statement EXPERIMENT. */
static const struct reader_column experiment_columns[] = {
    {"name", reader_get_text},     {"description", reader_get_text}, {"seed", reader_get_u64},
    {"metric", reader_get_text},   {"goal", reader_get_text},        {"use", reader_get_text},
    {"strategy", reader_get_text}, {"gannet", reader_get_text},      {"spec", reader_get_text},
};

static int add_experiment(struct reader *reader, json_t *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_EXPERIMENT);
    int row = query_row(&query, err);
    if (row < 0)
        return -1;
    if (!row)
        return err_set(err, "%s: the row of the experiment is missing", reader->db->path);
    reader_add_row(&query, READER_COLUMNS(experiment_columns), out);
    query_end(&query);
    return 0;
}

static int add_criteria(struct reader *reader, json_t *out, struct err *err)
{
    json_t *list = reader_criteria_json(reader, err);
    return list ? json_object_set_new(out, "metrics", list) : -1;
}

/* The columns of the statement ENERGY_KNOWN. */
static const struct reader_column energy_columns[] = {
    {"ended", reader_get_u64}, {"known", reader_get_u64}, {"why", reader_get_text}};

/* The frozen experiment is written by us: the options of the strategy stand in one line. */
static bool weighs_energy(const char *spec)
{
    const char *strategy = spec ? strstr(spec, "\nstrategy:\n") : NULL,
               *options = strategy ? strstr(strategy, "\n  options: {") : NULL,
               *cost = options ? strstr(options, "cost: energy") : NULL;
    return cost && cost < options + 1 + strcspn(options + 1, "\n");
}

/* Of a search that weighs trials by their joules: of how many these are known. */
static int add_energy(struct reader *reader, json_t *out, struct err *err)
{
    const char *spec = json_string_value(json_object_get(out, "spec"));
    if (!weighs_energy(spec))
        return json_object_set_new(out, "energy", json_null());
    json_t *energy = json_object();
    json_object_set_new(out, "energy", energy);
    struct query query = QUERY(reader->db, STATEMENT_ENERGY_KNOWN, PUT("$.energy_processors"));
    int row = query_row(&query, err);
    if (row > 0)
        reader_add_row(&query, READER_COLUMNS(energy_columns), energy);
    query_end(&query);
    return row < 0 ? -1 : 0;
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

/* Seconds of attempts that a later one did not go on from: those behind the last step that it took over. */
static int read_wasted(struct reader *reader, double *out, struct err *err)
{
    /* Between a rung's step and the pause nothing is lost but the saving. */
    struct query query = QUERY(reader->db, STATEMENT_WASTED, PUT(ENDING_PAUSED));
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    double wasted = query_get_real(&query);
    *out = wasted > 0 ? wasted : 0; /* NULL, when there is none, is NaN */
    query_end(&query);
    return 0;
}

/* What attempts took, and what of that was not kept. */
static int add_waste(struct reader *reader, const struct progress *progress, json_t *out, struct err *err)
{
    double wasted = 0, seconds = progress->run_seconds;
    bool any = progress->cut || progress->retried; /* else every attempt was the only one */
    if (any && read_wasted(reader, &wasted, err))
        return -1;
    json_object_set_new(out, "run_seconds", json_of_real(seconds));
    json_object_set_new(out, "wasted_seconds", json_of_real(wasted));
    json_object_set_new(out, "wasted", json_of_real(seconds > 0 ? fmin(wasted / seconds, 1) : 0));
    return 0;
}

/* What was said when it came to its end, behind the sentence of the reason; null: nothing. */
static int add_detail(struct reader *reader, const struct progress *progress, json_t *out, struct err *err)
{
    const char *sentence = reason_sentence(progress->reason);
    char begin[200];
    json_object_set_new(out, "detail", json_null());
    if (progress->state == EXPERIMENT_RUNNING)
        return 0;
    struct query query = query_make(reader->db, STATEMENT_END_NOTE);
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    const char *text = query_get_text(&query);
    size_t length = (size_t)snprintf(begin, sizeof begin, "draining: %s: ", sentence);
    if (text && strncmp(text, begin, length) == 0)
        json_object_set_new(out, "detail", json_of_text(text + length));
    query_end(&query);
    return 0;
}

static int add_progress(struct reader *reader, bool brief, json_t *out, struct err *err)
{
    struct progress progress;
    if (progress_read(reader->db, &progress, err))
        return -1;
    json_object_set_new(out, "state", json_string(experiment_state_name(progress.state)));
    json_object_set_new(out, "reason", json_string(reason_name(progress.reason)));
    if (add_detail(reader, &progress, out, err))
        return -1;
    json_object_set_new(out, "sessions", json_of_u64(progress.sessions));
    json_object_set_new(out, "started", json_of_time(progress.started));
    json_object_set_new(out, "ended", json_of_time(progress.ended));
    json_object_set_new(out, "held", json_of_real(progress_held(&progress)));
    return brief ? json_object_set_new(out, "run_seconds", json_of_real(progress.run_seconds))
                 : add_waste(reader, &progress, out, err);
}

/* The columns of the statement ASIDE. */
static const struct reader_column aside_columns[] = {
    {"node", reader_get_text}, {"since", reader_get_time}, {"why", reader_get_text}};

/* Nodes of which a worker was set aside, and none has been taken since. */
static int add_aside(struct reader *reader, json_t *out, struct err *err)
{
    json_t *list = json_array();
    json_object_set_new(out, "aside", list);
    struct query query = QUERY(reader->db, STATEMENT_ASIDE, PUT(EVENT_ASIDE "%"), PUT(sizeof EVENT_ASIDE));
    return reader_add_rows(&query, READER_COLUMNS(aside_columns), list, err);
}

static json_t *make_experiment(struct reader *reader, bool brief, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = json_object();
    int failed = add_experiment(reader, json, err) || add_progress(reader, brief, json, err) ||
                 add_criteria(reader, json, err) || add_parameters(reader, json, err) ||
                 add_energy(reader, json, err) || add_aside(reader, json, err);
    return reader_finish(reader, failed, json);
}

json_t *reader_experiment(struct reader *reader, struct err *err)
{
    return make_experiment(reader, false, err);
}

json_t *reader_experiment_brief(struct reader *reader, struct err *err)
{
    return make_experiment(reader, true, err);
}

/* --- what happened --- */

/* The columns of the statement EVENTS. */
static const struct reader_column event_columns[] = {
    {"id", reader_get_int},      {"time", reader_get_time}, {"kind", reader_get_text}, {"trial", reader_get_int},
    {"attempt", reader_get_int}, {"node", reader_get_text}, {"text", reader_get_text},
};

json_t *reader_events(struct reader *reader, int64_t after, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *list = json_array();
    struct query query = QUERY(reader->db, STATEMENT_EVENTS, PUT(after));
    return reader_finish(reader, reader_add_rows(&query, READER_COLUMNS(event_columns), list, err), list);
}

/* --- where the time went --- */

/* Sums over all runs: of our phases, and of those that programs named, in the order in which they came. */
struct profile_sums {
    struct phase_time phases[PHASES_COUNT];
    struct named_sum {
        char name[PHASE_NAME_LONGEST + 1];
        struct phase_time time;
    } * named;
    size_t count, capacity;
};

/* Programs that make up names without end have the later ones summed as the last. */
static struct phase_time *sum_named(struct profile_sums *sums, const char *name)
{
    enum { MOST = 256 };
    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->named[i].name, name) == 0)
            return &sums->named[i].time;
    if (sums->count == MOST)
        return &sums->named[MOST - 1].time;
    MEM_GROW(sums->named, sums->capacity, sums->count + 1);
    struct named_sum *sum = &sums->named[sums->count++];
    *sum = (struct named_sum){0};
    snprintf(sum->name, sizeof sum->name, "%s", sums->count == MOST ? "others" : name);
    return &sum->time;
}

static void list_phase(const char *name, const struct phase_time *time, json_t *list, double *total)
{
    json_t *phase = json_object();
    json_object_set_new(phase, "phase", json_string(name));
    reader_add_times(time, phase);
    json_array_append_new(list, phase);
    *total += time->seconds;
}

static json_t *list_phases(const struct profile_sums *sums, double *total)
{
    json_t *list = json_array();
    *total = 0;
    for (int i = 0; i < PHASES_COUNT; i++)
        if (sums->phases[i].count)
            list_phase(phase_name((enum phase)i), &sums->phases[i], list, total);
    for (size_t i = 0; i < sums->count; i++)
        list_phase(sums->named[i].name, &sums->named[i].time, list, total);
    return list;
}

static int sum_phases(struct reader *reader, uint64_t every, struct profile_sums *sums, struct err *err)
{
    struct query query = QUERY(reader->db, STATEMENT_PROFILES, PUT(every));
    struct phase_time time;
    char name[PHASE_NAME_LONGEST + 1];
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct phase_time phases[PHASES_COUNT] = {0};
        const char *text = query_get_text(&query);
        profile_decode(text, phases);
        for (int i = 0; i < PHASES_COUNT; i++)
            phase_merge(&sums->phases[i], &phases[i]);
        while ((text = profile_next_named(text, name, &time)))
            phase_merge(sum_named(sums, name), &time);
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

json_t *reader_operations(struct reader *reader, uint64_t every, struct err *err)
{
    struct operation_count sums[OPERATIONS_COUNT] = {0};
    if (reader_begin(reader, err))
        return NULL;
    struct query query = QUERY(reader->db, STATEMENT_OPERATIONS, PUT(every));
    json_t *gpu = json_object(), *list = NULL;
    int row;
    while ((row = query_row(&query, err)) > 0) {
        const char *text = query_get_text(&query);
        operations_decode(text, sums);
        json_decref(gpu_sums_add(text, gpu));
    }
    if (!row)
        list = reader_list_operations(sums, gpu);
    json_decref(gpu);
    return reader_finish(reader, row, list);
}

json_t *reader_phases(struct reader *reader, uint64_t every, struct err *err)
{
    struct profile_sums sums = {.count = 0};
    double total;
    if (reader_begin(reader, err))
        return NULL;
    int failed = sum_phases(reader, every, &sums, err);
    reader_end(reader);
    json_t *list = failed ? NULL : list_phases(&sums, &total);
    if (list)
        add_shares(list, total);
    free(sums.named);
    return list;
}

/* --- how far it is --- */

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
        .added = progress->tally.added,
        .ignored = progress->tally.ignored,
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

/* --- what went wrong --- */

/* The columns of the statement JOBS. */
static const struct reader_column job_columns[] = {
    {"job", reader_get_int},    {"element", reader_get_int},    {"restarts", reader_get_int},
    {"role", reader_get_text},  {"state", reader_get_text},     {"reason", reader_get_text},
    {"nodes", reader_get_text}, {"submitted", reader_get_time}, {"started", reader_get_time},
    {"ended", reader_get_time}, {"exit", reader_get_text},
};

static json_t *get_number(struct query *query)
{
    char number[17];
    snprintf(number, sizeof number, "%016llx", (unsigned long long)query_get_u64(query));
    return json_string(number);
}

/* The columns of the statement WORKERS. */
static const struct reader_column worker_columns[] = {
    {"worker", get_number},      {"node", reader_get_text}, {"pid", reader_get_int},  {"job", reader_get_text},
    {"joined", reader_get_time}, {"gone", reader_get_time}, {"why", reader_get_text}, {"runs", reader_get_int},
};

/* The columns of the statement RUN_ENDINGS. */
static const struct reader_column ending_columns[] = {
    {"reason", reader_get_text}, {"attempts", reader_get_int}, {"seconds", reader_get_real}};

struct experiment_part {
    const char *name;
    enum statement statement;
    const struct reader_column *columns;
    size_t count;
};

static int add_part(const struct experiment_part *part, struct query query, json_t *out, struct err *err)
{
    json_t *list = json_array();
    json_object_set_new(out, part->name, list);
    return reader_add_rows(&query, part->columns, part->count, list, err);
}

static int add_faults(struct reader *reader, json_t *out, struct err *err)
{
    static const struct experiment_part parts[] = {
        {"jobs", STATEMENT_JOBS, READER_COLUMNS(job_columns)},
        {"workers", STATEMENT_WORKERS, READER_COLUMNS(worker_columns)},
        {"endings", STATEMENT_RUN_ENDINGS, READER_COLUMNS(ending_columns)},
    };
    struct progress progress;
    int failed = progress_read(reader->db, &progress, err) || add_waste(reader, &progress, out, err);
    for (size_t i = 0; !failed && i < sizeof parts / sizeof *parts; i++)
        failed = add_part(&parts[i], query_make(reader->db, parts[i].statement), out, err);
    return failed;
}

json_t *reader_faults(struct reader *reader, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = json_object();
    return reader_finish(reader, add_faults(reader, json, err), json);
}

/* The columns of the statement FAILED_LAST. */
static const struct reader_column failed_columns[] = {{"trial", reader_get_int}};

static int add_number(const char *name, struct query query, json_t *out, struct err *err)
{
    int64_t number = 0;
    int row = query_number(&query, &number, err);
    json_object_set_new(out, name, json_integer(number));
    return row < 0 ? -1 : 0;
}

static int add_faults_since(struct reader *reader, uint64_t event, json_t *out, struct err *err)
{
    static const struct experiment_part jobs = {"jobs", 0, READER_COLUMNS(job_columns)},
                                        workers = {"workers", 0, READER_COLUMNS(worker_columns)},
                                        endings = {"endings", 0, READER_COLUMNS(ending_columns)},
                                        failed = {"failed", 0, READER_COLUMNS(failed_columns)};
    struct progress progress;
    struct db *db = reader->db;
    return progress_read(db, &progress, err) || add_waste(reader, &progress, out, err) ||
                   add_part(&jobs, query_make(db, STATEMENT_JOBS), out, err) ||
                   add_part(&workers, QUERY(db, STATEMENT_GONE_LAST, PUT(WORKER_LEFT_AT_END)), out, err) ||
                   add_part(&endings, QUERY(db, STATEMENT_FAULTS_SINCE, PUT(event)), out, err) ||
                   add_part(&failed, QUERY(db, STATEMENT_FAILED_LAST, PUT(event)), out, err) ||
                   add_number("gone", QUERY(db, STATEMENT_GONE_COUNT, PUT(WORKER_LEFT_AT_END)), out, err) ||
                   add_number("last", query_make(db, STATEMENT_LAST_EVENT), out, err)
               ? -1
               : 0;
}

json_t *reader_faults_since(struct reader *reader, uint64_t event, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = json_object();
    return reader_finish(reader, add_faults_since(reader, event, json, err), json);
}
