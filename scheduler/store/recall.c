/* What the core needs after a restart, in time proportional to the trials that have not ended. */
#include "common/mem.h"
#include "scheduler/store/store_parts.h"

#include <math.h>
#include <stdlib.h>

/* The trials as they are read; they move to the memory's arena when their number is known. */
struct live {
    struct memory_trial *trials;
    size_t count, room;
};

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
    trial->samples = (uint32_t)query_get_int(query);
}

static int read_live(struct store *store, struct memory *out, struct live *live, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_LIVE_TRIALS);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        MEM_GROW(live->trials, live->room, live->count + 1);
        live->trials[live->count] = (struct memory_trial){0};
        get_trial(&query, out, &live->trials[live->count++]);
    }
    return row;
}

/* As the core follows it: the last value is the one of the highest step, the best one is finite. */
static void observe(const struct store *store, struct memory_trial *trial, int64_t step, double value)
{
    if (!trial->has_last || step >= trial->last_step) {
        trial->has_last = true;
        trial->last = value;
        trial->last_step = step;
    }
    bool is_better = !trial->has_best || (store->maximize ? value > trial->best : value < trial->best);
    if (isfinite(value) && is_better) {
        trial->has_best = true;
        trial->best = value;
    }
}

static int read_objective(struct store *store, struct memory_trial *trial, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_OBJECTIVE);
    query_put_u64(&query, trial->trial);
    query_put_int(&query, trial->attempt);
    query_put_text(&query, store->metric);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        int64_t step = query_get_int(&query);
        observe(store, trial, step, query_get_real(&query));
    }
    return row;
}

static int read_trials(struct store *store, struct memory *out, struct err *err)
{
    struct live live = {0};
    int failed = read_live(store, out, &live, err);
    for (size_t i = 0; !failed && i < live.count; i++)
        if (live.trials[i].running)
            failed = read_objective(store, &live.trials[i], err);
    out->trial_count = (uint32_t)live.count;
    out->trials = arena_copy(&out->arena, live.trials, live.count * sizeof *live.trials);
    free(live.trials);
    return failed;
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
    out->tells = progress->tells;
    for (int state = 0; state < TRIAL_STATES; state++)
        out->ended[state] = progress->by_state[state];
    out->has_best = progress->has_best;
    out->best_trial = progress->has_best ? progress->best_trial : 0;
    out->best = progress->has_best ? progress->best : 0;
    out->held = progress_held(progress);
    out->reason = progress->state == EXPERIMENT_ENDED ? progress->reason : REASON_NONE;
}

/* A new session: what was held before is settled, and time counts again from its first event on. */
static int count_session(struct store *store, struct err *err)
{
    struct progress next = store->progress;
    next.sessions++;
    next.held = progress_held(&next);
    next.held_since = NAN;
    if (progress_write(&store->db, &next, err) || db_commit(&store->db, err))
        return -1;
    store->progress = next;
    store->announced = false;
    return 0;
}

int store_recall(struct store *store, struct memory *out, struct err *err)
{
    *out = (struct memory){.next_trial = 1};
    copy_progress(&store->progress, out);
    if (db_begin_write(&store->db, err) == 0 && read_next(store, out, err) == 0 && read_trials(store, out, err) == 0 &&
        count_session(store, err) == 0)
        return 0;
    db_rollback(&store->db);
    memory_fini(out);
    *out = (struct memory){0};
    return -1;
}
