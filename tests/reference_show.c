/* What the reader has to show, by the model; see reference.h. */
#include "tests/reference_parts.h"
#include "common/json.h"
#include "scheduler/store/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The run that counts. */
static struct ref_run *counting_run(const struct ref_trial *trial)
{
    struct ref_run *run = reference_run_with(trial, trial->ending);
    if (run || trial->ending < 0)
        return run;
    for (size_t i = 0; i < trial->run_count; i++)
        if (!run || trial->runs[i].attempt > run->attempt)
            run = &trial->runs[i];
    return run;
}

uint64_t reference_trials(const struct reference *reference)
{
    return reference->count;
}

static json_t *real_if(bool there, double number)
{
    return there ? json_of_real(number) : json_null();
}

static json_t *job_of(const struct ref_worker *worker)
{
    char name[32];
    if (!worker || !worker->job.job)
        return json_null();
    struct job_facts job = {.job = worker->job.job, .element = worker->job.element};
    return json_string(job_name(&job, name, sizeof name));
}

/* What the history's slots have. */
static void set_place(const struct reference *reference, json_t *json, const struct ref_run *run)
{
    static const char *const cpus[] = {"[0, 1, 2, 3]", "[4, 6, 7]", "[4, 6, 7]"};
    const struct ref_worker *worker = run ? reference_worker_of(reference, run->worker) : NULL;
    bool known = worker && worker->slots;
    json_object_set_new(json, "node", json_of_text(worker ? worker->node : NULL));
    json_object_set_new(json, "slot", run ? json_integer(run->slot) : json_null());
    json_object_set_new(json, "job", job_of(worker));
    json_object_set_new(json, "cpus", known ? json_loads(cpus[run->slot], 0, NULL) : json_null());
    json_object_set_new(json, "gpus", known ? json_loads(run->slot == 1 ? "[0]" : "[]", 0, NULL) : json_null());
}

/* How many slots of its worker have its GPU. */
static json_t *sharers_of(const struct reference *reference, const struct ref_run *run)
{
    const struct ref_worker *worker = run ? reference_worker_of(reference, run->worker) : NULL;
    return worker && worker->slots && run->slot == 1 ? json_integer(1) : json_null();
}

static json_t *profile_of(const struct ref_run *run)
{
    json_t *profile = json_object();
    for (int phase = 0; run && phase < PHASES_COUNT; phase++) {
        const struct phase_time *time = &run->phases[phase];
        if (time->count)
            json_object_set_new(profile, phase_name((enum phase)phase),
                                json_pack("{s:f, s:I, s:f, s:f, s:o, s:o}", "seconds", time->seconds, "count",
                                          (json_int_t)time->count, "min", time->min, "max", time->max, "p50",
                                          real_if(time->p50 > 0, time->p50), "p95", real_if(time->p95 > 0, time->p95)));
    }
    return profile;
}

/* As it said first of all. */
static enum ending first_ending(const struct ref_run *run)
{
    int said = run && run->late >= 0 ? run->late : run ? run->ending : -1;
    return said >= 0 ? (enum ending)said : ENDING_COMPLETED;
}

/* What its phases and its processor time come to. */
static void set_verdict(json_t *json, const struct ref_run *run)
{
    struct event_run event = {.ending = first_ending(run),
                              .profile = run ? run->phases : NULL,
                              .counters = run ? &run->counters : NULL,
                              .seconds = run ? run->seconds : 0,
                              .cpu_seconds = run ? run->cpu_seconds : 0};
    struct verdict_evidence evidence = evidence_of_run(&event);
    struct verdict verdict = verdict_find(&evidence);
    bool is_known = run && run->reported;
    json_object_set_new(json, "verdict", is_known ? json_string(verdict_name(verdict.kind)) : json_null());
    json_object_set_new(json, "figure", real_if(is_known && !isnan(verdict.figure), verdict.figure));
}

static json_t *counters_of(const struct ref_run *run)
{
    json_t *counters = json_object();
    for (unsigned i = 0; run && i < RUN_COUNTERS_COUNT; i++)
        if (run->counters.values[i] >= 0)
            json_object_set_new(counters, run_counter_name(i), json_of_real(run->counters.values[i]));
    return counters;
}

