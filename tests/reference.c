/* The model of the store; see reference.h. It is as plain as can be: arrays that are searched from the front. */
#include "tests/reference_parts.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- life --- */

struct reference *reference_create(bool maximize)
{
    struct reference *reference = MEM_NEW(struct reference);
    reference->maximize = maximize;
    reference->held_since = NAN;
    reference->snapshot.left = -1;
    return reference;
}

static void trial_fini(struct ref_trial *trial)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        free(trial->runs[i].detail);
        free(trial->runs[i].tail);
    }
    for (size_t i = 0; i < trial->sample_count; i++)
        free((char *)trial->samples[i].sample.metric);
    free(trial->runs);
    free(trial->samples);
    free(trial->params);
    free(trial->detail);
}

void reference_destroy(struct reference *reference)
{
    for (size_t i = 0; i < reference->count; i++)
        trial_fini(&reference->trials[i]);
    for (size_t i = 0; i < reference->worker_count; i++)
        free(reference->workers[i].node);
    reference_free_jobs(reference);
    free(reference->trials);
    free(reference->workers);
    free(reference);
}

/* --- finding --- */

struct ref_trial *reference_trial_of(const struct reference *reference, uint64_t number)
{
    return &reference->trials[number - 1];
}

struct ref_run *reference_run_of(const struct ref_trial *trial, uint32_t attempt)
{
    for (size_t i = 0; i < trial->run_count; i++)
        if (trial->runs[i].attempt == attempt)
            return &trial->runs[i];
    return NULL;
}

const struct ref_worker *reference_worker_of(const struct reference *reference, uint64_t number)
{
    for (size_t i = 0; i < reference->worker_count; i++)
        if (reference->workers[i].number == number)
            return &reference->workers[i];
    return NULL;
}

/* The worker to be changed, who may be new. */
static struct ref_worker *worker_of(struct reference *reference, uint64_t number)
{
    const struct ref_worker *known = reference_worker_of(reference, number);
    if (known)
        return &reference->workers[known - reference->workers];
    MEM_GROW(reference->workers, reference->worker_room, reference->worker_count + 1);
    struct ref_worker *worker = &reference->workers[reference->worker_count++];
    *worker = (struct ref_worker){.number = number, .job = {0, NODE_NO_ELEMENT}};
    return worker;
}

struct ref_run *reference_run_with(const struct ref_trial *trial, int ending)
{
    struct ref_run *best = NULL;
    for (size_t i = 0; i < trial->run_count; i++)
        if (trial->runs[i].ending == ending && (!best || trial->runs[i].attempt > best->attempt))
            best = &trial->runs[i];
    return best;
}

/* --- taking events --- */

static char *text_or_null(const char *text)
{
    return text && *text ? mem_text(text) : NULL;
}

static void take_proposed(struct reference *reference, const struct event *event)
{
    MEM_GROW(reference->trials, reference->capacity, reference->count + 1);
    reference->trials[reference->count++] = (struct ref_trial){.params = mem_text(event->params),
                                                               .told_before = event->told_before,
                                                               .from_start = event->from_start,
                                                               .proposed = event->time,
                                                               .ending = -1};
}

static void take_leased(struct reference *reference, const struct event *event)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    struct ref_run *run = reference_run_of(trial, event->attempt);
    worker_of(reference, event->worker);
    if (!run) {
        MEM_GROW(trial->runs, trial->run_capacity, trial->run_count + 1);
        run = &trial->runs[trial->run_count++];
        *run = (struct ref_run){.attempt = event->attempt, .late = -1, .resumed = event->resumed};
    }
    run->worker = event->worker;
    run->slot = event->slot;
    run->leased = event->time;
    run->ending = -1;
    run->measured = false;
    run->started = 0;
    free(run->detail);
    run->detail = NULL;
}

static void take_returned(struct reference *reference, const struct event *event)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    struct ref_run *run = reference_run_of(trial, event->attempt);
    if (event->attempt > trial->returned)
        trial->returned = event->attempt;
    free(run->detail);
    free(run->tail);
    *run = trial->runs[--trial->run_count];
}

/* Behind those of earlier attempts and of its own. */
static void add_sample(struct ref_trial *trial, const struct event *event, uint32_t i)
{
    MEM_GROW(trial->samples, trial->sample_capacity, trial->sample_count + 1);
    size_t at = trial->sample_count++;
    for (; at && trial->samples[at - 1].attempt > event->attempt; at--)
        trial->samples[at] = trial->samples[at - 1];
    trial->samples[at] = (struct ref_sample){event->attempt, event->first + i, event->samples[i]};
    trial->samples[at].sample.metric = mem_text(event->samples[i].metric);
}

static void take_samples(struct reference *reference, const struct event *event)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    if (event->further)
        reference->idle = 0;
    for (uint32_t i = 0; i < event->samples_count; i++)
        add_sample(trial, event, i);
}

/* The first samples of a run tell where it began. */
static void take_sampled(struct reference *reference, const struct event *event)
{
    if (event->first == 0)
        reference_run_of(reference_trial_of(reference, event->trial), event->attempt)->resumed = event->resumed;
    take_samples(reference, event);
}

