/* The model of the store; see fold.h. It is as plain as can be: arrays that are searched from the front. */
#include "tests/fold_parts.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- life --- */

struct fold *fold_create(bool maximize)
{
    struct fold *fold = MEM_NEW(struct fold);
    fold->maximize = maximize;
    fold->held_since = NAN;
    fold->snapshot.left = -1;
    return fold;
}

static void trial_fini(struct folded_trial *trial)
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

void fold_destroy(struct fold *fold)
{
    for (size_t i = 0; i < fold->count; i++)
        trial_fini(&fold->trials[i]);
    for (size_t i = 0; i < fold->worker_count; i++)
        free(fold->workers[i].node);
    fold_free_jobs(fold);
    free(fold->trials);
    free(fold->workers);
    free(fold);
}

/* --- finding --- */

struct folded_trial *fold_trial_of(const struct fold *fold, uint64_t number)
{
    return &fold->trials[number - 1];
}

struct folded_run *fold_run_of(const struct folded_trial *trial, uint32_t attempt)
{
    for (size_t i = 0; i < trial->run_count; i++)
        if (trial->runs[i].attempt == attempt)
            return &trial->runs[i];
    return NULL;
}

const struct folded_worker *fold_worker_of(const struct fold *fold, uint64_t number)
{
    for (size_t i = 0; i < fold->worker_count; i++)
        if (fold->workers[i].number == number)
            return &fold->workers[i];
    return NULL;
}

/* The worker to be changed, who may be new. */
static struct folded_worker *worker_of(struct fold *fold, uint64_t number)
{
    const struct folded_worker *known = fold_worker_of(fold, number);
    if (known)
        return &fold->workers[known - fold->workers];
    MEM_GROW(fold->workers, fold->worker_room, fold->worker_count + 1);
    struct folded_worker *worker = &fold->workers[fold->worker_count++];
    *worker = (struct folded_worker){.number = number, .job = {0, NODE_NO_ELEMENT}};
    return worker;
}

