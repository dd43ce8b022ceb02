/* Events of workers and of their jobs: here (again), their slots, gone. */
#include "scheduler/store/write.h"

#include "common/run_counters.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int has_joined(struct store *store, int64_t worker, bool *has, struct err *err)
{
    int64_t joined = 0;
    struct query query = QUERY(&store->db, STATEMENT_HAS_JOINED, PUT(worker));
    int row = query_number(&query, &joined, err);
    *has = joined != 0;
    return row < 0 ? -1 : 0;
}

static struct put put_element(const struct msg_hello *hello)
{
    return hello->job && hello->element != NODE_NO_ELEMENT ? put_int(hello->element) : put_text(NULL);
}

/* Of what a worker can't count, by its own words, what can be shown: {name of a counter: a sentence}. free() it; NULL:
 * nothing. */
static char *check_uncounted(const char *text)
{
    enum { LONGEST = 300 };
    json_t *said = text && *text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL, *kept = json_object(), *why;
    const char *name;
    json_object_foreach(said, name, why) if (run_counter_named(name) >= 0 && json_is_string(why) &&
                                             json_string_length(why) <= LONGEST) json_object_set(kept, name, why);
    char *checked = json_object_size(kept) ? json_dumps(kept, JSON_COMPACT) : NULL;
    json_decref(said);
    json_decref(kept);
    return checked;
}

static int put_join(struct store *store, int64_t worker, const struct msg_hello *hello, double time, struct err *err)
{
    char *uncounted = check_uncounted(hello->uncounted);
    struct query query =
        QUERY(&store->db, STATEMENT_JOIN, PUT(worker), PUT(hello->node), PUT(hello->pid), PUT(hello->version),
              PUT(hello->machine), PUT(hello->cores), PUT(hello->gpus), PUT(hello->memory), PUT(time),
              put_nonzero(hello->job), put_element(hello), PUT(uncounted));
    int result = query_run(&query, err);
    free(uncounted);
    return result;
}

int write_worker(struct store *store, const struct event *event, const struct msg_hello *hello, struct err *err)
{
    int64_t worker;
    bool was_here = false;
    if (names_worker(&store->names, &store->db, event->worker, &worker, err) ||
        has_joined(store, worker, &was_here, err) || put_join(store, worker, hello, event->time, err))
        return -1;
    const char *kind = was_here ? "worker_returned" : "worker_joined", *node = text_or(hello->node, "a node");
    if (!hello->pid) /* no process of ours, but a loop that asks and tells */
        return write_note(store, event, kind, err, "%s %s: %s", node, was_here ? "is back" : "joined",
                          text_or(hello->machine, "a loop of its own"));
    return write_note(store, event, kind, err, "%s %s: process %u, cores: %u, GPUs: %u", node,
                      was_here ? "is back" : "joined", hello->pid, hello->cores, hello->gpus);
}

static int put_slot(struct store *store, int64_t worker, const struct msg_slot *slot, struct err *err)
{
    struct query query =
        QUERY(&store->db, STATEMENT_PUT_SLOT, PUT(worker), PUT(slot->index), PUT(text_or(slot->cpus, "")),
              PUT(text_or(slot->numa, "")), PUT(text_or(slot->gpus, "")), PUT(slot->memory));
    return query_run(&query, err);
}

int write_slots(struct store *store, const struct event *event, const struct event_slots *offered, struct err *err)
{
    int64_t worker;
    if (names_worker(&store->names, &store->db, event->worker, &worker, err))
        return -1;
    for (uint32_t i = 0; i < offered->slots_count; i++)
        if (put_slot(store, worker, &offered->slots[i], err))
            return -1;
    return 0;
}

int write_worker_gone(struct store *store, const struct event *event, const struct event_gone *gone, struct err *err)
{
    int64_t worker;
    if (names_worker(&store->names, &store->db, event->worker, &worker, err))
        return -1;
    struct query query =
        QUERY(&store->db, STATEMENT_GO, PUT(worker), PUT(event->time), PUT(text_or(gone->detail, NULL)));
    if (query_run(&query, err))
        return -1;
    return write_note(store, event, "worker_gone", err, "the worker is gone: %s",
                      text_or(gone->detail, "no reason is known"));
}

/* --- jobs: what becomes known of them adds to what was known --- */

static struct put put_time(double time)
{
    return put_real(time > 0 ? time : NAN);
}

/* The key of a job's row. */
#define KEY(job)                                                                                                       \
    PUT((job)->job), PUT((job)->element == NODE_NO_ELEMENT ? -1 : (int64_t)(job)->element), PUT((job)->restarts)

/* Whether the job was in this state already: 1, 0, or -1 with a sentence. */
static int is_known(struct store *store, const struct job_facts *job, struct err *err)
{
    struct query query = QUERY(&store->db, STATEMENT_JOB_STATE, KEY(job));
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    bool same = strcmp(query_get_text(&query), job->state) == 0;
    query_end(&query);
    return same;
}

/* An empty reason is one, too: the job waits no more. */
static int put_job(struct store *store, const struct job_facts *job, struct err *err)
{
    struct query query =
        QUERY(&store->db, STATEMENT_PUT_JOB, KEY(job), PUT(text_or(job->role, NULL)), put_time(job->submitted),
              put_time(job->started), put_time(job->ended), PUT(text_or(job->state, NULL)), PUT(job->reason),
              PUT(text_or(job->nodes, NULL)), PUT(text_or(job->request, NULL)), PUT(text_or(job->exit, NULL)));
    return query_run(&query, err);
}

/* A job that has come back has ended before, though nobody was there to write it down. */
static int end_starts(struct store *store, const struct event *event, struct err *err)
{
    const struct job_facts *job = &event->job;
    if (!job->restarts)
        return 0;
    double ended = job->started > 0 ? job->started : event->time;
    struct query query = QUERY(&store->db, STATEMENT_END_STARTS, KEY(job), PUT(ended));
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
    return write_note(store, event, "job", err, "job %s is %s%s%s%s%s", job_name(job, name, sizeof name), job->state,
                      nodes ? " on " : "", nodes ? nodes : "", reason ? ": " : "", reason ? reason : "");
}
