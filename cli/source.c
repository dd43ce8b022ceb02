/* Reading an experiment; see source.h. */
#include "cli/source.h"
#include "cli/status.h"
#include "common/mem.h"
#include "scheduler/service.h"

#include <stdlib.h>

/* A coordinator's turn lasts 10 ms, reading a large table some seconds. */
static const double usual_patience = 10;

struct source {
    struct rundir dir;
    bool lives;
    double patience;
    struct reader *reader;         /* NULL while the coordinator keeps the store for itself */
    struct link_context *context;  /* made with the client */
    struct service_client *client; /* NULL when nothing was asked yet */
};

static void copy_dir(const struct rundir *from, struct rundir *to)
{
    rundir_name(from->path, to);
    free(to->store);
    to->store = mem_text(from->store); /* a .db file may have another name */
}

int source_open_dir(const struct rundir *dir, struct source **out, struct err *err)
{
    struct source *source = MEM_NEW(struct source);
    struct rendezvous rendezvous = {0};
    copy_dir(dir, &source->dir);
    source->patience = usual_patience;
    source->lives = rendezvous_read(&source->dir, &rendezvous, NULL) == 0;
    if (!(source->lives && rendezvous.exclusive))
        source->reader = reader_open(source->dir.store, err);
    if (!source->reader && !rendezvous.exclusive) {
        source_close(source);
        return STATUS_FAILED;
    }
    *out = source;
    return STATUS_OK;
}

int source_open(const char *what, struct source **out, struct err *err)
{
    struct rundir dir;
    if (rundir_find(what, &dir, err))
        return STATUS_NOT_FOUND;
    int status = source_open_dir(&dir, out, err);
    rundir_fini(&dir);
    return status;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    service_disconnect(source->client);
    link_context_destroy(source->context);
    reader_close(source->reader);
    rundir_fini(&source->dir);
    free(source);
}

void source_set_patience(struct source *source, double seconds)
{
    source->patience = seconds;
}

const struct rundir *source_dir(const struct source *source)
{
    return &source->dir;
}

bool source_lives(const struct source *source)
{
    return source->lives;
}

static int connect_client(struct source *source, struct err *err)
{
    if (!source->context)
        source->context = link_context_create(err);
    if (!source->context)
        return STATUS_FAILED;
    if (!source->client)
        source->client = service_connect(source->context, &source->dir, err);
    return source->client ? STATUS_OK : STATUS_UNREACHABLE;
}

int source_ask(struct source *source, const char *what, json_t *arguments, json_t **answer, struct err *err)
{
    json_t *ignored = NULL;
    int status = connect_client(source, err);
    if (!status)
        status = service_ask(source->client, what, arguments, source->patience, answer ? answer : &ignored, err);
    json_decref(arguments);
    json_decref(ignored);
    return status;
}

/* Has the coordinator call the reader's function of this name. */
static json_t *read_there(struct source *source, const char *function, json_t *arguments, struct err *err)
{
    json_t *answer = NULL;
    json_object_set_new(arguments, "function", json_string(function));
    return source_ask(source, "read", arguments, &answer, err) ? NULL : answer;
}

static json_t *trials_there(struct source *source, const struct trial_query *query, struct err *err)
{
    json_t *arguments =
        json_pack("{s:I, s:b, s:I, s:I}", "trial", (json_int_t)query->trial, "by_value", query->by_value, "limit",
                  (json_int_t)query->limit, "after", (json_int_t)query->after);
    if (query->state)
        json_object_set_new(arguments, "state", json_string(trial_state_name((enum trial_state)(query->state - 1))));
    return read_there(source, "trials", arguments, err);
}

static json_t *some_trials(struct source *source, const struct trial_query *query, struct err *err)
{
    return source->reader ? reader_trials(source->reader, query, err) : trials_there(source, query, err);
}

/* Visits the trials of one page; -1 with a sentence. */
static int visit_page(const json_t *page, reader_visit *visit, void *context, struct err *err)
{
    size_t index;
    json_t *trial;
    json_array_foreach((json_t *)page, index, trial)
    {
        if (visit(context, trial, err))
            return -1;
    }
    return 0;
}

