/* Reading an experiment; see source.h. */
#include "cli/data/source.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/coordinator/query.h"
#include "scheduler/coordinator/service.h"
#include "scheduler/rundir/pass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A coordinator's turn lasts 10 ms, reading a large table some seconds. */
static const double usual_patience = 10;

struct source {
    struct rundir dir;
    bool lives;
    bool hidden;    /* it may live: it is somebody else's, who lets a group read what it records */
    bool elsewhere; /* it lives on another host, as far as can be known here */
    double patience;
    enum service_role role;        /* as which its coordinator is asked */
    const atomic_bool *stop;       /* NULL: nothing breaks its readings off */
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

/* Whether a coordinator of another user says where it listens: not to us. */
static bool is_hidden(const struct rundir *dir)
{
    struct stat at;
    return stat(dir->path, &at) == 0 && at.st_uid != geteuid() && path_exists(dir->discovery) &&
           access(dir->discovery, R_OK) != 0;
}

int source_open_dir(const struct rundir *dir, struct source **out, struct err *err)
{
    struct source *source = MEM_NEW(struct source);
    struct discovery discovery = {0};
    bool is_pass = pass_is(dir);
    copy_dir(dir, &source->dir);
    source->patience = usual_patience;
    source->lives = discovery_read(&source->dir, &discovery, is_pass ? err : NULL) == 0;
    if (is_pass)
        source->role = SERVICE_VIEWER;
    if (is_pass && !source->lives) {
        source_close(source);
        return STATUS_UNREACHABLE;
    }
    source->hidden = !source->lives && is_hidden(&source->dir);
    source->elsewhere = source->lives && !discovery_is_here(&discovery);
    if (!(source->lives && discovery.exclusive))
        source->reader = reader_open(source->dir.store, err);
    if (!source->reader && !discovery.exclusive) {
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

void source_only_look(struct source *source)
{
    source->role = SERVICE_VIEWER;
}

bool source_is_stopped(const struct source *source)
{
    return source->stop && atomic_load(source->stop);
}

void source_stop_at(struct source *source, const atomic_bool *stop)
{
    source->stop = stop;
    if (source->reader)
        reader_stop_at(source->reader, stop);
}

void source_hold(struct source *source)
{
    if (source->reader)
        reader_hold(source->reader);
}

void source_release(struct source *source)
{
    if (source->reader)
        reader_release(source->reader);
}

const struct rundir *source_dir(const struct source *source)
{
    return &source->dir;
}

bool source_lives(const struct source *source)
{
    return source->lives;
}

bool source_is_hidden(const struct source *source)
{
    return source->hidden;
}

static int connect_client(struct source *source, struct err *err)
{
    if (!source->context)
        source->context = link_context_create(err);
    if (!source->context)
        return STATUS_FAILED;
    if (!source->client)
        source->client = service_connect(source->context, &source->dir, source->role, err);
    if (source->client)
        service_stop_at(source->client, source->stop);
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

struct spec *source_spec(struct source *source, struct err *err)
{
    if (!pass_is(&source->dir))
        return rundir_spec_recorded(&source->dir, err);
    json_t *experiment = source_read(source, "experiment", NULL, err);
    struct spec *spec = experiment ? rundir_spec_of(&source->dir, experiment, err) : NULL;
    json_decref(experiment);
    return spec;
}

json_t *source_read(struct source *source, const char *function, json_t *arguments, struct err *err)
{
    json_t *answer = NULL;
    arguments = arguments ? arguments : json_object();
    json_object_set_new(arguments, "function", json_string(function));
    if (source_is_stopped(source)) {
        json_decref(arguments);
        err_write(err, "%s: reading it was broken off", source->dir.path);
    } else if (source->reader) {
        answer = read_run(source->reader, arguments, err);
        json_decref(arguments);
    } else if (source_ask(source, "read", arguments, &answer, err)) {
        answer = NULL;
    }
    return answer;
}

static json_t *query_json(const struct trial_query *query)
{
    json_t *json = json_pack("{s:I, s:b, s:b, s:I, s:I, s:b, s:b}", "trial", (json_int_t)query->trial, "by_value",
                             query->by_value, "reverse", query->reverse, "limit", (json_int_t)query->limit, "after",
                             (json_int_t)query->after, "brief", query->brief, "curve", query->curve);
    if (query->state)
        json_object_set_new(json, "state", json_string(trial_state_name((enum trial_state)(query->state - 1))));
    if (query->order)
        json_object_set_new(json, "order", json_string(query->order));
    if (query->numbers)
        json_object_set(json, "numbers", (json_t *)query->numbers);
    return json;
}

/* Trials that are read at once, some MB at most; with their samples fewer, so that there are about so many of these. */
enum { PAGE = 1000, FIRST_PAGE_OF_CURVES = 50, SAMPLES_OF_PAGE = 20000 };

/* A walk over trials, page by page. */
struct trial_walk {
    struct source *source;
    reader_visit *visit;
    void *context;
    uint64_t left;  /* how many may still be visited */
    uint64_t last;  /* the number of the last one */
    uint64_t most;  /* how many the next page may have */
    bool last_page; /* the last page had fewer than it might */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* So many that they have about SAMPLES_OF_PAGE samples, if they are as the last ones. */
static uint64_t next_page(uint64_t trials, uint64_t samples)
{
    uint64_t most = trials * SAMPLES_OF_PAGE / (samples ? samples : 1);
    return most < 1 ? 1 : smaller(smaller(most, 4 * trials), PAGE);
}

/* Reads and visits one page. -1 with a sentence. */
static int walk_page(struct trial_walk *walk, struct trial_query page, struct err *err)
{
    size_t index, samples = 0;
    json_t *trial;
    int failed = 0;
    page.limit = smaller(walk->left, walk->most);
    json_t *trials = source_read(walk->source, "trials", query_json(&page), err);
    json_array_foreach(trials, index, trial)
    {
        samples += json_array_size(json_object_get(trial, "curve"));
        if (failed = walk->visit(walk->context, trial, err), failed)
            break;
        walk->last = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    }
    walk->last_page = json_array_size(trials) < page.limit;
    walk->left -= json_array_size(trials);
    if (page.curve && json_array_size(trials))
        walk->most = next_page(json_array_size(trials), samples);
    failed = !trials || failed ? -1 : 0;
    json_decref(trials);
    return failed;
}

/* By number: each page begins behind the last one. */
static int walk_numbers(struct trial_walk *walk, const struct trial_query *query, struct err *err)
{
    struct trial_query page = *query;
    do {
        if (walk_page(walk, page, err))
            return -1;
        if (!walk->last_page && walk->last <= page.after)
            return err_set(err, "the store is damaged: its trials don't come in the order of their numbers");
        page.after = walk->last;
    } while (!walk->last_page && walk->left > 0);
    return 0;
}

/* Trials of a list, page by page. */
static int walk_list(struct trial_walk *walk, const struct trial_query *query, const json_t *numbers, struct err *err)
{
    struct trial_query page = {.state = query->state, .brief = query->brief, .curve = query->curve};
    json_t *part = json_array();
    int failed = 0;
    for (size_t i = 0; !failed && i < json_array_size(numbers) && walk->left > 0; i++) {
        json_array_append(part, json_array_get(numbers, i));
        if (json_array_size(part) < walk->most && i + 1 < json_array_size(numbers))
            continue;
        page.numbers = part;
        failed = walk_page(walk, page, err);
        json_array_clear(part);
    }
    json_decref(part);
    return failed;
}

/* In another order: the numbers of all, which are small, and then page by page the trials. */
static int walk_order(struct trial_walk *walk, const struct trial_query *query, struct err *err)
{
    struct trial_query order = *query;
    order.limit = query->state ? 0 : query->limit;
    json_t *numbers = source_read(walk->source, "numbers", query_json(&order), err);
    int failed = numbers ? walk_list(walk, query, numbers, err) : -1;
    json_decref(numbers);
    return failed;
}

int source_each_trial(struct source *source, const struct trial_query *query, reader_visit *visit, void *context,
                      struct err *err)
{
    struct trial_walk walk = {.source = source, .visit = visit, .context = context};
    walk.left = query->limit ? query->limit : UINT64_MAX;
    walk.most = query->trial ? 1 : query->curve ? FIRST_PAGE_OF_CURVES : PAGE;
    if (query->trial)
        return walk_page(&walk, *query, err);
    if (query->numbers)
        return walk_list(&walk, query, query->numbers, err);
    return query->by_value || query->order ? walk_order(&walk, query, err) : walk_numbers(&walk, query, err);
}

static int append_trial(void *context, json_t *trial, struct err *err)
{
    (void)err;
    return json_array_append(context, trial);
}

json_t *source_trials(struct source *source, const struct trial_query *query, struct err *err)
{
    json_t *all = json_array();
    if (source_each_trial(source, query, append_trial, all, err) == 0)
        return all;
    json_decref(all);
    return NULL;
}

int source_show(struct source *source, uint64_t trial, json_t **out, struct err *err)
{
    *out = source_read(source, "show", json_pack("{s:I}", "trial", (json_int_t)trial), err);
    if (!*out || !json_is_null(*out))
        return *out ? STATUS_OK : STATUS_FAILED;
    *out = NULL;
    err_write(err, "%s has no trial %" PRIu64, source->dir.path, trial);
    return STATUS_NOT_FOUND;
}

int source_recorded(struct source *source, struct experiment_standing *out, struct err *err)
{
    *out = (struct experiment_standing){0};
    if (!source->reader)
        return err_set(err, "%s is locked by its coordinator", source->dir.store);
    int result = reader_snapshot(source->reader, &out->snapshot, err);
    struct spec *spec = result ? NULL : rundir_spec_recorded(&source->dir, NULL);
    if (spec) /* the store does not know the limits: --resume may change them */
        out->snapshot.max_trials = spec->limits.max_trials;
    spec_destroy(spec);
    return result;
}

/* Whether the coordinator that did not answer has ended; then the store is read from now on. */
static bool has_gone(struct source *source, struct err *err)
{
    struct discovery discovery;
    bool is_pass = pass_is(&source->dir);
    if (discovery_read(&source->dir, &discovery, is_pass ? err : NULL) == 0)
        return false;
    source->lives = false;
    if (!source->reader && !is_pass)
        source->reader = reader_open(source->dir.store, err);
    if (source->reader)
        reader_stop_at(source->reader, source->stop);
    return source->reader != NULL;
}

/* A coordinator on another host that does not answer may have gone down with it: what is recorded is shown, and why. */
static int recorded_there(struct source *source, struct experiment_standing *out, struct err *err)
{
    char *trouble = mem_text(err ? err->text : "the coordinator does not answer");
    if (source_recorded(source, out, err)) {
        free(trouble);
        return STATUS_FAILED;
    }
    out->trouble = trouble;
    return STATUS_OK;
}

/* Takes over the reference to the arguments of the question. */
static int ask_standing(struct source *source, json_t *arguments, struct experiment_standing *out, struct err *err)
{
    json_t *answer = NULL;
    *out = (struct experiment_standing){0};
    int status = source_ask(source, "status", arguments, &answer, err);
    if (status && has_gone(source, err))
        return source_recorded(source, out, err) ? STATUS_FAILED : STATUS_OK;
    if (status == STATUS_UNREACHABLE && source->elsewhere && source->reader)
        return recorded_there(source, out, err);
    if (!status && snapshot_decode(answer, &out->snapshot, err))
        status = STATUS_UNREACHABLE;
    if (!status) {
        out->trouble = mem_text(json_string_value(json_object_get(answer, "trouble")));
        out->counters = json_incref(json_object_get(answer, "counters"));
    }
    json_decref(answer);
    return status;
}

int source_standing(struct source *source, struct experiment_standing *out, struct err *err)
{
    if (!source->lives)
        return source_recorded(source, out, err) ? STATUS_FAILED : STATUS_OK;
    return ask_standing(source, json_object(), out, err);
}

int source_standing_short(struct source *source, struct experiment_standing *out, struct err *err)
{
    if (!source->lives)
        return source_recorded(source, out, err) ? STATUS_FAILED : STATUS_OK;
    return ask_standing(source, json_pack("{s:b}", "workers", 0), out, err);
}

void standing_fini(struct experiment_standing *standing)
{
    snapshot_fini(&standing->snapshot);
    json_decref(standing->counters);
    free(standing->trouble);
}
