/* Events of runs: leased, given back, sampled, ended, ended too late. */
#include "scheduler/store/profile.h"
#include "scheduler/store/store_parts.h"

#include <math.h>

int write_leased(struct store *store, const struct event *event, const struct event_lease *lease, struct err *err)
{
    int64_t worker;
    if (names_worker(store, event->worker, &worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_LEASE);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_int(&query, worker);
    query_put_int(&query, lease->slot);
    query_put_real(&query, event->time);
    query_put_u64(&query, lease->resumed);
    return query_run(&query, err);
}

/* The run goes, its number stays used. */
int write_returned(struct store *store, const struct event *event, const struct event_lease *lease, struct err *err)
{
    (void)lease;
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

static int put_sample(struct store *store, const struct event *event, uint32_t number, const struct msg_sample *sample,
                      struct err *err)
{
    int64_t metric;
    if (names_metric(store, sample->metric, &metric, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_PUT_SAMPLE);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_int(&query, number);
    query_put_int(&query, metric);
    query_put_int(&query, sample->step);
    query_put_real(&query, sample->value);
    query_put_real(&query, sample->time);
    return query_run(&query, err);
}

static int put_samples(struct store *store, const struct event *event, const struct event_sampled *sampled,
                       struct err *err)
{
    if (sampled->further)
        store->progress.idle = 0;
    for (uint32_t i = 0; i < sampled->samples_count; i++)
        if (put_sample(store, event, sampled->first + i, &sampled->samples[i], err))
            return -1;
    return 0;
}

/* Where the attempt began, which its first samples tell. */
static int put_start(struct store *store, const struct event *event, uint64_t resumed, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_WENT_ON);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_u64(&query, resumed);
    return query_run(&query, err);
}

int write_sampled(struct store *store, const struct event *event, const struct event_sampled *sampled, struct err *err)
{
    if (sampled->first == 0 && put_start(store, event, sampled->resumed, err))
        return -1;
    return put_samples(store, event, sampled, err);
}

/* The parameters that the statements END_RUN and END_LATE have in common. `profile` has room for the text of one. */
static struct query end_query(struct store *store, const struct event *event, char *profile, enum statement which)
{
    const struct event_run *run = &event->run;
    bool is_measured = !run->given_up; /* else its worker said nothing */
    struct query query = query_make(&store->db, which);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    query_put_int(&query, run->ending);
    query_put_real(&query, run->started > 0 ? run->started : NAN);
    query_put_real(&query, run->seconds);
    query_put_real(&query, is_measured ? run->cpu_seconds : NAN);
    if (is_measured)
        query_put_u64(&query, run->peak_memory);
    else
        query_put_null(&query);
    query_put_text(&query, text_or(run->detail, NULL));
    query_put_text(&query, text_or(run->tail, NULL));
    query_put_text(&query, run->profile ? profile_encode(run->profile, profile) : NULL);
    return query;
}

/* Where the run began stays what is known, if it was given up. */
static int end_run(struct store *store, const struct event *event, struct err *err)
{
    char profile[PROFILE_BYTES];
    struct query query = end_query(store, event, profile, STATEMENT_END_RUN);
    if (event->run.given_up)
        query_put_null(&query);
    else
        query_put_u64(&query, event->run.sampled.resumed);
    return query_run(&query, err);
}

/* The run is there unless it had been given back, and its worker ran it all the same. */
int write_run_ended(struct store *store, const struct event *event, const struct event_run *run, struct err *err)
{
    const struct event_lease lease = {.slot = run->slot, .resumed = run->sampled.resumed};
    if (end_run(store, event, err))
        return -1;
    if (!db_changes(&store->db) && (write_leased(store, event, &lease, err) || end_run(store, event, err)))
        return -1;
    store->progress.run_seconds += run->seconds;
    return put_samples(store, event, &run->sampled, err);
}

/* Only what was given up can be late; anything else is the same result once more. */
int write_late(struct store *store, const struct event *event, const struct event_run *run, struct err *err)
{
    char profile[PROFILE_BYTES];
    struct query query = end_query(store, event, profile, STATEMENT_END_LATE);
    if (query_run(&query, err))
        return -1;
    if (!db_changes(&store->db))
        return 0;
    store->progress.late++;
    if (put_samples(store, event, &run->sampled, err))
        return -1;
    return note(store, event, "late", err, "%s, after the run had been given up: noted, not counted",
                ending_name(run->ending));
}
