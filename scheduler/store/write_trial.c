/* Events of trials: proposed, tried again, ended. */
#include "common/units.h"
#include "scheduler/store/ended_row.h"
#include "scheduler/store/write.h"

#include <math.h>
#include <stdio.h>

int write_living(struct store *store, uint64_t trial, struct err *err)
{
    return living_begin(&store->living, &store->progress.recent, trial, &store->db, err);
}

int write_end(struct store *store, uint64_t trial, uint64_t told, struct err *err)
{
    return living_end(&store->living, store->progress.recent, trial, &store->db, err) ||
                   ends_add(&store->ends, told, trial, &store->db, err)
               ? -1
               : 0;
}

static void put_proposed(struct query *query, const struct event *event)
{
    const struct event_proposed *proposed = &event->proposed;
    query_put_u64(query, event->trial);
    query_put_text(query, proposed->params);
    query_put_u64(query, proposed->fingerprint);
    query_put_u64(query, proposed->told_before);
    query_put_int(query, proposed->from_start);
    query_put_real(query, event->time);
    query_put_nonzero(query, proposed->from);
}

int write_proposed(struct store *store, const struct event *event, const struct event_proposed *proposed,
                   struct err *err)
{
    (void)proposed;
    struct query query = query_make(&store->db, STATEMENT_PROPOSE);
    put_proposed(&query, event);
    if (query_run(&query, err))
        return -1;
    fresh_proposed(&store->fresh, event);
    return write_living(store, event->trial, err);
}

int write_many_proposed(struct store *store, const struct event *const *events, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_PROPOSE_MANY);
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        put_proposed(&query, events[i]);
    if (query_run(&query, err))
        return -1;
    for (int i = 0; i < MANY_ROWS_COUNT; i++) {
        fresh_proposed(&store->fresh, events[i]);
        if (write_living(store, events[i]->trial, err))
            return -1;
    }
    return 0;
}

/* Counts what the retry cost. */
static int use_retry(struct store *store, uint64_t trial, const struct event_retried *retried, struct err *err)
{
    bool counted = ending_uses_retry(retried->ending);
    struct query query = QUERY(&store->db, STATEMENT_RETRY, PUT(trial), PUT(counted), PUT(retried->losses));
    query_put_nonzero(&query, retried->memory);
    query_put_real(&query, retried->time > 0 ? retried->time : NAN);
    return query_run(&query, err);
}

/* What the next attempt is given more of, in words; empty: nothing. */
static const char *show_given(const struct event_retried *retried, char *out, size_t size)
{
    char given[32];
    if (retried->ending == ENDING_OUT_OF_MEMORY)
        snprintf(out, size, " with %s of memory", units_show_size(retried->memory, given, sizeof given));
    else if (retried->ending == ENDING_TIMED_OUT)
        snprintf(out, size, " with %s of time", units_show_duration(retried->time, given, sizeof given));
    else
        *out = '\0';
    return out;
}

int write_retried(struct store *store, const struct event *event, const struct event_retried *retried, struct err *err)
{
    char given[64];
    enum retry_rule rule = ending_retry(retried->ending);
    if (use_retry(store, event->trial, retried, err))
        return -1;
    if (retried->ending == ENDING_CANCELLED || rule == RETRY_LATER) { /* by the end of this session, or of its job */
        store->progress.cut++;
        return write_note(store, event, "interrupted", err, "%s",
                          retried->ending == ENDING_CANCELLED ? "it was interrupted and waits for --resume"
                                                              : ending_sentence(retried->ending));
    }
    store->progress.retried++;
    return write_note(store, event, "retried", err, "%s: %s; it is tried again%s%s", ending_name(retried->ending),
                      text_or(retried->detail, ending_sentence(retried->ending)),
                      show_given(retried, given, sizeof given),
                      retried->alone ? ", alone: it may be why its workers are lost" : "");
}

int write_cleared(struct store *store, const struct event *event, const struct event_cleared *cleared, struct err *err)
{
    struct query query = QUERY(&store->db, STATEMENT_CLEAR, PUT(event->trial), PUT(cleared->losses));
    return query_run(&query, err);
}

/* The first value is in the row of the trial, too. */
int write_outcomes(struct store *store, uint64_t trial, const struct event_end *end, struct err *err)
{
    for (uint32_t i = 0; i < end->values_count; i++) {
        struct query query = QUERY(&store->db, STATEMENT_PUT_OUTCOME, PUT(trial), PUT(i + 1), PUT(end->values[i]));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

#define PUT_COLUMN(column, type, value) query_put_##type(query, value);

static void put_end(struct query *query, const struct event *event, const struct event_end *end)
{
    ENDED_ROW(ENDED_LEAVE, PUT_COLUMN, ENDED_LEAVE)
    query_put_u64(query, event->trial);
}

static void put_end_fresh(struct query *query, const struct event *event, const struct event_end *end,
                          const struct fresh_trial *known)
{
    query_put_u64(query, event->trial);
    ENDED_ROW(PUT_COLUMN, PUT_COLUMN, ENDED_LEAVE)
}

/* A trial ends once: that it has not ended yet is part of the statement. */
static int end_trial(struct store *store, const struct event *event, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_END_TRIAL);
    put_end(&query, event, &event->end);
    if (query_run(&query, err))
        return -1;
    if (!db_changes(&store->db))
        return err_set(err, "%s: trial %llu is to end, but it ended before or never began", store->db.path,
                       (unsigned long long)event->trial);
    return 0;
}

/* Ends so many trials whose rows are known: one, or MANY_ROWS_COUNT. */
static int end_fresh(struct store *store, const struct event *const *events, int count, struct err *err)
{
    struct query query = query_make(&store->db, count > 1 ? STATEMENT_END_FRESH_MANY : STATEMENT_END_FRESH);
    for (int i = 0; i < count; i++)
        put_end_fresh(&query, events[i], &events[i]->end, fresh_to_end(&store->fresh, events[i]));
    return query_run(&query, err);
}

/* What follows from the end of a trial beside its row. */
static int follow_end(struct store *store, const struct event *event, const struct event_end *end, struct err *err)
{
    fresh_drop(&store->fresh, event->trial);
    if (write_end(store, event->trial, end->told, err) || write_outcomes(store, event->trial, end, err) ||
        (end->watched && write_watched_end(store, event, err)))
        return -1;
    store->progress.idle = 0;
    store->progress.tells = end->told;
    store->progress.steps = event_add_steps(store->progress.steps, end->advance);
    store->progress.stepped += end->advance && end->advance == end->step;
    tally_add(&store->progress.tally, store->maximize, event->trial, end);
    if (ending_state(end->ending) != TRIAL_FAILED)
        return 0;
    return write_note(store, event, "failed", err, "%s: %s", ending_name(end->ending),
                      text_or(end->detail, ending_sentence(end->ending)));
}

int write_trial_ended(struct store *store, const struct event *event, const struct event_end *end, struct err *err)
{
    bool is_fresh = fresh_to_end(&store->fresh, event);
    if (is_fresh ? end_fresh(store, &event, 1, err) : end_trial(store, event, err))
        return -1;
    return follow_end(store, event, end, err);
}

int write_many_trials_ended(struct store *store, const struct event *const *events, struct err *err)
{
    bool are_fresh = true;
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        are_fresh = are_fresh && fresh_to_end(&store->fresh, events[i]);
    if (are_fresh && end_fresh(store, events, MANY_ROWS_COUNT, err))
        return -1;
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        if (are_fresh ? follow_end(store, events[i], &events[i]->end, err)
                      : write_trial_ended(store, events[i], &events[i]->end, err))
            return -1;
    return 0;
}
