/* Events of trials: proposed, tried again, ended. */
#include "scheduler/store/store_parts.h"

#include <math.h>

int write_proposed(struct store *store, const struct event *event, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_PROPOSE);
    query_put_u64(&query, event->trial);
    query_put_text(&query, event->params);
    query_put_u64(&query, event->fingerprint);
    query_put_u64(&query, event->told_before);
    query_put_int(&query, event->from_start);
    query_put_real(&query, event->time);
    if (event->from)
        query_put_u64(&query, event->from);
    else
        query_put_null(&query);
    return query_run(&query, err);
}

/* Counts what the retry cost. */
static int use_retry(struct store *store, const struct event *event, struct err *err)
{
    enum retry_rule rule = ending_retry(event->ending);
    struct query query = query_make(&store->db, STATEMENT_RETRY);
    query_put_u64(&query, event->trial);
    query_put_int(&query, rule == RETRY_COUNTED);
    query_put_int(&query, rule == RETRY_FREE);
    return query_run(&query, err);
}

int write_retried(struct store *store, const struct event *event, struct err *err)
{
    enum retry_rule rule = ending_retry(event->ending);
    if (use_retry(store, event, err))
        return -1;
    if (event->ending == ENDING_CANCELLED || rule == RETRY_LATER) { /* by the end of this session, or of its job */
        store->progress.cut++;
        return note(store, event, "interrupted", err, "%s",
                    event->ending == ENDING_CANCELLED ? "it was interrupted and waits for --resume"
                                                      : ending_sentence(event->ending));
    }
    store->progress.retried++;
    return note(store, event, "retried", err, "%s: %s; it is tried again", ending_name(event->ending),
                text_or(event->detail, ending_sentence(event->ending)));
}

static void count_end(struct store *store, const struct event *event, bool has_value)
{
    struct progress *progress = &store->progress;
    enum trial_state state = ending_state(event->ending);
    progress->by_state[state]++;
    progress->idle = 0;
    progress->tells = event->told;
    if (!has_value || event->infeasible || (state != TRIAL_COMPLETED && state != TRIAL_STOPPED))
        return;
    bool is_better = store->maximize ? event->value > progress->best : event->value < progress->best;
    if (progress->has_best && !is_better)
        return;
    progress->has_best = true;
    progress->best_trial = event->trial;
    progress->best = event->value;
}

/* The first value stands with the trial, too. */
static int put_outcomes(struct store *store, const struct event *event, struct err *err)
{
    for (uint32_t i = 0; i < event->values_count; i++) {
        struct query query = query_make(&store->db, STATEMENT_PUT_OUTCOME);
        query_put_u64(&query, event->trial);
        query_put_int(&query, (int64_t)i + 1);
        query_put_real(&query, event->values[i]);
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

/* A trial ends once: that it has not ended yet is part of the statement. */
int write_trial_ended(struct store *store, const struct event *event, struct err *err)
{
    bool has_value = event->has_value && !isnan(event->value);
    struct query query = query_make(&store->db, STATEMENT_END_TRIAL);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->ending);
    query_put_text(&query, text_or(event->detail, NULL));
    query_put_real(&query, has_value ? event->value : NAN);
    query_put_real(&query, event->seconds);
    query_put_real(&query, event->time);
    query_put_u64(&query, event->told);
    query_put_int(&query, event->infeasible);
    if (event->step)
        query_put_u64(&query, event->step);
    else
        query_put_null(&query);
    if (query_run(&query, err))
        return -1;
    if (!db_changes(&store->db))
        return err_set(err, "%s: trial %llu is to end, but it ended before or never began", store->db.path,
                       (unsigned long long)event->trial);
    if (put_outcomes(store, event, err) || (event->watched && write_watched_end(store, event, err)))
        return -1;
    count_end(store, event, has_value);
    if (ending_state(event->ending) != TRIAL_FAILED)
        return 0;
    return note(store, event, "failed", err, "%s: %s", ending_name(event->ending),
                text_or(event->detail, ending_sentence(event->ending)));
}
