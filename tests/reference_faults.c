/* What the store has to say of jobs and of what went wrong, by the model; see reference.h. */
#include "tests/reference_parts.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- jobs --- */

static struct job_facts *job_of(struct reference *reference, const struct job_facts *key)
{
    for (size_t i = 0; i < reference->job_count; i++) {
        struct job_facts *job = &reference->jobs[i];
        if (job->job == key->job && job->element == key->element && job->restarts == key->restarts)
            return job;
    }
    MEM_GROW(reference->jobs, reference->job_capacity, reference->job_count + 1);
    struct job_facts *job = &reference->jobs[reference->job_count++];
    *job = (struct job_facts){.job = key->job, .element = key->element, .restarts = key->restarts};
    return job;
}

static void learn_text(const char **known, const char *text)
{
    if (!text)
        return;
    free((char *)*known);
    *known = mem_text(text);
}

static void learn_time(double *known, double time)
{
    *known = time > 0 ? time : *known;
}

/* A job that has come back has ended before. */
static void end_starts(struct reference *reference, const struct event *event)
{
    const struct job_facts *facts = &event->job;
    for (size_t i = 0; i < reference->job_count; i++) {
        struct job_facts *job = &reference->jobs[i];
        bool before = job->job == facts->job && job->element == facts->element && job->restarts < facts->restarts;
        if (!before || job->ended > 0)
            continue;
        learn_text(&job->state, "requeued");
        job->ended = facts->started > 0 ? facts->started : event->time;
    }
}

void reference_take_job(struct reference *reference, const struct event *event)
{
    const struct job_facts *facts = &event->job;
    struct job_facts *job = job_of(reference, facts);
    if (facts->state && (!job->state || strcmp(job->state, facts->state) != 0))
        end_starts(reference, event);
    learn_text(&job->role, facts->role);
    learn_text(&job->state, facts->state);
    learn_text(&job->reason, facts->reason);
    learn_text(&job->nodes, facts->nodes);
    learn_text(&job->exit, facts->exit);
    learn_time(&job->submitted, facts->submitted);
    learn_time(&job->started, facts->started);
    learn_time(&job->ended, facts->ended);
}

const struct job_facts *reference_job_of(const struct reference *reference, const struct ref_worker *worker)
{
    const struct job_facts *last = NULL;
    for (size_t i = 0; i < reference->job_count; i++) {
        const struct job_facts *job = &reference->jobs[i];
        bool is_its = worker->job.job && job->job == worker->job.job && job->element == worker->job.element;
        if (is_its && (!last || job->restarts > last->restarts))
            last = job;
    }
    return last;
}

void reference_free_jobs(struct reference *reference)
{
    for (size_t i = 0; i < reference->job_count; i++) {
        const struct job_facts *job = &reference->jobs[i];
        const char *texts[] = {job->role, job->state, job->reason, job->nodes, job->exit};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free((char *)texts[k]);
    }
    free(reference->jobs);
}

/* --- showing --- */

/* By when they began, or were submitted; then by their numbers. */
static int in_order(const void *a, const void *b)
{
    const struct job_facts *left = a, *right = b;
    double began = left->started > 0 ? left->started : left->submitted;
    double other = right->started > 0 ? right->started : right->submitted;
    int64_t element = left->element == NODE_NO_ELEMENT ? -1 : (int64_t)left->element;
    int64_t another = right->element == NODE_NO_ELEMENT ? -1 : (int64_t)right->element;
    if (began != other)
        return began < other ? -1 : 1;
    if (left->job != right->job)
        return left->job < right->job ? -1 : 1;
    if (element != another)
        return element < another ? -1 : 1;
    return (left->restarts > right->restarts) - (left->restarts < right->restarts);
}

static json_t *time_if(double time)
{
    return time > 0 ? json_of_time(time) : json_null();
}

static json_t *show_job(const struct job_facts *job)
{
    json_t *json = json_object();
    json_object_set_new(json, "job", json_integer(job->job));
    json_object_set_new(json, "element", job->element == NODE_NO_ELEMENT ? json_null() : json_integer(job->element));
    json_object_set_new(json, "restarts", json_integer(job->restarts));
    json_object_set_new(json, "role", json_of_text(job->role));
    json_object_set_new(json, "state", json_of_text(job->state));
    json_object_set_new(json, "reason", json_of_text(job->reason));
    json_object_set_new(json, "nodes", json_of_text(job->nodes));
    json_object_set_new(json, "submitted", time_if(job->submitted));
    json_object_set_new(json, "started", time_if(job->started));
    json_object_set_new(json, "ended", time_if(job->ended));
    json_object_set_new(json, "exit", json_of_text(job->exit));
    return json;
}

static json_t *show_jobs(const struct reference *reference)
{
    json_t *jobs = json_array();
    if (reference->job_count)
        qsort(reference->jobs, reference->job_count, sizeof *reference->jobs, in_order);
    for (size_t i = 0; i < reference->job_count; i++)
        json_array_append_new(jobs, show_job(&reference->jobs[i]));
    return jobs;
}

static json_t *show_endings(const struct reference *reference)
{
    json_t *endings = json_array();
    for (int ending = 0; ending < ENDINGS_COUNT; ending++) {
        json_int_t attempts = 0;
        for (size_t i = 0; i < reference->count; i++)
            for (size_t k = 0; k < reference->trials[i].run_count; k++)
                attempts += reference->trials[i].runs[k].ending == ending;
        if (attempts)
            json_array_append_new(
                endings, json_pack("{s:s, s:I}", "reason", ending_name((enum ending)ending), "attempts", attempts));
    }
    return endings;
}

/* --- what was not kept --- */

static bool has_samples(const struct ref_trial *trial, uint32_t attempt)
{
    for (size_t i = 0; i < trial->sample_count; i++)
        if (trial->samples[i].attempt == attempt)
            return true;
    return false;
}

/* The first attempt after this one that did anything. */
static const struct ref_run *next_run(const struct ref_trial *trial, const struct ref_run *run)
{
    const struct ref_run *next = NULL;
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct ref_run *other = &trial->runs[i];
        bool did = other->reported || has_samples(trial, other->attempt);
        if (did && other->attempt > run->attempt && (!next || other->attempt < next->attempt))
            next = other;
    }
    return next;
}

static double wasted_of(const struct ref_trial *trial, const struct ref_run *run)
{
    const struct ref_run *next = next_run(trial, run);
    double kept = -1;
    if (!next || run->ending < 0 || run->ending == ENDING_PAUSED)
        return 0;
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct ref_sample *sample = &trial->samples[i];
        if (sample->attempt == run->attempt && sample->sample.step <= (int64_t)next->resumed)
            kept = fmax(kept, sample->sample.time);
    }
    return run->seconds - fmax(kept, 0);
}

json_t *reference_faults(const struct reference *reference)
{
    double wasted = 0;
    for (size_t i = 0; i < reference->count; i++)
        for (size_t k = 0; k < reference->trials[i].run_count; k++)
            wasted += wasted_of(&reference->trials[i], &reference->trials[i].runs[k]);
    return json_pack("{s:o, s:o, s:o, s:o}", "jobs", show_jobs(reference), "endings", show_endings(reference),
                     "run_seconds", json_of_real(reference->run_seconds), "wasted_seconds",
                     json_of_real(fmax(wasted, 0)));
}
