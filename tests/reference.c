/* The model of the store; see reference.h. It is as plain as can be: arrays that are searched from the front. */
#include "tests/reference_parts.h"
#include "common/mem.h"

#include <assert.h>
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
    MEM_GROW(reference->workers, reference->worker_capacity, reference->worker_count + 1);
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

static void take_proposed(struct reference *reference, const struct event *event, const struct event_proposed *proposed)
{
    MEM_GROW(reference->trials, reference->capacity, reference->count + 1);
    reference->trials[reference->count++] = (struct ref_trial){.params = mem_text(proposed->params),
                                                               .told_before = proposed->told_before,
                                                               .from_start = proposed->from_start,
                                                               .proposed = event->time,
                                                               .ending = -1};
}

static void take_leased(struct reference *reference, const struct event *event, const struct event_lease *lease)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    struct ref_run *run = reference_run_of(trial, event->attempt);
    worker_of(reference, event->worker);
    if (!run) {
        MEM_GROW(trial->runs, trial->run_capacity, trial->run_count + 1);
        run = &trial->runs[trial->run_count++];
        *run = (struct ref_run){.attempt = event->attempt, .late = -1, .resumed = lease->resumed};
        run_counters_clear(&run->counters);
    }
    run->worker = event->worker;
    run->slot = lease->slot;
    run->leased = event->time;
    run->memory = lease->memory;
    run->time = lease->time;
    run->ending = -1;
    run->measured = false;
    run->started = 0;
    free(run->detail);
    run->detail = NULL;
}

static void take_returned(struct reference *reference, const struct event *event, const struct event_lease *lease)
{
    (void)lease;
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    struct ref_run *run = reference_run_of(trial, event->attempt);
    if (event->attempt > trial->returned)
        trial->returned = event->attempt;
    free(run->detail);
    free(run->tail);
    *run = trial->runs[--trial->run_count];
}

/* Behind those of earlier attempts and of its own. */
static void add_sample(struct ref_trial *trial, uint32_t attempt, uint32_t number, const struct msg_sample *sample)
{
    MEM_GROW(trial->samples, trial->sample_capacity, trial->sample_count + 1);
    size_t at = trial->sample_count++;
    for (; at && trial->samples[at - 1].attempt > attempt; at--)
        trial->samples[at] = trial->samples[at - 1];
    trial->samples[at] = (struct ref_sample){attempt, number, *sample};
    trial->samples[at].sample.metric = mem_text(sample->metric);
}

static void take_samples(struct reference *reference, const struct event *event, const struct event_sampled *sampled)
{
    if (sampled->further)
        reference->idle = 0;
    for (uint32_t i = 0; i < sampled->samples_count; i++)
        add_sample(reference_trial_of(reference, event->trial), event->attempt, sampled->first + i,
                   &sampled->samples[i]);
}

/* The first samples of a run tell where it began. */
static void take_sampled(struct reference *reference, const struct event *event, const struct event_sampled *sampled)
{
    if (sampled->first == 0)
        reference_run_of(reference_trial_of(reference, event->trial), event->attempt)->resumed = sampled->resumed;
    take_samples(reference, event, sampled);
}

/* The store counts nanoseconds. */
static double whole_nanoseconds(double seconds)
{
    return round(seconds * 1e9) / 1e9;
}

static void take_profile(struct ref_run *to, const struct phase_time *profile)
{
    bool any = false;
    for (int phase = 0; profile && phase < PHASES_COUNT; phase++)
        any = any || profile[phase].count;
    for (int phase = 0; any && phase < PHASES_COUNT; phase++) {
        const struct phase_time *time = &profile[phase];
        bool is_single = time->min == time->seconds && time->max == time->seconds;
        bool knows = time->p50 > 0 && time->p95 > 0;
        to->phases[phase] = (struct phase_time){
            .seconds = whole_nanoseconds(time->seconds),
            .count = time->count,
            .min = whole_nanoseconds(time->min),
            .max = whole_nanoseconds(time->max),
            .p50 = whole_nanoseconds(is_single ? time->seconds
                                     : knows   ? time->p50
                                               : 0),
            .p95 = whole_nanoseconds(is_single ? time->seconds
                                     : knows   ? time->p95
                                               : 0),
        };
    }
}

static void take_measures(struct reference *reference, struct ref_run *to, const struct event *event)
{
    const struct event_run *run = &event->run;
    free(to->tail);
    to->tail = text_or_null(run->tail);
    to->started = run->started;
    to->seconds = run->seconds;
    to->cpu_seconds = run->cpu_seconds;
    to->peak_memory = run->peak_memory;
    to->measured = true;
    to->reported = !run->given_up;
    take_profile(to, run->profile);
    if (run->counters && run_counters_any(run->counters))
        to->counters = *run->counters;
    take_samples(reference, event, &run->sampled);
}

