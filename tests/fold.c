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
    *worker = (struct folded_worker){.number = number};
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
        *run = (struct folded_run){.attempt = event->attempt, .late = -1};
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

static void take_samples(struct fold *fold, const struct event *event)
{
    struct folded_trial *trial = fold_trial_of(fold, event->trial);
    for (uint32_t i = 0; i < event->samples_count; i++) {
        MEM_GROW(trial->samples, trial->sample_room, trial->sample_count + 1);
        struct folded_sample *sample = &trial->samples[trial->sample_count++];
        *sample = (struct folded_sample){event->attempt, event->first + i, event->samples[i]};
        sample->sample.metric = mem_text(event->samples[i].metric);
    }
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
    fold->held_since = event->state == EXPERIMENT_ENDED ? NAN : event->time;
}

static void take_worker(struct fold *fold, const struct event *event)
{
    struct folded_worker *worker = worker_of(fold, event->worker);
    free(worker->node);
    worker->node = mem_text(event->hello.node);
    worker->pid = event->hello.pid;
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
        [EVENT_PROPOSED] = take_proposed,       [EVENT_LEASED] = take_leased,
        [EVENT_RETURNED] = take_returned,       [EVENT_SAMPLED] = take_samples,
        [EVENT_RUN_ENDED] = take_run_ended,     [EVENT_RETRIED] = take_retried,
        [EVENT_TRIAL_ENDED] = take_trial_ended, [EVENT_LATE] = take_late,
        [EVENT_WORKER] = take_worker,           [EVENT_SLOTS] = take_slots,
        [EVENT_WORKER_GONE] = take_worker_gone, [EVENT_EXPERIMENT] = take_experiment,
    };
    take[event->kind](fold, event);
    fold->written = event->time;
}

/* --- what is to be recalled --- */

static double held(const struct fold *fold)
{
    return isnan(fold->held_since) ? fold->held : fold->held + fold->written - fold->held_since;
}

static void add_worker(const struct fold *fold, struct memory *out, uint64_t number)
{
    for (uint32_t i = 0; i < out->worker_count; i++)
        if (out->workers[i].worker == number)
            return;
    const struct folded_worker *worker = fold_worker_of(fold, number);
    out->workers[out->worker_count++] =
        (struct memory_worker){.worker = number, .node = arena_text(&out->arena, worker->node), .pid = worker->pid};
}

static int by_attempt(const void *a, const void *b)
{
    const struct memory_run *left = a, *right = b;
    return (left->attempt > right->attempt) - (left->attempt < right->attempt);
}

static void recall_trial(const struct fold *fold, uint64_t number, struct memory *out)
{
    const struct folded_trial *trial = fold_trial_of(fold, number);
    struct memory_trial *to = &out->trials[out->trial_count++];
    const struct folded_run *run = fold_run_with(trial, -1);
    *to = (struct memory_trial){.trial = number,
                                .params = arena_text(&out->arena, trial->params),
                                .proposed = trial->proposed,
                                .attempts = trial->returned,
                                .failures = trial->failures,
                                .losses = trial->losses};
    to->runs = arena_zero(&out->arena, trial->run_count, sizeof *to->runs);
    for (size_t i = 0; i < trial->run_count; i++) {
        to->runs[to->run_count++] = (struct memory_run){trial->runs[i].attempt, trial->runs[i].worker};
        if (trial->runs[i].attempt > to->attempts)
            to->attempts = trial->runs[i].attempt;
    }
    qsort(to->runs, to->run_count, sizeof *to->runs, by_attempt);
    if (!run)
        return;
    to->running = true;
    to->attempt = run->attempt;
    to->worker = run->worker;
    to->slot = run->slot;
    add_worker(fold, out, run->worker);
}

void fold_recall(struct fold *fold, struct memory *out)
{
    const struct snapshot *snapshot = &fold->snapshot;
    *out = (struct memory){.session = fold->sessions++,
                           .next_trial = fold->count + 1,
                           .tells = fold->tells,
                           .has_best = snapshot->has_best,
                           .best_trial = snapshot->best_trial,
                           .best = snapshot->best,
                           .held = held(fold),
                           .reason = snapshot->state == EXPERIMENT_ENDED ? snapshot->reason : REASON_NONE};
    memcpy(out->ended, snapshot->trials, sizeof out->ended);
    out->trials = arena_zero(&out->arena, fold->count, sizeof *out->trials);
    out->workers = arena_zero(&out->arena, fold->worker_count, sizeof *out->workers);
    for (uint64_t trial = 1; trial <= fold->count; trial++)
        if (fold_trial_of(fold, trial)->ending < 0)
            recall_trial(fold, trial, out);
    fold->held = held(fold);
    fold->held_since = NAN;
}

void fold_snapshot(const struct fold *fold, struct snapshot *out)
{
    *out = fold->snapshot;
    out->held = held(fold);
    for (size_t i = 0; i < fold->count; i++)
        if (fold->trials[i].ending < 0)
            out->trials[fold_run_with(&fold->trials[i], -1) ? TRIAL_RUNNING : TRIAL_WAITING]++;
}
