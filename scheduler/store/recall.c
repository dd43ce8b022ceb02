/* What the core needs after a restart, in time proportional to the trials that have not ended. */
#include "common/mem.h"
#include "scheduler/store/store_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lists that grow; each moves to the memory's arena when its length is known. */
struct list {
    char *items;
    size_t count, capacity;
};

static void *add_item(struct list *list, size_t size)
{
    mem_grow(&list->items, &list->capacity, list->count + 1, size);
    return memset(list->items + list->count++ * size, 0, size);
}

static void *settle_list(struct list *list, struct memory *out, size_t size)
{
    void *items = arena_copy(&out->arena, list->items, list->count * size);
    free(list->items);
    return items;
}

static void get_trial(struct query *query, struct memory *out, struct memory_trial *trial)
{
    trial->trial = query_get_u64(query);
    trial->params = arena_text(&out->arena, query_get_text(query));
    trial->proposed = query_get_real(query);
    trial->attempts = (uint32_t)query_get_int(query);
    trial->failures = (uint32_t)query_get_int(query);
    trial->losses = (uint32_t)query_get_int(query);
    trial->running = !query_is_null(query);
    trial->attempt = (uint32_t)query_get_int(query);
    trial->worker = query_get_u64(query);
    trial->slot = (uint32_t)query_get_int(query);
    trial->from = query_get_u64(query);
    trial->paused = query_get_int(query) != 0;
    trial->reached = query_get_u64(query);
    trial->paused_attempt = (uint32_t)query_get_int(query);
    double spent = query_get_real(query);
    trial->spent = isnan(spent) ? 0 : spent;
    trial->decided = query_get_u64(query);
    int64_t decision = query_get_int(query);
    const char *why = query_get_text(query);
    trial->held = decision == DECISION_PAUSES;
    trial->stop = decision == DECISION_STOPS ? arena_text(&out->arena, why) : NULL;
    trial->resumed = query_get_u64(query);
    double cut = query_get_real(query);
    trial->cut = isnan(cut) ? 0 : cut;
}

/* Adds a sample to what was seen of the metric of that name. */
static void see_value(const struct metrics *criteria, const char *name, int64_t step, double value,
                      struct memory_seen *seen)
{
    for (uint32_t i = 0; i < criteria->count; i++)
        if (strcmp(criteria->items[i].name, name) == 0) {
            double finite = isfinite(value) ? value : NAN;
            bool first = !seen[i].any;
            bool latest = first || step >= seen[i].step;
            seen[i] = (struct memory_seen){.any = true,
                                           .step = latest ? step : seen[i].step,
                                           .last = latest ? value : seen[i].last,
                                           .min = first ? finite : fmin(seen[i].min, finite),
                                           .max = first ? finite : fmax(seen[i].max, finite)};
        }
}

/* What a trial came to so far: it may go on from a checkpoint. */
static int read_seen(struct store *store, struct memory *out, struct memory_trial *trial, struct err *err)
{
    struct metrics criteria;
    if (!trial->run_count)
        return 0;
    if (reader_criteria(&store->reader, &criteria, err))
        return -1;
    trial->seen = arena_zero(&out->arena, criteria.count, sizeof *trial->seen);
    struct query query = query_make(&store->db, STATEMENT_SAMPLES_SEEN);
    query_put_u64(&query, trial->trial);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        const char *name = query_get_text(&query);
        int64_t step = query_get_int(&query);
        see_value(&criteria, name, step, query_get_real(&query), trial->seen);
    }
    return row;
}

static int read_runs(struct store *store, struct memory *out, struct memory_trial *trial, struct err *err)
{
    struct list runs = {0};
    struct query query = query_make(&store->db, STATEMENT_RUNS_OF);
    query_put_u64(&query, trial->trial);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct memory_run *run = add_item(&runs, sizeof *run);
        run->attempt = (uint32_t)query_get_int(&query);
        run->worker = query_get_u64(&query);
    }
    trial->run_count = (uint32_t)runs.count;
    trial->runs = settle_list(&runs, out, sizeof *trial->runs);
    return row;
}

static int read_trials(struct store *store, struct memory *out, struct err *err)
{
    struct list trials = {0};
    struct query query = query_make(&store->db, STATEMENT_LIVE_TRIALS);
    query_put_int(&query, ENDING_PAUSED);
    query_put_int(&query, ENDING_CANCELLED);
    int row;
    while ((row = query_row(&query, err)) > 0)
        get_trial(&query, out, add_item(&trials, sizeof *out->trials));
    out->trial_count = (uint32_t)trials.count;
    out->trials = settle_list(&trials, out, sizeof *out->trials);
    for (uint32_t i = 0; !row && i < out->trial_count; i++)
        row = read_runs(store, out, &out->trials[i], err) || read_seen(store, out, &out->trials[i], err) ? -1 : 0;
    return row;
}