/* The store counts nanoseconds. */
static double whole_nanoseconds(double seconds)
{
    return round(seconds * 1e9) / 1e9;
}

static void take_profile(struct ref_run *run, const struct event *event)
{
    bool any = false;
    for (int phase = 0; phase < PHASES_COUNT; phase++)
        any = any || event->phases[phase].count;
    for (int phase = 0; any && phase < PHASES_COUNT; phase++) {
        const struct phase_time *time = &event->phases[phase];
        run->phases[phase] = (struct phase_time){whole_nanoseconds(time->seconds), time->count,
                                                 whole_nanoseconds(time->min), whole_nanoseconds(time->max)};
    }
}

static void take_measures(struct reference *reference, struct ref_run *run, const struct event *event)
{
    free(run->tail);
    run->tail = text_or_null(event->tail);
    run->started = event->started;
    run->seconds = event->seconds;
    run->cpu_seconds = event->cpu_seconds;
    run->peak_memory = event->peak_memory;
    run->measured = true;
    run->reported = !event->given_up;
    take_profile(run, event);
    take_samples(reference, event);
}

static void take_run_ended(struct reference *reference, const struct event *event)
{
    struct ref_run *run = reference_run_of(reference_trial_of(reference, event->trial), event->attempt);
    free(run->detail);
    run->detail = text_or_null(event->detail);
    run->ending = (int)event->ending;
    if (!event->given_up)
        run->resumed = event->resumed;
    reference->run_seconds += event->seconds;
    take_measures(reference, run, event);
}

static void take_late(struct reference *reference, const struct event *event)
{
    struct ref_run *run = reference_run_of(reference_trial_of(reference, event->trial), event->attempt);
    if (!run || run->late >= 0 || (run->ending >= 0 && run->reported))
        return;
    run->late = (int)event->ending;
    if (!run->detail)
        run->detail = text_or_null(event->detail);
    take_measures(reference, run, event);
    reference->snapshot.late++;
}

static void take_retried(struct reference *reference, const struct event *event)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    trial->failures += ending_retry(event->ending) == RETRY_COUNTED;
    trial->losses += ending_retry(event->ending) == RETRY_FREE;
    reference->snapshot.attempts_failed +=
        event->ending != ENDING_CANCELLED && ending_retry(event->ending) != RETRY_LATER;
}

static void take_trial_ended(struct reference *reference, const struct event *event)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    struct snapshot *snapshot = &reference->snapshot;
    reference->idle = 0;
    trial->ending = (int)event->ending;
    trial->detail = text_or_null(event->detail);
    trial->has_value = event->has_value;
    trial->value = event->value;
    trial->infeasible = event->infeasible;
    trial->seconds = event->seconds;
    trial->ended = event->time;
    trial->told = reference->tells = event->told;
    snapshot->trials[ending_state(event->ending)]++;
    double sign = reference->maximize ? -1 : 1;
    if (event->has_value && !event->infeasible &&
        (!snapshot->has_best || sign * event->value < sign * snapshot->best)) {
        snapshot->has_best = true;
        snapshot->best = event->value;
        snapshot->best_trial = event->trial;
    }
}

static void take_experiment(struct reference *reference, const struct event *event)
{
    reference->snapshot.state = event->state;
    reference->snapshot.reason = event->reason;
    reference->held = event->held;
    if (event->state == EXPERIMENT_ENDED && event->reason != REASON_WALLTIME && event->reason != REASON_PREEMPTED)
        reference->idle = 0;
    reference->held_since = event->state == EXPERIMENT_ENDED ? NAN : event->time;
}

static void take_worker(struct reference *reference, const struct event *event)
{
    struct ref_worker *worker = worker_of(reference, event->worker);
    free(worker->node);
    worker->node = mem_text(event->hello.node);
    worker->pid = event->hello.pid;
    worker->job = (struct node_job){event->hello.job, event->hello.job ? event->hello.element : NODE_NO_ELEMENT};
}

static void take_slots(struct reference *reference, const struct event *event)
{
    worker_of(reference, event->worker)->slots = true;
}

static void take_worker_gone(struct reference *reference, const struct event *event)
{
    worker_of(reference, event->worker);
}

void reference_take(struct reference *reference, const struct event *event)
{
    static void (*const take[EVENT_KINDS])(struct reference *, const struct event *) = {
        [EVENT_PROPOSED] = take_proposed,       [EVENT_LEASED] = take_leased,
        [EVENT_RETURNED] = take_returned,       [EVENT_SAMPLED] = take_sampled,
        [EVENT_RUN_ENDED] = take_run_ended,     [EVENT_RETRIED] = take_retried,
        [EVENT_TRIAL_ENDED] = take_trial_ended, [EVENT_LATE] = take_late,
        [EVENT_WORKER] = take_worker,           [EVENT_SLOTS] = take_slots,
        [EVENT_WORKER_GONE] = take_worker_gone, [EVENT_EXPERIMENT] = take_experiment,
        [EVENT_JOB] = reference_take_job,
    };
    take[event->kind](reference, event);
    reference->written = event->time;
}