struct folded_run *fold_run_with(const struct folded_trial *trial, int ending)
{
    struct folded_run *best = NULL;
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

static void take_proposed(struct fold *fold, const struct event *event)
{
    MEM_GROW(fold->trials, fold->room, fold->count + 1);
    fold->trials[fold->count++] = (struct folded_trial){.params = mem_text(event->params),
                                                        .told_before = event->told_before,
                                                        .from_start = event->from_start,
                                                        .proposed = event->time,
                                                        .ending = -1};
}

static void take_leased(struct fold *fold, const struct event *event)
{
    struct folded_trial *trial = fold_trial_of(fold, event->trial);
    struct folded_run *run = fold_run_of(trial, event->attempt);
    worker_of(fold, event->worker);
    if (!run) {
        MEM_GROW(trial->runs, trial->run_room, trial->run_count + 1);
        run = &trial->runs[trial->run_count++];
        *run = (struct folded_run){.attempt = event->attempt, .late = -1, .resumed = event->resumed};
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

static void take_returned(struct fold *fold, const struct event *event)
{
    struct folded_trial *trial = fold_trial_of(fold, event->trial);
    struct folded_run *run = fold_run_of(trial, event->attempt);
    if (event->attempt > trial->returned)
        trial->returned = event->attempt;
    free(run->detail);
    free(run->tail);
    *run = trial->runs[--trial->run_count];
}

/* Behind those of earlier attempts and of its own. */
static void add_sample(struct folded_trial *trial, const struct event *event, uint32_t i)
{
    MEM_GROW(trial->samples, trial->sample_room, trial->sample_count + 1);
    size_t at = trial->sample_count++;
    for (; at && trial->samples[at - 1].attempt > event->attempt; at--)
        trial->samples[at] = trial->samples[at - 1];
    trial->samples[at] = (struct folded_sample){event->attempt, event->first + i, event->samples[i]};
    trial->samples[at].sample.metric = mem_text(event->samples[i].metric);
}

static void take_samples(struct fold *fold, const struct event *event)
{
    struct folded_trial *trial = fold_trial_of(fold, event->trial);
    if (event->further)
        fold->idle = 0;
    for (uint32_t i = 0; i < event->samples_count; i++)
        add_sample(trial, event, i);
}

/* The first samples of a run tell where it began. */
static void take_sampled(struct fold *fold, const struct event *event)
{
    if (event->first == 0)
        fold_run_of(fold_trial_of(fold, event->trial), event->attempt)->resumed = event->resumed;
    take_samples(fold, event);
}

static void take_measures(struct fold *fold, struct folded_run *run, const struct event *event)
{
    free(run->tail);
    run->tail = text_or_null(event->tail);
    run->started = event->started;
    run->seconds = event->seconds;
    run->cpu_seconds = event->cpu_seconds;
    run->peak_memory = event->peak_memory;
    run->measured = true;
    run->reported = !event->given_up;
    for (int phase = 0; phase < PHASES_COUNT; phase++)
        if (event->phases[phase].count)
            run->phases[phase] = event->phases[phase];
    take_samples(fold, event);
}

static void take_run_ended(struct fold *fold, const struct event *event)
{
    struct folded_run *run = fold_run_of(fold_trial_of(fold, event->trial), event->attempt);
    free(run->detail);
    run->detail = text_or_null(event->detail);
    run->ending = (int)event->ending;
    if (!event->given_up)
        run->resumed = event->resumed;
    fold->run_seconds += event->seconds;
    take_measures(fold, run, event);
}

static void take_late(struct fold *fold, const struct event *event)
{
    struct folded_run *run = fold_run_of(fold_trial_of(fold, event->trial), event->attempt);
    if (!run || run->late >= 0 || (run->ending >= 0 && run->reported))
        return;
    run->late = (int)event->ending;
    if (!run->detail)
        run->detail = text_or_null(event->detail);
    take_measures(fold, run, event);
    fold->snapshot.late++;
}

static void take_retried(struct fold *fold, const struct event *event)
{
    struct folded_trial *trial = fold_trial_of(fold, event->trial);
    trial->failures += ending_retry(event->ending) == RETRY_COUNTED;
    trial->losses += ending_retry(event->ending) == RETRY_FREE;
    fold->snapshot.attempts_failed += event->ending != ENDING_CANCELLED && ending_retry(event->ending) != RETRY_LATER;
}

static void take_trial_ended(struct fold *fold, const struct event *event)
{
    struct folded_trial *trial = fold_trial_of(fold, event->trial);
    struct snapshot *snapshot = &fold->snapshot;
    fold->idle = 0;
    trial->ending = (int)event->ending;
    trial->detail = text_or_null(event->detail);
    trial->has_value = event->has_value;
    trial->value = event->value;
    trial->infeasible = event->infeasible;
    trial->seconds = event->seconds;
    trial->ended = event->time;
    trial->told = fold->tells = event->told;
    snapshot->trials[ending_state(event->ending)]++;
    double sign = fold->maximize ? -1 : 1;
    if (event->has_value && !event->infeasible &&
        (!snapshot->has_best || sign * event->value < sign * snapshot->best)) {
        snapshot->has_best = true;
        snapshot->best = event->value;
        snapshot->best_trial = event->trial;
    }
}

static void take_experiment(struct fold *fold, const struct event *event)
{
    fold->snapshot.state = event->state;
    fold->snapshot.reason = event->reason;
    fold->held = event->held;
    if (event->state == EXPERIMENT_ENDED && event->reason != REASON_WALLTIME && event->reason != REASON_PREEMPTED)
        fold->idle = 0;
    fold->held_since = event->state == EXPERIMENT_ENDED ? NAN : event->time;
}

static void take_worker(struct fold *fold, const struct event *event)
{
    struct folded_worker *worker = worker_of(fold, event->worker);
    free(worker->node);
    worker->node = mem_text(event->hello.node);
    worker->pid = event->hello.pid;
    worker->job = (struct node_job){event->hello.job, event->hello.job ? event->hello.element : NODE_NO_ELEMENT};
}

static void take_slots(struct fold *fold, const struct event *event)
{
    worker_of(fold, event->worker)->slots = true;
}

static void take_worker_gone(struct fold *fold, const struct event *event)
{
    worker_of(fold, event->worker);
}

void fold_take(struct fold *fold, const struct event *event)
{
    static void (*const take[EVENT_KINDS])(struct fold *, const struct event *) = {
        [EVENT_PROPOSED] = take_proposed,
        [EVENT_LEASED] = take_leased,
        [EVENT_RETURNED] = take_returned,
        [EVENT_SAMPLED] = take_sampled,
        [EVENT_RUN_ENDED] = take_run_ended,
        [EVENT_RETRIED] = take_retried,
        [EVENT_TRIAL_ENDED] = take_trial_ended,
        [EVENT_LATE] = take_late,
        [EVENT_WORKER] = take_worker,
        [EVENT_SLOTS] = take_slots,
        [EVENT_WORKER_GONE] = take_worker_gone,
        [EVENT_EXPERIMENT] = take_experiment,
        [EVENT_JOB] = fold_take_job,
    };
    take[event->kind](fold, event);
    fold->written = event->time;
}