/* That of tests/random_history.c, as far as it names counters. */
static json_t *uncounted_of(const struct reference *reference, const struct ref_run *run)
{
    const struct ref_worker *worker = reference_worker_of(reference, run->worker);
    json_t *uncounted = json_object();
    if (worker && worker->node)
        json_object_set_new(uncounted, "migrations", json_string("this kernel does not say"));
    return uncounted;
}

/* Whether the sample belongs to what the run came to. */
static bool counts(const struct ref_trial *trial, const struct ref_run *run, const struct ref_sample *sample)
{
    return run && sample->attempt <= run->attempt && reference_is_kept(trial, sample, run->attempt);
}

/* The last word on a metric: the sample of the highest step, and there the latest. */
static const struct ref_sample *last_word(const struct ref_trial *trial, const struct ref_run *run, const char *metric)
{
    const struct ref_sample *last = NULL;
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct ref_sample *sample = &trial->samples[i];
        if (strcmp(sample->sample.metric, metric) == 0 && counts(trial, run, sample) &&
            (!last || sample->sample.step >= last->sample.step))
            last = sample;
    }
    return last;
}

static json_t *metrics_of(const struct ref_trial *trial, const struct ref_run *run)
{
    json_t *metrics = json_object();
    for (size_t i = 0; i < trial->sample_count; i++) {
        const char *metric = trial->samples[i].sample.metric;
        const struct ref_sample *last = last_word(trial, run, metric);
        if (last)
            json_object_set_new(metrics, metric, json_of_real(last->sample.value));
    }
    return metrics;
}

/* The highest step that counts. */
static json_t *step_of(const struct ref_trial *trial, const struct ref_run *run)
{
    const struct ref_sample *last = NULL;
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct ref_sample *sample = &trial->samples[i];
        if (counts(trial, run, sample) && (!last || sample->sample.step > last->sample.step))
            last = sample;
    }
    return last ? json_integer(last->sample.step) : json_null();
}

json_t *reference_trial(const struct reference *reference, uint64_t number)
{
    const struct ref_trial *trial = reference_trial_of(reference, number);
    const struct ref_run *run = counting_run(trial);
    bool ended = trial->ending >= 0;
    enum trial_state state = ended ? ending_state((enum ending)trial->ending) : run ? TRIAL_RUNNING : TRIAL_WAITING;
    json_t *json = json_object();
    json_object_set_new(json, "trial", json_integer((json_int_t)number));
    json_object_set_new(json, "state", json_string(trial_state_name(state)));
    json_object_set_new(json, "reason", ended ? json_string(ending_name((enum ending)trial->ending)) : json_null());
    json_object_set_new(json, "attempts", json_integer((json_int_t)trial->run_count));
    json_object_set_new(json, "params", json_loads(trial->params, 0, NULL));
    json_object_set_new(json, "metrics", metrics_of(trial, run));
    json_object_set_new(json, "step", step_of(trial, run));
    json_object_set_new(json, "value", real_if(trial->has_value, trial->value));
    json_object_set_new(json, "started",
                        run ? json_of_time(run->started > 0 ? run->started : run->leased) : json_null());
    json_object_set_new(json, "ended", ended ? json_of_time(trial->ended) : json_null());
    json_object_set_new(json, "seconds", real_if(ended, trial->seconds));
    set_place(reference, json, run);
    json_object_set_new(json, "profile", profile_of(run));
    json_object_set_new(json, "counters", counters_of(run));
    json_object_set_new(json, "values",
                        trial->has_value ? json_pack("{s:o}", "loss", json_of_real(trial->value)) : json_object());
    json_object_set_new(json, "feasible", trial->has_value ? json_boolean(!trial->infeasible) : json_null());
    json_object_set_new(json, "ignored", json_false());
    json_object_set_new(json, "added", json_false());
    json_object_set_new(json, "nodes", json_null()); /* it is on one */
    set_verdict(json, run);
    return json;
}

/* Null: it reported nothing, and so it is not known. */
static json_t *show_resumed(const struct ref_trial *trial, const struct ref_run *run)
{
    bool is_known = run->resumed > 0;
    for (size_t i = 0; i < trial->sample_count; i++)
        is_known |= trial->samples[i].attempt == run->attempt;
    return is_known ? json_integer((json_int_t)run->resumed) : json_null();
}

