/* What the core needs after a restart, in time proportional to the trials that have not ended. */
#include "common/clock.h"
#include "scheduler/core/seen.h"
#include "scheduler/store/check.h"
#include "scheduler/store/reader_criteria.h"
#include "scheduler/store/write.h"
#include "search/gp/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Moves rows to the memory's arena, now that their number is known. */
static void *settle_rows(struct rows *rows, struct memory *out, size_t size, uint32_t *count)
{
    void *items = arena_copy(&out->arena, rows->items, rows->count * size);
    *count = (uint32_t)rows->count;
    free(rows->items);
    return items;
}

/* The next column; 0 when it is NULL. */
static double get_seconds(struct query *query)
{
    double seconds = query_get_real(query);
    return isnan(seconds) ? 0 : seconds;
}

/* The columns of the statement LIVE_TRIALS. */
static void get_trial(struct query *query, void *item, void *context)
{
    struct memory_trial *trial = item;
    struct memory *out = context;
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
    trial->ended_attempt = (uint32_t)query_get_int(query);
    trial->spent = get_seconds(query);
    trial->decided = query_get_u64(query);
    int64_t decision = query_get_int(query);
    const char *why = query_get_text(query);
    trial->held = decision == DECISION_PAUSES;
    trial->stop = decision == DECISION_STOPS ? arena_text(&out->arena, why) : NULL;
    trial->resumed = query_get_u64(query);
    trial->cut = get_seconds(query);
    bool no_sample = query_is_null(query);
    int64_t highest = query_get_int(query);
    trial->highest = no_sample ? -1 : highest;
    trial->stalls = (uint32_t)query_get_int(query);
    trial->memory = query_get_u64(query);
    trial->time = get_seconds(query);
    trial->energy = get_seconds(query);
}

/* Adds a sample to what was seen of the metric of that name. */
static void see_value(const struct metrics *criteria, const char *name, int64_t step, double value,
                      struct memory_seen *seen)
{
    for (uint32_t i = 0; i < criteria->count; i++)
        if (strcmp(criteria->items[i].name, name) == 0)
            seen_add_value(&seen[i], step, value);
}

/* What a trial came to so far: it may go on from a checkpoint. */
static int read_seen(struct store *store, struct memory *out, struct memory_trial *trial, struct err *err)
{
    struct metrics criteria;
    if (!trial->run_count)
        return 0;
    if (reader_criteria(&store->reader, &criteria, err))
        return -1;
    trial->seen = arena_zero(&out->arena, 2 * criteria.count, sizeof *trial->seen);
    struct query query = QUERY(&store->db, STATEMENT_SAMPLES_SEEN, PUT(trial->trial));
    uint32_t before = 0;
    int row;
    while ((row = query_row(&query, err)) > 0) {
        uint32_t attempt = (uint32_t)query_get_int(&query);
        bool has_run = !query_is_null(&query);
        uint64_t resumed = query_get_u64(&query);
        if (has_run && attempt != before)
            seen_begin(trial->seen, criteria.count, resumed);
        before = attempt;
        trial->said |= trial->running && attempt == trial->attempt;
        const char *name = query_get_text(&query);
        int64_t step = query_get_int(&query);
        see_value(&criteria, name, step, query_get_real(&query), trial->seen);
    }
    return row;
}

/* The columns of the statement RUNS_OF. */
static void get_run(struct query *query, void *item, void *context)
{
    (void)context;
    struct memory_run *run = item;
    run->attempt = (uint32_t)query_get_int(query);
    run->worker = query_get_u64(query);
    run->node = (uint32_t)query_get_int(query);
}

static int read_runs(struct store *store, struct memory *out, struct memory_trial *trial, struct err *err)
{
    struct rows rows = {0};
    struct query query = QUERY(&store->db, STATEMENT_RUNS_OF, PUT(trial->trial));
    int row = query_rows(&query, &rows, sizeof *trial->runs, get_run, NULL, err);
    trial->runs = settle_rows(&rows, out, sizeof *trial->runs, &trial->run_count);
    return row;
}

/* The columns of the statement PARTS_OF. */
static void get_part(struct query *query, void *item, void *context)
{
    struct memory_part *part = item;
    struct memory *out = context;
    part->node = (uint32_t)query_get_int(query);
    part->worker = query_get_u64(query);
    part->host = arena_text(&out->arena, text_or(query_get_text(query), ""));
    part->slot = (uint32_t)query_get_int(query);
    part->ended = !query_is_null(query);
    int64_t ending = query_get_int(query);
    part->ending = ending < ENDINGS_COUNT ? (enum ending)ending : ENDING_LOST;
    part->detail = arena_text(&out->arena, text_or(query_get_text(query), ""));
}

/* The further nodes of a running attempt. */
static int read_parts(struct store *store, struct memory *out, struct memory_trial *trial, struct err *err)
{
    struct rows rows = {0};
    if (!trial->running)
        return 0;
    struct query query = QUERY(&store->db, STATEMENT_PARTS_OF, PUT(trial->trial), PUT(trial->attempt));
    int row = query_rows(&query, &rows, sizeof *trial->parts, get_part, out, err);
    trial->parts = settle_rows(&rows, out, sizeof *trial->parts, &trial->part_count);
    return row;
}

