/* Events of jobs: what becomes known of them adds to what was known. */
#include "scheduler/store/store_parts.h"

#include <math.h>
#include <string.h>

static void put_key(struct query *query, const struct job_facts *job)
{
    query_put_int(query, job->job);
    query_put_int(query, job->element == NODE_NO_ELEMENT ? -1 : (int64_t)job->element);
    query_put_int(query, job->restarts);
}

static void put_time(struct query *query, double time)
{
    query_put_real(query, time > 0 ? time : NAN);
}

/* Whether the job was in this state already: 1, 0, or -1 with a sentence. */
static int is_known(struct store *store, const struct job_facts *job, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_JOB_STATE);
    put_key(&query, job);
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    const char *state = query_get_text(&query);
    bool same = state && strcmp(state, job->state) == 0;
    query_end(&query);
    return same;
}

static int put_job(struct store *store, const struct job_facts *job, struct err *err)
{
    struct query query = query_make(&store->db, STATEMENT_PUT_JOB);
    put_key(&query, job);
    query_put_text(&query, text_or(job->role, NULL));
    put_time(&query, job->submitted);
    put_time(&query, job->started);
    put_time(&query, job->ended);
    query_put_text(&query, text_or(job->state, NULL));
    query_put_text(&query, job->reason); /* "" is one, too: it waits no more */
    query_put_text(&query, text_or(job->nodes, NULL));
    query_put_text(&query, text_or(job->request, NULL));
    query_put_text(&query, text_or(job->exit, NULL));
    return query_run(&query, err);
}

/* A job that has come back has ended before, though nobody was there to write it down. */
static int end_starts(struct store *store, const struct event *event, struct err *err)
{
    if (!event->job.restarts)
        return 0;
    struct query query = query_make(&store->db, STATEMENT_END_STARTS);
    put_key(&query, &event->job);
    query_put_real(&query, event->job.started > 0 ? event->job.started : event->time);
    return query_run(&query, err);
}

int write_job(struct store *store, const struct event *event, const struct job_facts *job, struct err *err)
{
    char name[32];
    int known = job->state ? is_known(store, job, err) : 1;
    if (known < 0 || put_job(store, job, err))
        return -1;
    if (known)
        return 0;
    if (end_starts(store, event, err))
        return -1;
    const char *nodes = text_or(job->nodes, NULL), *reason = text_or(job->reason, NULL);
    return note(store, event, "job", err, "job %s is %s%s%s%s%s", job_name(job, name, sizeof name), job->state,
                nodes ? " on " : "", nodes ? nodes : "", reason ? ": " : "", reason ? reason : "");
}
