/* What a coordinator that starts now has to recall, and how the experiment stands, by the model; see reference.h. */
#include "tests/reference_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double held(const struct reference *reference)
{
    return isnan(reference->held_since) ? reference->held
                                        : reference->held + reference->written - reference->held_since;
}

static void add_worker(const struct reference *reference, struct memory *out, uint64_t number)
{
    for (uint32_t i = 0; i < out->worker_count; i++)
        if (out->workers[i].worker == number)
            return;
    const struct ref_worker *worker = reference_worker_of(reference, number);
    const struct job_facts *job = reference_job_of(reference, worker);
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

static bool has_come_to(const struct ref_trial *trial, uint32_t attempt, int64_t step)
{
    for (size_t i = 0; i < trial->sample_count; i++)
        if (trial->samples[i].attempt == attempt && trial->samples[i].sample.step >= step)
            return true;
    return false;
}

/* Whether an attempt behind this one, up to the last, went on from there or from a later step, and had something to
 * show. */
static bool goes_on_beyond(const struct ref_trial *trial, uint32_t attempt, uint32_t last, int64_t step)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct ref_run *run = &trial->runs[i];
        if (run->attempt > attempt && run->attempt <= last && run->resumed && (int64_t)run->resumed >= step &&
            has_come_to(trial, run->attempt, INT64_MIN))
            return true;
    }
    return false;
}

bool reference_is_kept(const struct ref_trial *trial, const struct ref_sample *sample, uint32_t attempt)
{
    int64_t step = sample->sample.step;
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct ref_run *run = &trial->runs[i];
        bool took_again = (!run->resumed || (int64_t)run->resumed < step) && has_come_to(trial, run->attempt, step);
        bool began_anew = run->resumed == 0 && has_come_to(trial, run->attempt, INT64_MIN) &&
                          !goes_on_beyond(trial, run->attempt, attempt, step);
        if (run->attempt > sample->attempt && run->attempt <= attempt && (took_again || began_anew))
            return false;
    }
    return true;
}

static void count_in(struct memory_seen *seen, const struct memory_seen *later)
{
    if (!later->any)
        return;
    if (!seen->any || later->step >= seen->step) {
        seen->step = later->step;
        seen->last = later->last;
    }
    seen->min = seen->any ? fmin(seen->min, later->min) : later->min;
    seen->max = seen->any ? fmax(seen->max, later->max) : later->max;
    seen->any = true;
}

/* An attempt with something to show: what was seen is put behind when it began anew, and is in front again when it went
 * on from further than any came since. */
static void begin_attempt(const struct ref_trial *trial, uint32_t attempt, struct memory_seen seen[2])
{
    for (size_t i = 0; i < trial->run_count; i++) {
        uint64_t resumed = trial->runs[i].resumed;
        if (trial->runs[i].attempt != attempt || (resumed && seen[0].any && seen[0].step >= (int64_t)resumed))
            continue;
        count_in(&seen[1], &seen[0]);
        seen[0] = seen[1];
        seen[resumed ? 1 : 0] = (struct memory_seen){0};
    }
}

/* What the objective came to over all attempts that count, and what it came to before one began anew. */
static void recall_seen(const struct ref_trial *trial, struct memory_seen seen[2])
{
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct msg_sample *sample = &trial->samples[i].sample;
        double finite = isfinite(sample->value) ? sample->value : NAN;
        const struct memory_seen one = {true, sample->step, sample->value, finite, finite};
        if (!i || trial->samples[i].attempt != trial->samples[i - 1].attempt)
            begin_attempt(trial, trial->samples[i].attempt, seen);
        if (strcmp(sample->metric, "loss") == 0)
            count_in(&seen[0], &one);
    }
}