static json_t *show_run(const struct reference *reference, const struct ref_trial *trial, const struct ref_run *run)
{
    json_t *json = json_object();
    json_object_set_new(json, "attempt", json_integer(run->attempt));
    json_object_set_new(json, "reason",
                        run->ending >= 0 ? json_string(ending_name((enum ending)run->ending)) : json_null());
    json_object_set_new(json, "late", run->late >= 0 ? json_string(ending_name((enum ending)run->late)) : json_null());
    json_object_set_new(json, "detail", json_of_text(run->detail));
    json_object_set_new(json, "tail", json_of_text(run->tail));
    json_object_set_new(json, "resumed", show_resumed(trial, run));
    set_place(reference, json, run);
    json_object_set_new(json, "leased", json_of_time(run->leased));
    json_object_set_new(json, "started", run->started > 0 ? json_of_time(run->started) : json_null());
    json_object_set_new(json, "seconds", real_if(run->measured, run->seconds));
    json_object_set_new(json, "cpu_seconds", real_if(run->reported, run->cpu_seconds));
    json_object_set_new(json, "peak_memory", run->reported ? json_integer((json_int_t)run->peak_memory) : json_null());
    json_object_set_new(json, "memory_limit", run->memory ? json_integer((json_int_t)run->memory) : json_null());
    json_object_set_new(json, "time_limit", real_if(run->time > 0, run->time));
    json_object_set_new(json, "gpu_slots", sharers_of(reference, run));
    json_object_set_new(json, "nodes", json_null());
    set_verdict(json, run);
    json_object_set_new(json, "profile", profile_of(run));
    json_object_set_new(json, "counters", counters_of(run));
    json_object_set_new(json, "uncounted", uncounted_of(reference, run));
    return json;
}

static json_t *show_curve(const struct ref_trial *trial, const struct ref_run *run)
{
    json_t *curve = json_array();
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct msg_sample *sample = &trial->samples[i].sample;
        if (counts(trial, run, &trial->samples[i]))
            json_array_append_new(curve, json_pack("{s:s, s:I, s:o, s:o}", "metric", sample->metric, "step",
                                                   (json_int_t)sample->step, "value", json_of_real(sample->value),
                                                   "time", json_of_real(sample->time)));
    }
    return curve;
}

json_t *reference_show(const struct reference *reference, uint64_t number)
{
    const struct ref_trial *trial = reference_trial_of(reference, number);
    json_t *json = reference_trial(reference, number), *runs = json_array();
    json_object_set_new(json, "detail", json_of_text(trial->detail));
    for (uint32_t attempt = 1; json_array_size(runs) < trial->run_count; attempt++)
        if (reference_run_of(trial, attempt))
            json_array_append_new(runs, show_run(reference, trial, reference_run_of(trial, attempt)));
    json_object_set_new(json, "runs", runs);
    json_object_set_new(json, "curve", show_curve(trial, counting_run(trial)));
    json_object_set_new(json, "decisions", json_array());
    json_object_set_new(json, "operations", json_array());
    json_object_set_new(json, "gpu_unknown", json_null());
    return json;
}

static void replay_tells(const struct reference *reference, uint64_t from, uint64_t to, struct buf *out)
{
    for (uint64_t told = from + 1; told <= to; told++)
        for (size_t i = 0; i < reference->count; i++) {
            const struct ref_trial *trial = &reference->trials[i];
            if (trial->told == told)
                buf_format(out, "tell %zu: %s %d %.17g %.17g\n", i + 1, ending_name((enum ending)trial->ending),
                           trial->has_value, trial->value, trial->seconds);
        }
}

void reference_replay(const struct reference *reference, struct buf *out)
{
    uint64_t told = 0;
    for (size_t i = 0; i < reference->count; i++) {
        const struct ref_trial *trial = &reference->trials[i];
        replay_tells(reference, told, trial->told_before, out);
        told = trial->told_before;
        buf_format(out, "propose %zu after %d: %s %d\n", i + 1, (int)told, trial->params, trial->from_start);
    }
    replay_tells(reference, told, reference->tells, out);
}
