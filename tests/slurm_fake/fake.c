/* A Slurm for tests, as a module that the agent loads (GANNET_SLURM_MODULE=build/tests/slurm_fake.so). It has no
 * cluster: what it knows and does is in files of the directory GANNET_SLURM_FAKE, which it reads anew at every call, so
 * that a test can change them in between (tests/fake_slurm.h has functions for that):
 *
 *     jobs.json     the jobs: an array of objects as in the agent's answers (scheduler/slurm/slurm_agent.h), each with
 *                   its "comment", and may have the "cores" and "gpus" of a running one; {"id": 7, "state": "running",
 *                   "comment": "gannet:x"}. Submitting adds one (pending, for Priority), cancelling sets its state, and
 *                   so on. No such file: no jobs yet.
 *     script.json   what is to go otherwise: an object with a member for each call that it is about (open, ping,
 *                   submit, check, job, find, cancel, requeue, hold, partitions), in which may stand
 *                       "times": 2          only for the next two of them; then the member is gone
 *                       "say": "text"       a line on the error output, as libslurm writes them
 *                       "delay": 0.5        seconds that it takes
 *                       "hang": true        for ever
 *                       "after": true       what follows happens after the call was carried out, not instead of it
 *                       "exit": 1           the process ends
 *                       "crash": true       it is killed
 *                       "ends_job": true    whoever asked is killed with it, as all processes of a job that ends
 *                       "error": "text", "number": 2000, "unclear": true    the call fails with it
 *                   and "names": ["a", "b"] of partitions.
 *     calls         a line a call, written before anything else: its name and, of submit and cancel, what was asked as
 *                   JSON
 *
 * Jobs get the numbers from 100 on. slurm_old.so beside it is the same with another version of the interface. */
#include "scheduler/slurm/slurm_agent.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef FAKE_INTERFACE
#define FAKE_INTERFACE SLURM_INTERFACE
#endif

enum { FIRST_ID = 100, INVALID_JOB_ID = 2017, LONGEST_PATH = 4096 };

/* --- files --- */

static const char *path_of(const char *name, char path[LONGEST_PATH])
{
    const char *directory = getenv("GANNET_SLURM_FAKE");
    snprintf(path, LONGEST_PATH, "%s/%s", directory ? directory : ".", name);
    return path;
}

static json_t *load(const char *name)
{
    char path[LONGEST_PATH];
    return json_load_file(path_of(name, path), 0, NULL);
}

/* Takes over the reference. */
static void save(const char *name, json_t *json)
{
    char path[LONGEST_PATH], temporary[LONGEST_PATH];
    path_of(name, path);
    path_of("new", temporary);
    if (json_dump_file(json, temporary, JSON_INDENT(1)) || rename(temporary, path))
        abort();
    json_decref(json);
}

static void note(const char *call, const json_t *request)
{
    char path[LONGEST_PATH];
    FILE *file = fopen(path_of("calls", path), "a");
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    if (!file)
        abort();
    fprintf(file, "%s%s%s\n", call, text ? " " : "", text ? text : "");
    fclose(file);
    free(text);
}

/* --- what the script says --- */

/* The member about this call, to be freed; counted down in the file. NULL: nothing. */
static json_t *take_step(const char *call)
{
    json_t *script = load("script.json"), *step = json_incref(json_object_get(script, call));
    json_int_t times = json_integer_value(json_object_get(step, "times"));
    if (times > 1)
        json_object_set_new(step, "times", json_integer(times - 1));
    else if (times == 1)
        json_object_del(script, call);
    if (times)
        save("script.json", json_incref(script));
    json_decref(script);
    return step;
}