/* Those that live; of these one alone, unless `trial` is 0. */
static int read_trials(struct store *store, uint64_t trial, struct memory *out, struct err *err)
{
    struct rows rows = {0};
    struct query query =
        QUERY(&store->db, STATEMENT_LIVE_TRIALS, PUT(ENDING_PAUSED), PUT(ENDING_CANCELLED), PUT(ENDING_REQUEUED),
              PUT(ENDING_WALLTIME), PUT(ENDING_TIMED_OUT), PUT(trial), PUT(DECISION_ENDED));
    int row = query_rows(&query, &rows, sizeof *out->trials, get_trial, out, err);
    out->trials = settle_rows(&rows, out, sizeof *out->trials, &out->trial_count);
    for (uint32_t i = 0; !row && i < out->trial_count; i++)
        row = read_runs(store, out, &out->trials[i], err) || read_parts(store, out, &out->trials[i], err) ||
                      read_seen(store, out, &out->trials[i], err)
                  ? -1
                  : 0;
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

/* The columns of the statement BUSY_WORKERS. */
static void get_worker(struct query *query, void *item, void *context)
{
    struct memory_worker *worker = item;
    struct memory *out = context;
    worker->worker = query_get_u64(query);
    worker->node = arena_text(&out->arena, query_get_text(query));
    worker->pid = (uint32_t)query_get_int(query);
    worker->job = get_job(query);
    worker->job_ended = job_has_ended(query_get_text(query), &worker->ending);
}

/* Which processes the running trials are with. */
static int read_workers(struct store *store, struct memory *out, struct err *err)
{
    struct rows rows = {0};
    struct query query = query_make(&store->db, STATEMENT_BUSY_WORKERS);
    int row = query_rows(&query, &rows, sizeof *out->workers, get_worker, out, err);
    out->workers = settle_rows(&rows, out, sizeof *out->workers, &out->worker_count);
    return row;
}

/* The columns of the statement DURATIONS. */
static void get_duration(struct query *query, void *item, void *context)
{
    struct memory_duration *duration = item;
    struct memory *out = context;
    duration->params = arena_text(&out->arena, query_get_text(query));
    duration->seconds = query_get_real(query);
}

/* How long trials ran, for what is to be expected of others. */
static int read_durations(struct store *store, struct memory *out, struct err *err)
{
    enum { MOST = 200 }; /* more are not remembered (scheduler/core/forecast.c) */
    struct rows rows = {0};
    struct query query = QUERY(&store->db, STATEMENT_DURATIONS, PUT(ENDING_COMPLETED), PUT(MOST));
    int row = query_rows(&query, &rows, sizeof *out->durations, get_duration, out, err);
    out->durations = settle_rows(&rows, out, sizeof *out->durations, &out->duration_count);
    return row;
}

static int read_next(struct store *store, struct memory *out, struct err *err)
{
    int64_t last = 0; /* of an empty table the highest number is NULL: 0 */
    struct query query = query_make(&store->db, STATEMENT_LAST_TRIAL);
    int row = query_number(&query, &last, err);
    out->next_trial = (uint64_t)last + 1;
    return row < 0 ? -1 : 0;
}

/* Every trial lives, counts as ended, or is ignored. */
static void count_skipped(struct memory *out)
{
    uint64_t trials = out->trial_count + trial_states_ended(out->tally.ended) + out->tally.ignored;
    out->tally.skipped = out->next_trial - 1 > trials ? out->next_trial - 1 - trials : 0;
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

/* A new session: what was counted before is settled, and time counts again from its first event on. */
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
    int failed = read_next(store, out, err) || read_trials(store, 0, out, err) || read_workers(store, out, err) ||
                 read_durations(store, out, err);
    count_skipped(out);
    return failed ? -1 : 0;
}

/* Notes what this process proposes on, from this trial on, unless it is what was noted last. */
static int note_processor(struct store *store, uint64_t trial, struct err *err)
{
    struct processor here;
    processor_here(&here, linalg_core());
    struct query query = QUERY(&store->db, STATEMENT_PUT_PROCESSOR, PUT(trial), PUT(clock_wall()), PUT(here.model),
                               PUT(here.vector), PUT(here.kernels), PUT(here.gannet));
    return query_run(&query, err);
}

void store_was_checked(struct store *store)
{
    store->checked = true;
}

/* What both have in common; within a transaction. */
static int recall_rows(struct store *store, struct memory *out, struct err *err)
{
    int damaged = store->checked ? 0 : check_rows(&store->db, err);
    store->checked = false;
    return damaged ? damaged : read_all(store, out, err) || note_processor(store, out->next_trial, err) ? -1 : 0;
}

/* Goes back to before the transaction; what was read is no use. */
static int fail_recall(struct store *store, struct memory *out, int failed)
{
    db_rollback(&store->db);
    memory_fini(out);
    *out = (struct memory){0};
    return failed;
}

int store_recall(struct store *store, struct memory *out, struct err *err)
{
    *out = (struct memory){0};
    int failed = db_begin_write(&store->db, err) ? -1 : recall_rows(store, out, err);
    return !failed && count_session(store, err) == 0 ? 0 : fail_recall(store, out, failed ? failed : -1);
}

int store_recall_trial(struct store *store, uint64_t trial, struct memory *out, struct err *err)
{
    *out = (struct memory){0};
    if (read_trials(store, trial, out, err) == 0)
        return 0;
    memory_fini(out);
    return -1;
}

struct tally store_tally(const struct store *store)
{
    return store->progress.tally;
}

int store_look(struct store *store, struct memory *out, struct err *err)
{
    *out = (struct memory){0};
    int failed = db_begin_write(&store->db, err) ? -1 : recall_rows(store, out, err);
    return !failed && db_commit(&store->db, err) == 0 ? 0 : fail_recall(store, out, failed ? failed : -1);
}
