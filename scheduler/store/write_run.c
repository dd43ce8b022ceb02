/* Events of runs: leased, given back, sampled, ended, ended too late. */
#include "scheduler/store/profile.h"
#include "scheduler/store/store_parts.h"

#include <math.h>

int write_leased(struct store *store, const struct event *event, struct err *err)
{
    int64_t worker;
    if (names_worker(store, event->worker, &worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_LEASE);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_int(&query, worker);
    query_put_int(&query, event->slot);
    query_put_real(&query, event->time);
    query_put_u64(&query, event->resumed);
    return query_run(&query, err);
}

/* The run goes, its number stays used. */
int write_returned(struct store *store, const struct event *event, struct err *err)
{
    struct query run = query_make(&store->db, STATEMENT_RETURN_RUN);
    query_put_u64(&run, event->trial);
    query_put_int(&run, event->attempt);
    if (query_run(&run, err))
        return -1;
    struct query trial = query_make(&store->db, STATEMENT_RETURN_TRIAL);
    query_put_u64(&trial, event->trial);
    query_put_int(&trial, event->attempt);
    return query_run(&trial, err);
}

static int put_sample(struct store *store, const struct event *event, uint32_t i, struct err *err)
{
    const struct msg_sample *sample = &event->samples[i];
    int64_t metric;
    if (names_metric(store, sample->metric, &metric, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_PUT_SAMPLE);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_int(&query, (int64_t)event->first + i);
    query_put_int(&query, metric);
    query_put_int(&query, sample->step);
    query_put_real(&query, sample->value);
    query_put_real(&query, sample->time);
    return query_run(&query, err);
}

/* Where the attempt began, which its first samples tell. */
static int went_on(struct store *store, const struct event *event, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_WENT_ON);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_u64(&query, event->resumed);
    return query_run(&query, err);
}

int write_sampled(struct store *store, const struct event *event, struct err *err)
{
    if (event->further)
        store->progress.idle = 0;
    bool is_first = event->kind == EVENT_SAMPLED && event->first == 0;
    if (is_first && went_on(store, event, err))
        return -1;
    for (uint32_t i = 0; i < event->samples_count; i++)
        if (put_sample(store, event, i, err))
            return -1;
    return 0;
}

/* The parameters that the statements END_RUN and END_LATE have in common. `profile` has room for the text of one. */
static struct query end_query(struct store *store, const struct event *event, char *profile, enum statement which)
{
    bool is_measured = !event->given_up; /* else its worker said nothing */
    struct query query = query_make(&store->db, which);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_int(&query, event->ending);
    query_put_real(&query, event->started > 0 ? event->started : NAN);
    query_put_real(&query, event->seconds);
    query_put_real(&query, is_measured ? event->cpu_seconds : NAN);
    if (is_measured)
        query_put_u64(&query, event->peak_memory);
    else
        query_put_null(&query);
    query_put_text(&query, text_or(event->detail, NULL));
    query_put_text(&query, text_or(event->tail, NULL));
    query_put_text(&query, profile_encode(event->phases, profile));
    return query;
}

/* Where the run began. Of one that was given up it stays what is known. */
static void put_resumed(struct query *query, const struct event *event)
{
    if (event->given_up)
        query_put_null(query);
    else
        query_put_u64(query, event->resumed);
}

/* The run is there unless it had been given back, and its worker ran it all the same. */
int write_run_ended(struct store *store, const struct event *event, struct err *err)
{
    char profile[PROFILE_BYTES];
    struct query query = end_query(store, event, profile, STATEMENT_END_RUN);
    put_resumed(&query, event);
    if (query_run(&query, err))
        return -1;
    if (!db_changes(&store->db)) {
        if (write_leased(store, event, err))
            return -1;
        query = end_query(store, event, profile, STATEMENT_END_RUN);
        put_resumed(&query, event);
        if (query_run(&query, err))
            return -1;
    }
    store->progress.run_seconds += event->seconds;
    return write_sampled(store, event, err);
}

/* Only what was given up can be late; anything else is the same result once more. */
int write_late(struct store *store, const struct event *event, struct err *err)
{
    char profile[PROFILE_BYTES];
    struct query query = end_query(store, event, profile, STATEMENT_END_LATE);
    if (query_run(&query, err))
        return -1;
    if (!db_changes(&store->db))
        return 0;
    store->progress.late++;
    if (write_sampled(store, event, err))
        return -1;
    return note(store, event, "late", err, "%s, after the run had been given up: noted, not counted",
                ending_name(event->ending));
}