static struct node_job get_job(struct query *query)
{
    struct node_job job = {.job = (uint32_t)query_get_int(query), .element = NODE_NO_ELEMENT};
    bool none = query_is_null(query);
    uint32_t element = (uint32_t)query_get_int(query);
    if (!none)
        job.element = element;
    return job;
}

/* Which processes the running trials are with. */
static int read_workers(struct store *store, struct memory *out, struct err *err)
{
    struct list workers = {0};
    struct query query = query_make(&store->db, STATEMENT_BUSY_WORKERS);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct memory_worker *worker = add_item(&workers, sizeof *worker);
        worker->worker = query_get_u64(&query);
        worker->node = arena_text(&out->arena, query_get_text(&query));
        worker->pid = (uint32_t)query_get_int(&query);
        worker->job = get_job(&query);
        worker->job_ended = job_has_ended(query_get_text(&query), &worker->ending);
    }
    out->worker_count = (uint32_t)workers.count;
    out->workers = settle_list(&workers, out, sizeof *out->workers);
    return row;
}

/* How long trials ran, for what is to be expected of others. */
static int read_durations(struct store *store, struct memory *out, struct err *err)
{
    enum { MOST = 200 }; /* more are not remembered (scheduler/core/forecast.c) */
    struct list durations = {0};
    struct query query = query_make(&store->db, STATEMENT_DURATIONS);
    query_put_int(&query, ENDING_COMPLETED);
    query_put_int(&query, MOST);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        struct memory_duration *duration = add_item(&durations, sizeof *duration);
        duration->params = arena_text(&out->arena, query_get_text(&query));
        duration->seconds = query_get_real(&query);
    }
    out->duration_count = (uint32_t)durations.count;
    out->durations = settle_list(&durations, out, sizeof *out->durations);
    return row;
}

static int read_next(struct store *store, struct memory *out, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_LAST_TRIAL);
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    out->next_trial = query_get_u64(&query) + 1; /* of an empty table the highest number is NULL: 0 */
    query_end(&query);
    return 0;
}

static void copy_progress(const struct progress *progress, struct memory *out)
{
    out->session = progress->sessions;
    out->idle = progress->idle;
    out->tells = progress->tells;
    out->tally = progress->tally;
    out->steps = progress->steps;
    out->stepped = progress->stepped;
    out->held = progress_held(progress);
    out->reason = progress->state == EXPERIMENT_ENDED ? progress->reason : REASON_NONE;
}

/* A new session: what was held before is settled, and time counts again from its first event on. */
static int count_session(struct store *store, struct err *err)
{
    struct progress next = store->progress;
    next.sessions++;
    next.idle++;
    next.held = progress_held(&next);
    next.held_since = NAN;
    if (progress_write(&store->db, &next, err) || db_commit(&store->db, err))
        return -1;
    store->progress = next;
    store->announced = false;
    return 0;
}

/* Within a transaction. */
static int read_all(struct store *store, struct memory *out, struct err *err)
{
    *out = (struct memory){.next_trial = 1};
    copy_progress(&store->progress, out);
    return read_next(store, out, err) || read_trials(store, out, err) || read_workers(store, out, err) ||
                   read_durations(store, out, err)
               ? -1
               : 0;
}

/* What was read is no use. */
static int drop_memory(struct memory *out)
{
    memory_fini(out);
    *out = (struct memory){0};
    return -1;
}

int store_recall(struct store *store, struct memory *out, struct err *err)
{
    *out = (struct memory){0};
    if (db_begin_write(&store->db, err) == 0 && read_all(store, out, err) == 0 &&
        processor_note(store, out->next_trial, err) == 0 && count_session(store, err) == 0)
        return 0;
    db_rollback(&store->db);
    return drop_memory(out);
}

int store_look(struct store *store, struct memory *out, struct err *err)
{
    *out = (struct memory){0};
    int failed = db_begin_write(&store->db, err) || read_all(store, out, err) ||
                 processor_note(store, out->next_trial, err) || db_commit(&store->db, err);
    db_rollback(&store->db);
    return failed ? drop_memory(out) : 0;
}