int source_each_trial(struct source *source, const struct trial_query *query, reader_visit *visit, void *context,
                      struct err *err)
{
    enum { PAGE = 1000 };
    struct trial_query page = *query;
    bool in_pages = !query->trial && !query->by_value, more = true;
    uint64_t left = query->limit ? query->limit : UINT64_MAX;
    while (more) {
        if (in_pages)
            page.limit = left < PAGE ? left : PAGE;
        json_t *trials = some_trials(source, &page, err);
        if (!trials || visit_page(trials, visit, context, err)) {
            json_decref(trials);
            return -1;
        }
        size_t count = json_array_size(trials);
        const json_t *last = json_array_get(trials, count - 1);
        page.after = (uint64_t)json_integer_value(json_object_get(last, "trial"));
        left -= count;
        more = in_pages && count == PAGE && left > 0;
        json_decref(trials);
    }
    return 0;
}

static int append(void *context, json_t *trial, struct err *err)
{
    (void)err;
    return json_array_append(context, trial);
}

json_t *source_trials(struct source *source, const struct trial_query *query, struct err *err)
{
    json_t *all = json_array();
    if (source_each_trial(source, query, append, all, err) == 0)
        return all;
    json_decref(all);
    return NULL;
}

json_t *source_best(struct source *source, struct err *err)
{
    return source->reader ? reader_best(source->reader, err) : read_there(source, "best", json_object(), err);
}

json_t *source_front(struct source *source, struct err *err)
{
    return source->reader ? reader_front(source->reader, err) : read_there(source, "front", json_object(), err);
}

json_t *source_show(struct source *source, uint64_t trial, struct err *err)
{
    return source->reader ? reader_show(source->reader, trial, err)
                          : read_there(source, "show", json_pack("{s:I}", "trial", (json_int_t)trial), err);
}

json_t *source_experiment(struct source *source, struct err *err)
{
    return source->reader ? reader_experiment(source->reader, err)
                          : read_there(source, "experiment", json_object(), err);
}

json_t *source_events(struct source *source, int64_t after, struct err *err)
{
    return source->reader ? reader_events(source->reader, after, err)
                          : read_there(source, "events", json_pack("{s:I}", "after", (json_int_t)after), err);
}

json_t *source_phases(struct source *source, struct err *err)
{
    return source->reader ? reader_phases(source->reader, err) : read_there(source, "phases", json_object(), err);
}

int source_recorded(struct source *source, struct standing *out, struct err *err)
{
    *out = (struct standing){0};
    if (!source->reader)
        return err_set(err, "%s is locked by its coordinator", source->dir.store);
    int result = reader_snapshot(source->reader, &out->snapshot, err);
    struct spec *spec = result ? NULL : rundir_spec(&source->dir, NULL);
    if (spec) /* the store does not know the limits: --resume may change them */
        out->snapshot.max_trials = spec->limits.max_trials;
    spec_destroy(spec);
    return result;
}

/* Whether the coordinator that did not answer has ended; then the store is read from now on. */
static bool has_gone(struct source *source, struct err *err)
{
    struct rendezvous rendezvous;
    if (rendezvous_read(&source->dir, &rendezvous, NULL) == 0)
        return false;
    source->lives = false;
    if (!source->reader)
        source->reader = reader_open(source->dir.store, err);
    return source->reader != NULL;
}

int source_standing(struct source *source, struct standing *out, struct err *err)
{
    json_t *answer = NULL;
    *out = (struct standing){0};
    if (!source->lives)
        return source_recorded(source, out, err) ? STATUS_FAILED : STATUS_OK;
    int status = source_ask(source, "status", json_object(), &answer, err);
    if (status && has_gone(source, err))
        return source_recorded(source, out, err) ? STATUS_FAILED : STATUS_OK;
    if (!status && snapshot_decode(answer, &out->snapshot, err))
        status = STATUS_UNREACHABLE;
    if (!status)
        out->trouble = mem_text(json_string_value(json_object_get(answer, "trouble")));
    json_decref(answer);
    return status;
}

void standing_fini(struct standing *standing)
{
    snapshot_fini(&standing->snapshot);
    free(standing->trouble);
}