static void take_run_ended(struct reference *reference, const struct event *event, const struct event_run *run)
{
    struct ref_run *to = reference_run_of(reference_trial_of(reference, event->trial), event->attempt);
    free(to->detail);
    to->detail = text_or_null(run->detail);
    to->ending = (int)run->ending;
    if (!run->given_up)
        to->resumed = run->sampled.resumed;
    reference->run_seconds += run->seconds;
    take_measures(reference, to, event);
}

static void take_late(struct reference *reference, const struct event *event, const struct event_run *run)
{
    struct ref_run *to = reference_run_of(reference_trial_of(reference, event->trial), event->attempt);
    if (!to || to->worker != event->worker || to->late >= 0 || (to->ending >= 0 && to->reported))
        return;
    to->late = (int)run->ending;
    if (!to->detail)
        to->detail = text_or_null(run->detail);
    take_measures(reference, to, event);
    reference->snapshot.late++;
}

static void take_retried(struct reference *reference, const struct event *event, const struct event_retried *retried)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    trial->failures += ending_uses_retry(retried->ending);
    trial->losses = retried->losses;
    trial->memory = retried->memory;
    trial->time = retried->time;
    reference->snapshot.attempts_failed +=
        retried->ending != ENDING_CANCELLED && ending_retry(retried->ending) != RETRY_LATER;
}

static void take_cleared(struct reference *reference, const struct event *event, const struct event_cleared *cleared)
{
    reference_trial_of(reference, event->trial)->losses = cleared->losses;
}

static void take_trial_ended(struct reference *reference, const struct event *event, const struct event_end *end)
{
    struct ref_trial *trial = reference_trial_of(reference, event->trial);
    struct snapshot *snapshot = &reference->snapshot;
    reference->idle = 0;
    trial->ending = (int)end->ending;
    trial->detail = text_or_null(end->detail);
    trial->has_value = end->has_value;
    trial->value = end->value;
    trial->infeasible = end->infeasible;
    trial->seconds = end->seconds;
    trial->ended = event->time;
    trial->told = reference->tells = end->told;
    snapshot->trials[ending_state(end->ending)]++;
    double sign = reference->maximize ? -1 : 1;
    if (end->has_value && !end->infeasible && (!snapshot->has_best || sign * end->value < sign * snapshot->best)) {
        snapshot->has_best = true;
        snapshot->best = end->value;
        snapshot->best_trial = event->trial;
    }
}

static void take_experiment(struct reference *reference, const struct event *event,
                            const struct event_experiment *experiment)
{
    reference->snapshot.state = experiment->state;
    reference->snapshot.reason = experiment->reason;
    reference->held = experiment->held;
    if (experiment->state == EXPERIMENT_ENDED && experiment->reason != REASON_WALLTIME &&
        experiment->reason != REASON_PREEMPTED)
        reference->idle = 0;
    reference->held_since = experiment->state == EXPERIMENT_ENDED ? NAN : event->time;
}

static void take_worker(struct reference *reference, const struct event *event, const struct msg_hello *hello)
{
    struct ref_worker *worker = worker_of(reference, event->worker);
    free(worker->node);
    worker->node = mem_text(hello->node);
    worker->pid = hello->pid;
    worker->job = (struct node_job){hello->job, hello->job ? hello->element : NODE_NO_ELEMENT};
}

static void take_slots(struct reference *reference, const struct event *event, const struct event_slots *offered)
{
    (void)offered;
    worker_of(reference, event->worker)->slots = true;
}

static void take_worker_gone(struct reference *reference, const struct event *event, const struct event_gone *gone)
{
    (void)gone;
    worker_of(reference, event->worker);
}

static void take_job(struct reference *reference, const struct event *event, const struct job_facts *job)
{
    (void)job;
    reference_take_job(reference, event);
}

/* Early stopping and what a person ignores or reopens have tests of their own; the model knows nothing of them. */
#define UNKNOWN(name, payload)                                                                                         \
    static void take_##name(struct reference *reference, const struct event *event, const struct payload *said)        \
    {                                                                                                                  \
        (void)reference;                                                                                               \
        (void)event;                                                                                                   \
        (void)said;                                                                                                    \
        assert(false && "the model does not know events of this kind");                                                \
    }
UNKNOWN(decided, event_decided)
UNKNOWN(paused, event_paused)
UNKNOWN(resumed, event_resumed)
UNKNOWN(ignored, event_ignored)
UNKNOWN(reopened, event_reopened)
UNKNOWN(added, event_added)
UNKNOWN(part_leased, event_part)
UNKNOWN(part_ended, event_part)

void reference_take(struct reference *reference, const struct event *event)
{
    switch (event->kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        take_##name(reference, event, &event->member);                                                                 \
        break;
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        assert(false && "no event");
    }
    reference->written = event->time;
}