/* What its attempts tell about the next one. */
static void recall_runs(const struct ref_trial *trial, struct memory_trial *to)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct ref_run *run = &trial->runs[i];
        bool cut = run->ending == ENDING_CANCELLED || run->ending == ENDING_TIMED_OUT ||
                   (run->ending >= 0 && ending_state((enum ending)run->ending) == TRIAL_WAITING);
        to->runs[to->run_count++] = (struct memory_run){run->attempt, run->worker, 0};
        if (run->attempt > to->attempts)
            to->attempts = run->attempt;
        if (run->reported && run->resumed > to->resumed)
            to->resumed = run->resumed;
        if (cut)
            to->cut = fmax(to->cut, run->seconds);
    }
}

static void recall_trial(const struct reference *reference, uint64_t number, struct memory *out)
{
    const struct ref_trial *trial = reference_trial_of(reference, number);
    struct memory_trial *to = &out->trials[out->trial_count++];
    const struct ref_run *run = reference_run_with(trial, -1);
    *to = (struct memory_trial){.trial = number,
                                .params = arena_text(&out->arena, trial->params),
                                .proposed = trial->proposed,
                                .attempts = trial->returned,
                                .failures = trial->failures,
                                .losses = trial->losses,
                                .memory = trial->memory,
                                .time = trial->time};
    to->runs = arena_zero(&out->arena, trial->run_count, sizeof *to->runs);
    recall_runs(trial, to);
    qsort(to->runs, to->run_count, sizeof *to->runs, by_attempt);
    if (to->run_count) {
        to->seen = arena_zero(&out->arena, 2, sizeof *to->seen);
        recall_seen(trial, to->seen);
    }
    if (!run)
        return;
    to->running = true;
    to->attempt = run->attempt;
    to->said = has_come_to(trial, run->attempt, INT64_MIN);
    to->worker = run->worker;
    to->slot = run->slot;
    add_worker(reference, out, run->worker);
}

/* Of the last trials that ran as a whole. */
static void recall_durations(const struct reference *reference, struct memory *out)
{
    enum { MOST = 200 };
    uint32_t skip = 0;
    out->durations = arena_zero(&out->arena, reference->count, sizeof *out->durations);
    for (size_t i = 0; i < reference->count; i++) {
        const struct ref_trial *trial = &reference->trials[i];
        const struct ref_run *run =
            trial->ending == ENDING_COMPLETED ? reference_run_with(trial, ENDING_COMPLETED) : NULL;
        if (run && !run->resumed)
            out->durations[out->duration_count++] =
                (struct memory_duration){arena_text(&out->arena, trial->params), run->seconds};
    }
    if (out->duration_count > MOST)
        skip = out->duration_count - MOST;
    out->durations += skip;
    out->duration_count -= skip;
}

void reference_recall(struct reference *reference, struct memory *out)
{
    const struct snapshot *snapshot = &reference->snapshot;
    *out = (struct memory){
        .session = reference->sessions++,
        .idle = reference->idle++,
        .next_trial = reference->count + 1,
        .tells = reference->tells,
        .tally = {.has_best = snapshot->has_best, .best_trial = snapshot->best_trial, .best = snapshot->best},
        .held = held(reference),
        .reason = snapshot->state == EXPERIMENT_ENDED ? snapshot->reason : REASON_NONE};
    memcpy(out->tally.ended, snapshot->trials, sizeof out->tally.ended);
    out->trials = arena_zero(&out->arena, reference->count, sizeof *out->trials);
    out->workers = arena_zero(&out->arena, reference->worker_count, sizeof *out->workers);
    for (uint64_t trial = 1; trial <= reference->count; trial++)
        if (reference_trial_of(reference, trial)->ending < 0)
            recall_trial(reference, trial, out);
    recall_durations(reference, out);
    reference->held = held(reference);
    reference->held_since = NAN;
}

void reference_snapshot(const struct reference *reference, struct snapshot *out)
{
    *out = reference->snapshot;
    out->held = held(reference);
    for (size_t i = 0; i < reference->count; i++)
        if (reference->trials[i].ending < 0)
            out->trials[reference_run_with(&reference->trials[i], -1) ? TRIAL_RUNNING : TRIAL_WAITING]++;
}