static void wait_for(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

/* Does what the step says: 0, or -1 with *error. */
static int act(const json_t *step, struct slurm_error *error)
{
    const char *say = json_string_value(json_object_get(step, "say")),
               *text = json_string_value(json_object_get(step, "error"));
    if (say)
        fprintf(stderr, "gannet: error: %s\n", say);
    wait_for(json_number_value(json_object_get(step, "delay")));
    while (json_is_true(json_object_get(step, "hang")))
        pause();
    if (json_object_get(step, "exit"))
        exit((int)json_integer_value(json_object_get(step, "exit")));
    bool ends_job = json_is_true(json_object_get(step, "ends_job"));
    if (ends_job)
        kill(getppid(), SIGKILL);
    if (ends_job || json_is_true(json_object_get(step, "crash")))
        raise(SIGKILL);
    if (!text)
        return 0;
    error->number = (int)json_integer_value(json_object_get(step, "number"));
    error->unclear = json_is_true(json_object_get(step, "unclear"));
    snprintf(error->text, sizeof error->text, "%s", text);
    return -1;
}

/* A call: begin, carry out, end. */
struct step {
    json_t *json;
    bool after;
};

static int begin(struct step *step, const char *call, const json_t *request, struct slurm_error *error)
{
    note(call, request);
    step->json = take_step(call);
    step->after = json_is_true(json_object_get(step->json, "after"));
    if (step->after || act(step->json, error) == 0)
        return 0;
    json_decref(step->json);
    return -1;
}

static int end(struct step *step, struct slurm_error *error)
{
    int failed = step->after ? act(step->json, error) : 0;
    json_decref(step->json);
    return failed;
}

/* --- the jobs --- */

static json_t *load_jobs(void)
{
    json_t *jobs = load("jobs.json");
    return jobs ? jobs : json_array();
}

static json_int_t member(const json_t *job, const char *name)
{
    return json_integer_value(json_object_get(job, name));
}

static bool is_of(const json_t *job, uint32_t id)
{
    return member(job, "id") == id || member(job, "array") == id;
}

static bool is_live(const json_t *job)
{
    const char *state = json_string_value(json_object_get(job, "state"));
    return state && !slurm_state_is_end((enum slurm_state)slurm_state_named(state));
}

static void add_job(struct slurm_jobs *out, const json_t *json)
{
    out->items = realloc(out->items, (out->count + 1) * sizeof *out->items);
    if (!out->items || slurm_job_read(json, &out->items[out->count++]))
        abort();
}

static int unknown(uint32_t id, struct slurm_error *error)
{
    *error = (struct slurm_error){.number = INVALID_JOB_ID};
    snprintf(error->text, sizeof error->text, "Invalid job id specified (%u)", (unsigned)id);
    return -1;
}

/* Sets the state of those of `id` (and of one element, unless SLURM_UNSET) that have not ended; how many there are. */
static size_t set_state(uint32_t id, uint32_t element, const char *state)
{
    json_t *jobs = load_jobs(), *job;
    size_t index, count = 0;
    json_array_foreach(jobs, index, job)
    {
        if (!is_of(job, id) || (element != SLURM_UNSET && member(job, "element") != element))
            continue;
        count++;
        if (is_live(job))
            json_object_set_new(job, "state", json_string(state));
    }
    save("jobs.json", jobs);
    return count;
}

/* --- the interface --- */

static const char *library(void)
{
    return "0.0.0";
}

static int fake_open(struct slurm_error *error)
{
    struct step step;
    return begin(&step, "open", NULL, error) ? -1 : end(&step, error);
}

static int ping(struct slurm_error *error)
{
    struct step step;
    return begin(&step, "ping", NULL, error) ? -1 : end(&step, error);
}

static uint32_t add_new(const struct slurm_request *request)
{
    json_t *jobs = load_jobs(), *job;
    size_t index;
    struct slurm_job new = {.id = FIRST_ID, .element = SLURM_UNSET, .reason = "Priority"};
    json_array_foreach(jobs, index, job)
    {
        if (member(job, "id") >= new.id)
            new.id = (uint32_t)member(job, "id") + 1;
    }
    new.array = request->array ? new.id : 0;
    new.submitted = (double)time(NULL);
    job = slurm_job_json(&new);
    if (request->comment)
        json_object_set_new(job, "comment", json_string(request->comment));
    json_array_append_new(jobs, job);
    save("jobs.json", jobs);
    return new.id;
}

static int submit(const struct slurm_request *request, uint32_t *id, struct slurm_error *error)
{
    struct step step;
    json_t *json = slurm_request_json(request);
    int failed = begin(&step, "submit", json, error);
    json_decref(json);
    if (failed)
        return -1;
    *id = add_new(request);
    return end(&step, error);
}

static int check(const struct slurm_request *request, struct slurm_error *error)
{
    struct step step;
    (void)request;
    return begin(&step, "check", NULL, error) ? -1 : end(&step, error);
}

static int job(uint32_t id, struct slurm_jobs *out, struct slurm_error *error)
{
    struct step step;
    size_t index;
    json_t *item;
    *out = (struct slurm_jobs){0};
    if (begin(&step, "job", NULL, error))
        return -1;
    json_t *jobs = load_jobs();
    json_array_foreach(jobs, index, item)
    {
        const char *cores = json_string_value(json_object_get(item, "cores"));
        const char *gpus = json_string_value(json_object_get(item, "gpus"));
        if (is_of(item, id))
            add_job(out, item);
        if (is_of(item, id) && cores && !out->cores)
            out->cores = strdup(cores);
        if (is_of(item, id) && gpus && !out->gpus)
            out->gpus = strdup(gpus);
    }
    json_decref(jobs);
    if (!out->count) {
        struct slurm_job gone = {.id = id, .element = SLURM_UNSET, .state = SLURM_VANISHED};
        item = slurm_job_json(&gone);
        add_job(out, item);
        json_decref(item);
    }
    return end(&step, error);
}

static int find(const char *comment, struct slurm_jobs *out, struct slurm_error *error)
{
    struct step step;
    size_t index;
    json_t *item;
    *out = (struct slurm_jobs){0};
    if (begin(&step, "find", NULL, error))
        return -1;
    json_t *jobs = load_jobs();
    json_array_foreach(jobs, index, item)
    {
        const char *text = json_string_value(json_object_get(item, "comment"));
        if (text && strcmp(text, comment) == 0 && is_live(item))
            add_job(out, item);
    }
    json_decref(jobs);
    return end(&step, error);
}

static int cancel(const char *which, int number, struct slurm_error *error)
{
    struct step step;
    unsigned id = 0, element = SLURM_UNSET;
    json_t *asked = json_pack("{s:s, s:i}", "which", which, "signal", number);
    int failed = begin(&step, "cancel", asked, error);
    json_decref(asked);
    if (failed)
        return -1;
    if (sscanf(which, "%u_%u", &id, &element) < 1 || (!number && !set_state(id, element, "cancelled"))) {
        json_decref(step.json);
        return unknown(id, error);
    }
    return end(&step, error);
}

static int requeue(uint32_t id, struct slurm_error *error)
{
    struct step step;
    if (begin(&step, "requeue", NULL, error))
        return -1;
    if (!set_state(id, SLURM_UNSET, "pending")) {
        json_decref(step.json);
        return unknown(id, error);
    }
    return end(&step, error);
}

static int hold(uint32_t id, bool held, struct slurm_error *error)
{
    struct step step;
    size_t index;
    json_t *item;
    if (begin(&step, "hold", NULL, error))
        return -1;
    json_t *jobs = load_jobs();
    json_array_foreach(jobs, index, item) if (is_of(item, id))
        json_object_set_new(item, "reason", json_string(held ? "JobHeldUser" : "Priority"));
    save("jobs.json", jobs);
    return end(&step, error);
}

static int partitions(char *out, uint32_t size, struct slurm_error *error)
{
    struct step step;
    size_t index, used = 0;
    json_t *name;
    if (begin(&step, "partitions", NULL, error))
        return -1;
    json_t *names = json_object_get(step.json, "names");
    snprintf(out, size, names ? "" : "main,low,high");
    json_array_foreach(names, index, name) used +=
        (size_t)snprintf(out + used, size - used, "%s%s", index ? "," : "", json_string_value(name));
    return end(&step, error);
}

static const struct slurm_module module = {.interface = FAKE_INTERFACE,
                                           .built_for = "fake",
                                           .library = library,
                                           .open = fake_open,
                                           .ping = ping,
                                           .submit = submit,
                                           .check = check,
                                           .job = job,
                                           .find = find,
                                           .cancel = cancel,
                                           .requeue = requeue,
                                           .hold = hold,
                                           .partitions = partitions};

extern const struct slurm_module *const gannet_slurm_module;
const struct slurm_module *const gannet_slurm_module = &module;
