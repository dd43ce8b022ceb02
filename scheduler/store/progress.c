/* How far the experiment is, to and from its row; see progress.h. */
#include "scheduler/store/progress.h"

#include <math.h>

int progress_write(struct db *db, const struct progress *progress, struct err *err)
{
    struct query query = query_make(db, STATEMENT_PUT_PROGRESS);
    query_put_text(&query, experiment_state_name(progress->state));
    query_put_text(&query, reason_name(progress->reason));
    query_put_u64(&query, progress->sessions);
    query_put_real(&query, progress->started);
    query_put_real(&query, progress->ended);
    query_put_real(&query, progress->held);
    query_put_real(&query, progress->held_since);
    query_put_real(&query, progress->written);
    query_put_u64(&query, progress->tells);
    for (int state = TRIAL_COMPLETED; state < TRIAL_STATES; state++)
        query_put_u64(&query, progress->tally.ended[state]);
    query_put_u64(&query, progress->retried);
    query_put_u64(&query, progress->late);
    if (progress->tally.has_best) {
        query_put_u64(&query, progress->tally.best_trial);
        query_put_real(&query, progress->tally.best);
    } else {
        query_put_null(&query);
        query_put_null(&query);
    }
    query_put_u64(&query, progress->steps);
    query_put_u64(&query, progress->stepped);
    query_put_u64(&query, progress->max_steps);
    query_put_int(&query, progress->idle);
    query_put_real(&query, progress->run_seconds);
    query_put_u64(&query, progress->cut);
    query_put_u64(&query, progress->tally.ignored);
    query_put_u64(&query, progress->tally.added);
    query_put_u64(&query, progress->recent);
    return query_run(&query, err);
}

/* The names come first: a newer gannet may have written some that are not known here. */
static int get_names(struct query *query, struct progress *out, struct err *err)
{
    int state = experiment_state_named(query_get_text(query)), reason = reason_named(query_get_text(query));
    if (state < 0 || reason < 0)
        return err_set(err, "%s: the state of the experiment is not one that this gannet knows", query->db->path);
    out->state = (enum experiment_state)state;
    out->reason = (enum reason)reason;
    return 0;
}

static void get_numbers(struct query *query, struct progress *out)
{
    out->sessions = query_get_u64(query);
    out->started = query_get_real(query);
    out->ended = query_get_real(query);
    out->held = query_get_real(query);
    out->held_since = query_get_real(query);
    out->written = query_get_real(query);
    out->tells = query_get_u64(query);
    for (int state = TRIAL_COMPLETED; state < TRIAL_STATES; state++)
        out->tally.ended[state] = query_get_u64(query);
    out->retried = query_get_u64(query);
    out->late = query_get_u64(query);
    out->tally.has_best = !query_is_null(query);
    out->tally.best_trial = query_get_u64(query);
    double best = query_get_real(query);
    out->tally.best = out->tally.has_best ? best : 0;
    out->steps = query_get_u64(query);
    out->stepped = query_get_u64(query);
    out->max_steps = query_get_u64(query);
    out->idle = (uint32_t)query_get_int(query);
    out->run_seconds = query_get_real(query);
    out->cut = query_get_u64(query);
    out->tally.ignored = query_get_u64(query);
    out->tally.added = query_get_u64(query);
    out->recent = query_get_u64(query);
}

int progress_read(struct db *db, struct progress *out, struct err *err)
{
    *out = (struct progress){0};
    struct query query = query_make(db, STATEMENT_GET_PROGRESS);
    int row = query_row(&query, err);
    if (row < 0)
        return -1;
    if (!row)
        return err_set(err, "%s: the row of the experiment's progress is missing", db->path);
    int failed = get_names(&query, out, err);
    if (!failed)
        get_numbers(&query, out);
    query_end(&query);
    return failed;
}

int progress_goal(struct db *db, bool *maximize, struct err *err)
{
    int64_t goal = 0;
    struct query query = query_make(db, STATEMENT_GET_GOAL);
    int row = query_number(&query, &goal, err);
    *maximize = goal != 0;
    if (row == 0)
        return err_set(err, "%s: the row of the experiment is missing", db->path);
    return row < 0 ? -1 : 0;
}

double progress_held(const struct progress *progress)
{
    double since = progress->written - progress->held_since;
    return progress->held + (since > 0 ? since : 0); /* NaN is not above 0 */
}

void progress_settle_held(struct progress *progress, double now)
{
    progress->held = progress_held(progress);
    if (!isnan(progress->held_since))
        progress->held_since = now;
    progress->written = now;
}
