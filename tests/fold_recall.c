/* What a coordinator that starts now has to recall, and how the experiment stands, by the model; see fold.h. */
#include "tests/fold_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const struct job_facts *job = fold_job_of(fold, worker);
    struct memory_worker *to = &out->workers[out->worker_count++];
    *to = (struct memory_worker){
        .worker = number, .node = arena_text(&out->arena, worker->node), .pid = worker->pid, .job = worker->job};
    to->job_ended = job_has_ended(job ? job->state : NULL, &to->ending);
}

static int by_attempt(const void *a, const void *b)
{
    const struct memory_run *left = a, *right = b;
    return (left->attempt > right->attempt) - (left->attempt < right->attempt);
}

bool fold_is_kept(const struct folded_trial *trial, const struct folded_sample *sample, uint32_t attempt)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct folded_run *run = &trial->runs[i];
        bool began_before = run->resumed == 0 || (int64_t)run->resumed < sample->sample.step;
        if (run->attempt > sample->attempt && run->attempt <= attempt && began_before)
            return false;
    }
    return true;
}

/* What the objective came to over all attempts that count. */
static void recall_seen(const struct folded_trial *trial, struct memory_seen *seen)
{
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct msg_sample *sample = &trial->samples[i].sample;
        double finite = isfinite(sample->value) ? sample->value : NAN;
        if (strcmp(sample->metric, "loss") != 0 || !fold_is_kept(trial, &trial->samples[i], UINT32_MAX))
            continue;
        if (!seen->any || sample->step >= seen->step) {
            seen->step = sample->step;
            seen->last = sample->value;
        }
        seen->min = seen->any ? fmin(seen->min, finite) : finite;
        seen->max = seen->any ? fmax(seen->max, finite) : finite;
        seen->any = true;
    }
}

/* What its attempts tell about the next one. */
static void recall_runs(const struct folded_trial *trial, struct memory_trial *to)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct folded_run *run = &trial->runs[i];
        bool cut = run->ending == ENDING_CANCELLED ||
                   (run->ending >= 0 && ending_state((enum ending)run->ending) == TRIAL_WAITING);
        to->runs[to->run_count++] = (struct memory_run){run->attempt, run->worker};
        if (run->attempt > to->attempts)
            to->attempts = run->attempt;
        if (run->reported && run->resumed > to->resumed)
            to->resumed = run->resumed;
        if (cut)
            to->cut = fmax(to->cut, run->seconds);
    }
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
    recall_runs(trial, to);
    qsort(to->runs, to->run_count, sizeof *to->runs, by_attempt);
    if (to->run_count) {
        to->seen = arena_zero(&out->arena, 1, sizeof *to->seen);
        recall_seen(trial, to->seen);
    }
    if (!run)
        return;
    to->running = true;
    to->attempt = run->attempt;
    to->worker = run->worker;
    to->slot = run->slot;
    add_worker(fold, out, run->worker);
}

/* Of the last trials that ran as a whole. */
static void recall_durations(const struct fold *fold, struct memory *out)
{
    enum { MOST = 200 };
    uint32_t skip = 0;
    out->durations = arena_zero(&out->arena, fold->count, sizeof *out->durations);
    for (size_t i = 0; i < fold->count; i++) {
        const struct folded_trial *trial = &fold->trials[i];
        const struct folded_run *run =
            trial->ending == ENDING_COMPLETED ? fold_run_with(trial, ENDING_COMPLETED) : NULL;
        if (run && !run->resumed)
            out->durations[out->duration_count++] =
                (struct memory_duration){arena_text(&out->arena, trial->params), run->seconds};
    }
    if (out->duration_count > MOST)
        skip = out->duration_count - MOST;
    out->durations += skip;
    out->duration_count -= skip;
}

void fold_recall(struct fold *fold, struct memory *out)
{
    const struct snapshot *snapshot = &fold->snapshot;
    *out = (struct memory){.session = fold->sessions++,
                           .idle = fold->idle++,
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
    recall_durations(fold, out);
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
