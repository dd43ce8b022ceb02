/* Events of runs: leased, given back, sampled, ended, ended too late. */
#include "scheduler/store/evidence.h"
#include "scheduler/store/write.h"

#include <math.h>

static void put_resources(struct query *query, const struct event_lease *lease)
{
    query_put_nonzero(query, lease->memory);
    query_put_real(query, lease->time > 0 ? lease->time : NAN);
}

static void put_lease(struct query *query, const struct event *event, int64_t worker, const struct event_lease *lease)
{
    query_put_u64(query, event->trial);
    query_put_int(query, event->attempt);
    query_put_int(query, worker);
    query_put_int(query, lease->slot);
    query_put_real(query, event->time);
    query_put_u64(query, lease->resumed);
    put_resources(query, lease);
}

static int lease_run(struct store *store, const struct event *event, const struct event_lease *lease, int64_t *worker,
                     struct err *err)
{
    if (names_worker(&store->names, &store->db, event->worker, worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_LEASE);
    put_lease(&query, event, *worker, lease);
    return query_run(&query, err);
}

int write_leased(struct store *store, const struct event *event, const struct event_lease *lease, struct err *err)
{
    int64_t worker;
    if (lease_run(store, event, lease, &worker, err))
        return -1;
    fresh_leased(&store->fresh, event, worker);
    return 0;
}

int write_many_leased(struct store *store, const struct event *const *events, struct err *err)
{
    int64_t workers[MANY_ROWS_COUNT];
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        if (names_worker(&store->names, &store->db, events[i]->worker, &workers[i], err))
            return -1;
    struct query query = query_make(&store->db, STATEMENT_LEASE_MANY);
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        put_lease(&query, events[i], workers[i], &events[i]->lease);
    if (query_run(&query, err))
        return -1;
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        fresh_leased(&store->fresh, events[i], workers[i]);
    return 0;
}

/* The run goes, its number stays used. */
int write_returned(struct store *store, const struct event *event, const struct event_lease *lease, struct err *err)
{
    (void)lease;
    struct query run = QUERY(&store->db, STATEMENT_RETURN_RUN, PUT(event->trial), PUT(event->attempt));
    struct query parts = QUERY(&store->db, STATEMENT_RETURN_PARTS, PUT(event->trial), PUT(event->attempt));
    if (query_run(&run, err) || query_run(&parts, err))
        return -1;
    struct query trial = QUERY(&store->db, STATEMENT_RETURN_TRIAL, PUT(event->trial), PUT(event->attempt));
    return query_run(&trial, err);
}

/* A sample's row. */
struct sample_row {
    const struct event *event;
    const struct msg_sample *sample;
    int64_t metric;
    uint32_t number;
};

static void put_sample(struct query *query, const struct sample_row *row)
{
    query_put_u64(query, row->event->trial);
    query_put_int(query, row->event->attempt);
    query_put_int(query, row->number);
    query_put_int(query, row->metric);
    query_put_int(query, row->sample->step);
    query_put_real(query, row->sample->value);
    query_put_real(query, row->sample->time);
}

/* Samples that gather until there are enough for a statement of many rows. */
struct sample_rows {
    struct sample_row rows[MANY_ROWS_COUNT];
    int count;
};

static int write_samples(struct store *store, struct sample_rows *rows, struct err *err)
{
    bool is_full = rows->count == MANY_ROWS_COUNT;
    for (int i = 0; i < rows->count;) {
        struct query query = query_make(&store->db, is_full ? STATEMENT_PUT_SAMPLE_MANY : STATEMENT_PUT_SAMPLE);
        do
            put_sample(&query, &rows->rows[i++]);
        while (is_full && i < rows->count);
        if (query_run(&query, err))
            return -1;
    }
    rows->count = 0;
    return 0;
}

static int gather_samples(struct store *store, struct sample_rows *rows, const struct event *event,
                          const struct event_sampled *sampled, struct err *err)
{
    if (sampled->further)
        store->progress.idle = 0;
    for (uint32_t i = 0; i < sampled->samples_count; i++) {
        const struct msg_sample *sample = &sampled->samples[i];
        struct sample_row *row = &rows->rows[rows->count];
        *row = (struct sample_row){.event = event, .sample = sample, .number = sampled->first + i};
        if (names_metric(&store->names, &store->db, sample->metric, &row->metric, err))
            return -1;
        if (++rows->count == MANY_ROWS_COUNT && write_samples(store, rows, err))
            return -1;
    }
    return 0;
}

static int put_samples(struct store *store, const struct event *event, const struct event_sampled *sampled,
                       struct err *err)
{
    struct sample_rows rows = {.count = 0};
    return gather_samples(store, &rows, event, sampled, err) || write_samples(store, &rows, err) ? -1 : 0;
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

/* The parameters that statements of a run's end have in common, in three parts: how it ended and when, what it said,
 * and what was found of it. */
static void put_times(struct query *query, const struct event_run *run)
{
    bool is_measured = !run->given_up; /* else its worker said nothing */
    query_put_int(query, run->ending);
    query_put_real(query, run->started > 0 ? run->started : NAN);
    query_put_real(query, run->seconds);
    query_put_real(query, is_measured ? run->cpu_seconds : NAN);
    if (is_measured)
        query_put_u64(query, run->peak_memory);
    else
        query_put_null(query);
    query_put_text(query, text_or(run->detail, NULL));
}

static void put_words(struct query *query, const struct event_run *run, struct run_texts *texts)
{
    query_put_text(query, text_or(run->tail, NULL));
    query_put_text(query,
                   run->profile ? profile_encode(run->profile, run->named, run->named_count, texts->profile) : NULL);
}

static void put_verdict(struct query *query, const struct event_run *run)
{
    bool is_measured = !run->given_up;
    struct verdict_evidence evidence = evidence_of_run(run);
    struct verdict verdict = verdict_find(&evidence);
    if (is_measured)
        query_put_int(query, verdict.kind);
    else
        query_put_null(query);
    query_put_real(query, is_measured ? verdict.figure : NAN);
}

static void put_findings(struct query *query, const struct event_run *run, struct run_texts *texts)
{
    put_verdict(query, run);
    query_put_text(query, counted_encode(run->counters, texts->counters));
    const char *operations = operations_encode(run->operations, run->operations_count, texts->operations);
    query_put_text(query, operations ? operations : gpu_sums_encode(run, texts->gpu)); /* a kernel's, or a program's */
}

/* Where the run began stays what is known, if it was given up. */
static int end_run(struct store *store, const struct event *event, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_END_RUN);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    put_times(&query, &event->run);
    if (event->run.given_up)
        query_put_null(&query);
    else
        query_put_u64(&query, event->run.sampled.resumed);
    put_words(&query, &event->run, store->texts);
    put_findings(&query, &event->run, store->texts);
    return query_run(&query, err);
}

static void put_end_fresh(struct query *query, const struct event *event, const struct fresh_trial *known,
                          struct run_texts *texts)
{
    query_put_u64(query, event->trial);
    query_put_int(query, event->attempt);
    query_put_int(query, known->worker);
    query_put_int(query, known->lease.slot);
    query_put_real(query, known->leased);
    put_times(query, &event->run);
    query_put_u64(query, event->run.sampled.resumed);
    put_words(query, &event->run, texts);
    put_resources(query, &known->lease);
    put_findings(query, &event->run, texts);
}

/* Ends so many runs whose rows are known: one, or MANY_ROWS_COUNT. */
static int end_fresh(struct store *store, const struct event *const *events, int count, struct err *err)
{
    struct query query = query_make(&store->db, count > 1 ? STATEMENT_END_RUN_FRESH_MANY : STATEMENT_END_RUN_FRESH);
    for (int i = 0; i < count; i++)
        put_end_fresh(&query, events[i], fresh_to_end_run(&store->fresh, events[i]), &store->texts[i]);
    return query_run(&query, err);
}

/* The run is there unless it had been given back, and its worker ran it all the same. */
static int end_known(struct store *store, const struct event *event, struct err *err)
{
    int64_t worker;
    const struct event_run *run = &event->run;
    const struct event_lease lease = {.slot = run->slot, .resumed = run->sampled.resumed};
    if (end_run(store, event, err))
        return -1;
    if (db_changes(&store->db))
        return 0;
    return lease_run(store, event, &lease, &worker, err) || end_run(store, event, err) ? -1 : 0;
}

static int write_run(struct store *store, const struct event *event, struct err *err)
{
    bool is_fresh = fresh_to_end_run(&store->fresh, event);
    if (is_fresh ? end_fresh(store, &event, 1, err) : end_known(store, event, err))
        return -1;
    fresh_run_ended(&store->fresh, event);
    store->progress.run_seconds += event->run.seconds;
    return 0;
}

int write_run_ended(struct store *store, const struct event *event, const struct event_run *run, struct err *err)
{
    return write_run(store, event, err) ? -1 : put_samples(store, event, &run->sampled, err);
}

/* Rows that are known, and the samples of all, are one insertion each. */
int write_many_runs_ended(struct store *store, const struct event *const *events, struct err *err)
{
    struct sample_rows rows = {.count = 0};
    bool are_fresh = true;
    for (int i = 0; i < MANY_ROWS_COUNT; i++)
        are_fresh = are_fresh && fresh_to_end_run(&store->fresh, events[i]);
    if (are_fresh && end_fresh(store, events, MANY_ROWS_COUNT, err))
        return -1;
    for (int i = 0; i < MANY_ROWS_COUNT; i++) {
        if (!are_fresh && write_run(store, events[i], err))
            return -1;
        if (are_fresh) {
            fresh_run_ended(&store->fresh, events[i]);
            store->progress.run_seconds += events[i]->run.seconds;
        }
        if (gather_samples(store, &rows, events[i], &events[i]->run.sampled, err))
            return -1;
    }
    return write_samples(store, &rows, err);
}

/* Only what was given up can be late; anything else is the same result once more, or that of a worker which the attempt
 * was not given to. */
int write_late(struct store *store, const struct event *event, const struct event_run *run, struct err *err)
{
    int64_t worker;
    if (names_worker(&store->names, &store->db, event->worker, &worker, err))
        return -1;
    struct query query = query_make(&store->db, STATEMENT_END_LATE);
    query_put_u64(&query, event->trial);
    query_put_int(&query, event->attempt);
    put_times(&query, run);
    put_words(&query, run, store->texts);
    put_findings(&query, run, store->texts);
    query_put_int(&query, worker);
    if (query_run(&query, err))
        return -1;
    if (!db_changes(&store->db))
        return 0;
    store->progress.late++;
    if (put_samples(store, event, &run->sampled, err))
        return -1;
    return write_note(store, event, "late", err, "%s, after the run had been given up: noted, not counted",
                      ending_name(run->ending));
}
