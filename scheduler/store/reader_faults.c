/* What went wrong, and what it cost: the jobs, the workers, how attempts ended, and time whose work was not kept;
 * docs/json.md. */
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_parts.h"

#include "common/json.h"

#include <math.h>
#include <stdio.h>

/* --- what it cost --- */

/* Seconds of attempts that a later one did not go on from: those behind the last step that it took over. */
static int read_wasted(struct reader *reader, double *out, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_WASTED);
    query_put_int(&query, ENDING_PAUSED); /* between a rung's step and the pause nothing is lost but the saving */
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    double wasted = query_get_real(&query);
    *out = wasted > 0 ? wasted : 0; /* NULL, when there is none, is NaN */
    query_end(&query);
    return 0;
}

int reader_add_waste(struct reader *reader, const struct progress *progress, json_t *out, struct err *err)
{
    double wasted = 0, seconds = progress->run_seconds;
    bool any = progress->cut || progress->retried; /* else every attempt was the only one */
    if (any && read_wasted(reader, &wasted, err))
        return -1;
    json_object_set_new(out, "run_seconds", json_of_real(seconds));
    json_object_set_new(out, "wasted_seconds", json_of_real(wasted));
    json_object_set_new(out, "wasted", json_of_real(seconds > 0 ? fmin(wasted / seconds, 1) : 0));
    return 0;
}

/* --- lists --- */

static json_t *get_job(struct query *query)
{
    json_t *job = json_object();
    json_object_set_new(job, "job", reader_get_int(query));
    json_object_set_new(job, "element", reader_get_int(query));
    json_object_set_new(job, "restarts", reader_get_int(query));
    json_object_set_new(job, "role", reader_get_text(query));
    json_object_set_new(job, "state", reader_get_text(query));
    json_object_set_new(job, "reason", reader_get_text(query));
    json_object_set_new(job, "nodes", reader_get_text(query));
    json_object_set_new(job, "submitted", reader_get_time(query));
    json_object_set_new(job, "started", reader_get_time(query));
    json_object_set_new(job, "ended", reader_get_time(query));
    json_object_set_new(job, "exit", reader_get_text(query));
    return job;
}

static json_t *get_worker(struct query *query)
{
    json_t *worker = json_object();
    char number[17];
    snprintf(number, sizeof number, "%016llx", (unsigned long long)query_get_u64(query));
    json_object_set_new(worker, "worker", json_string(number));
    json_object_set_new(worker, "node", reader_get_text(query));
    json_object_set_new(worker, "pid", reader_get_int(query));
    json_object_set_new(worker, "job", reader_get_text(query));
    json_object_set_new(worker, "joined", reader_get_time(query));
    json_object_set_new(worker, "gone", reader_get_time(query));
    json_object_set_new(worker, "why", reader_get_text(query));
    json_object_set_new(worker, "runs", reader_get_int(query));
    return worker;
}

static json_t *get_ending(struct query *query)
{
    json_t *ending = json_object();
    json_object_set_new(ending, "reason", reader_get_text(query));
    json_object_set_new(ending, "attempts", reader_get_int(query));
    json_object_set_new(ending, "seconds", reader_get_real(query));
    return ending;
}

static const struct part {
    const char *name;
    enum statement statement;
    json_t *(*get)(struct query *query);
} parts[] = {
    {"jobs", STATEMENT_JOBS, get_job},
    {"workers", STATEMENT_WORKERS, get_worker},
    {"endings", STATEMENT_RUN_ENDINGS, get_ending},
};

static int add_part(struct reader *reader, const struct part *part, json_t *out, struct err *err)
{
    json_t *list = json_array();
    json_object_set_new(out, part->name, list);
    struct query query = query_make(reader->db, part->statement);
    int row;
    while ((row = query_row(&query, err)) > 0)
        json_array_append_new(list, part->get(&query));
    return row;
}

static int add_all(struct reader *reader, json_t *out, struct err *err)
{
    struct progress progress;
    if (progress_read(reader->db, &progress, err) || reader_add_waste(reader, &progress, out, err))
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (add_part(reader, &parts[i], out, err))
            return -1;
    return 0;
}

json_t *reader_faults(struct reader *reader, struct err *err)
{
    if (reader_begin(reader, err))
        return NULL;
    json_t *json = json_object();
    int failed = add_all(reader, json, err);
    reader_end(reader);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}
