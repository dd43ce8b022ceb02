/* Results: how runs ended. Execution is at least once, recording exactly once:
 *
 *     of the lease that counts          recorded; the trial ends or is tried again
 *     of an older attempt, a success    the first result wins: recorded, the trial ends, the other run is stopped
 *     of another node of a run          the trial's only when it ended badly (gang.c)
 *     anything else of a known trial    late: noted, never counted, never an error
 *
 * Every one is acknowledged once what it led to is on disk, so that the worker can forget the run. */
#include "scheduler/core/result.h"
#include "scheduler/core/act.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/node_fault.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/pause.h"
#include "scheduler/core/samples.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/stall.h"
#include "scheduler/core/standstill.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"
#include "common/gpu_sums.h"
#include "common/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double sane_seconds(double seconds)
{
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

static enum ending ending_of(const struct msg_result *result)
{
    return result->ending < ENDINGS_COUNT ? (enum ending)result->ending : ENDING_CRASHED;
}

static bool is_success(enum ending ending)
{
    return ending_state(ending) == TRIAL_COMPLETED || ending_state(ending) == TRIAL_STOPPED;
}

static void add_profile(struct phase_time *profile, const struct msg_result *result)
{
    for (uint32_t i = 0; i < result->phases_count; i++) {
        const struct msg_phase *phase = &result->phases[i];
        if (phase->phase >= PHASES_COUNT || !phase->count)
            continue;
        struct phase_time time = {.seconds = sane_seconds(phase->seconds),
                                  .count = phase->count,
                                  .min = sane_seconds(phase->min),
                                  .max = sane_seconds(phase->max),
                                  .p50 = sane_seconds(phase->p50),
                                  .p95 = sane_seconds(phase->p95)};
        phase_merge(&profile[phase->phase], &time);
    }
}

/* Those that make sense, in their place; how many. */
static uint32_t check_named(struct msg_named *named, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (named[i].count && phase_is_name(named[i].name) && phase_named(named[i].name) < 0)
            named[kept++] = (struct msg_named){named[i].name,
                                               sane_seconds(named[i].seconds),
                                               named[i].count,
                                               sane_seconds(named[i].min),
                                               sane_seconds(named[i].max),
                                               sane_seconds(named[i].p50),
                                               sane_seconds(named[i].p95)};
    return kept;
}

/* The same of operations: each at most once, in their order. */
static uint32_t check_operations(struct msg_operation *operations, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct msg_operation *one = &operations[i];
        bool follows = !kept || one->operation > operations[kept - 1].operation;
        bool adds_up = one->timed <= one->calls && one->min <= one->max && one->max <= one->seconds;
        if (one->operation < OPERATIONS_COUNT && one->calls && follows && adds_up && one->flops >= 0 && one->bytes >= 0)
            operations[kept++] = *one;
    }
    return kept;
}

/* Likewise of sums on GPUs. */
static uint32_t check_gpu(struct msg_gpu_sum *sums, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count && kept < GPU_SUMS_MOST; i++)
        if (gpu_sum_is_sane(&sums[i]))
            sums[kept++] = sums[i];
    return kept;
}

/* What the worker measured of a run, in the memory that its event points at. */
struct measured {
    struct phase_time profile[PHASES_COUNT];
    struct run_counters counters;
};

/* Those that make sense; NULL: there is none. */
static const struct run_counters *take_counters(struct run_counters *out, const struct msg_result *result)
{
    bool any = false;
    if (!result->counted_count)
        return NULL;
    run_counters_clear(out);
    for (uint32_t i = 0; i < result->counted_count; i++) {
        const struct msg_counted *counted = &result->counted[i];
        if (counted->counter >= RUN_COUNTERS_COUNT || !run_counter_is_sane(counted->counter, counted->value))
            continue;
        out->values[counted->counter] = counted->value;
        any = true;
    }
    return any ? out : NULL;
}

/* What its worker says of a run that ended. */
static struct event run_event(enum event_kind kind, const struct worker *worker, const struct msg_result *result,
                              struct measured *measured)
{
    struct event event = {.kind = kind,
                          .trial = result->trial,
                          .attempt = result->attempt,
                          .worker = worker->id,
                          .run = {.profile = measured->profile}};
    struct event_run *run = &event.run;
    run->sampled.resumed = result->resumed;
    run->slot = result->slot;
    run->ending = ending_of(result);
    run->detail = result->detail;
    run->tail = result->tail;
    run->started = sane_seconds(result->started);
    run->seconds = sane_seconds(result->seconds);
    run->cpu_seconds = sane_seconds(result->cpu_seconds);
    run->peak_memory = result->peak_memory;
    memset(measured->profile, 0, sizeof measured->profile);
    add_profile(measured->profile, result);
    run->counters = take_counters(&measured->counters, result);
    run->named = result->named;
    run->named_count = check_named(result->named, result->named_count);
    run->operations = result->operations;
    run->operations_count = check_operations(result->operations, result->operations_count);
    run->gpu = result->gpu;
    run->gpu_count = check_gpu(result->gpu, result->gpu_count);
    run->gpu_unknown = gpu_text_is_plain(result->gpu_unknown, GPU_WHY_LONGEST) ? result->gpu_unknown : "";
    return event;
}

/* What a metric came to by a run that went on from a checkpoint, and by what the trial had come to before. One that was
 * stopped may not have come as far again as those before it: there the last value is that of the last sample. */
static struct memory_seen seen_with(const struct core *core, const struct memory_seen *before,
                                    const struct msg_measure *measure, const struct msg_result *result)
{
    struct memory_seen seen = *before;
    if (ending_of(result) != ENDING_STOPPED_EARLY || !seen.any) {
        seen_add(&seen, seen.step, measure->last, measure->min, measure->max);
        return seen;
    }
    seen_add(&seen, INT64_MIN, seen.last, measure->min, measure->max);
    for (uint32_t i = 0; i < result->samples_count; i++)
        if (strcmp(result->samples[i].metric, core->config.metrics.items[measure->metric].name) == 0)
            seen_add_value(&seen, result->samples[i].step, result->samples[i].value);
    return seen;
}

/* The values of the metrics into core->values: what the run says of them and, when it went on from a checkpoint, what
 * the trial had come to before. */
static void take_values(struct core *core, const struct trial *trial, const struct msg_result *result)
{
    const struct metrics *metrics = &core->config.metrics;
    const struct memory_seen *before = result->resumed && trial ? trial->seen : NULL, none = {0};
    for (uint32_t i = 0; i < metrics->count; i++) {
        const struct memory_seen *seen = before && before[i].any ? &before[i] : NULL;
        core->values[i] = seen ? metric_value(&metrics->items[i], seen->last, seen->min, seen->max) : NAN;
    }
    for (uint32_t i = 0; i < result->measures_count; i++) {
        const struct msg_measure *measure = &result->measures[i];
        if (measure->metric >= metrics->count)
            continue;
        struct memory_seen seen = seen_with(core, before ? &before[measure->metric] : &none, measure, result);
        core->values[measure->metric] = metric_value(&metrics->items[measure->metric], seen.last, seen.min, seen.max);
    }
}

/* What is wrong with the values of the objectives; ENDING_COMPLETED: nothing. */
static enum ending find_fault(const struct core *core, const struct msg_result *result, uint32_t *culprit)
{
    const struct metrics *metrics = &core->config.metrics;
    bool reported[metrics->count];
    memset(reported, 0, sizeof reported);
    for (uint32_t i = 0; i < result->measures_count; i++)
        if (result->measures[i].metric < metrics->count)
            reported[result->measures[i].metric] = true;
    return tally_check_values(metrics, core->values, reported, culprit);
}

/* What the run came to; its sentence is the result's or the core's, and lives until the next one. A success needs
 * finite values of all objectives. */
static struct outcome outcome_of(struct core *core, const struct trial *trial, const struct msg_result *result,
                                 enum ending *ending)
{
    struct outcome outcome = {.detail = result->detail, .seconds = sane_seconds(result->seconds), .tail = result->tail};
    *ending = ending_of(result);
    if (*ending == ENDING_CANCELLED && !core->forced)
        *ending = ENDING_LOST; /* its worker ended it on its own */
    if (!is_success(*ending))
        return outcome;
    take_values(core, trial, result);
    uint32_t culprit;
    enum ending wrong = find_fault(core, result, &culprit);
    if (wrong == ENDING_COMPLETED) {
        outcome.values = core->values;
        return outcome;
    }
    bool cut_short = wrong == ENDING_NO_VALUE && *ending == ENDING_STOPPED_EARLY && core->forced;
    if (!cut_short)
        outcome.detail =
            tally_detail(&core->config.metrics, culprit, outcome.detail, core->detail, sizeof core->detail);
    *ending = cut_short ? ENDING_CANCELLED : wrong;
    return outcome;
}

/* Why a run was stopped that gives no reason itself; NULL: it was not, or a person said so. */
static const char *why_stopped(const struct core *core, const struct trial *trial, enum ending ending)
{
    if (ending == ENDING_STOPPED_EARLY && trial->stop)
        return trial->stop;
    bool stopped = ending == ENDING_STOPPED_EARLY || ending == ENDING_CANCELLED;
    return stopped && !trial->cancel ? act_why_all_end(core) : NULL;
}

/* What becomes of the trial, after early stopping has looked at the last samples. */
static void take_end(struct core *core, struct trial *trial, enum ending ending, struct outcome *outcome,
                     const struct event *event)
{
    uint32_t count = core->config.metrics.count;
    double values[count];
    if (outcome->values)
        outcome->values = memcpy(values, outcome->values, count * sizeof *values); /* looking uses core->values */
    samples_show(core, trial, event->attempt, &event->run.sampled);
    if (is_success(ending) || ending == ENDING_PAUSED)
        node_fault_success(core, trial, event->attempt, outcome);
    if (!(outcome->detail && *outcome->detail))
        outcome->detail = why_stopped(core, trial, ending);
    if (ending == ENDING_PAUSED && trial->stop) {
        trial_spend(trial, outcome);
        pause_end(core, trial, ENDING_STOPPED_EARLY, trial->stop);
    } else if (ending == ENDING_PAUSED) {
        trial_pause(core, trial, outcome);
    } else if (is_success(ending)) {
        trial_end(core, trial, ending, outcome);
    } else {
        trial_retry_or_end(core, trial, ending, outcome);
    }
}

/* A worker that still has the run in its next OFFER has not read the acknowledgement. */
static void note_end(struct trial *trial, const struct worker *worker, const struct msg_result *result)
{
    if (result->attempt > trial->ended_attempt && trial_was_given(trial, result->attempt, worker->id))
        trial->ended_attempt = result->attempt;
}

/* Another node ended badly, and this one did not do it alone. */
static bool take_spoiled(const struct lease *lease, enum ending *ending, struct outcome *outcome)
{
    if (!lease || !lease->gang.spoiled || is_success(*ending) || *ending == ENDING_PAUSED)
        return false;
    *ending = lease->gang.ending;
    outcome->detail = lease->gang.why;
    outcome->tail = lease->gang.tail;
    return true;
}

/* Records the run, of this lease if that counts still, and lets the trial go on or end. */
static void end_run(struct core *core, struct worker *worker, struct trial *trial, struct lease *lease,
                    const struct msg_result *result)
{
    uint32_t recorded = lease ? trial->samples : 0;
    double queued = lease ? lease->since - trial->waits_since : -1;
    enum ending ending;
    samples_begin(core, trial, result->resumed, result->first, result->samples_count);
    struct outcome outcome = outcome_of(core, trial, result, &ending);
    bool spoiled = take_spoiled(lease, &ending, &outcome);
    outcome.node = spoiled ? lease->gang.where : worker->node;
    outcome.spoiler = lease ? lease->gang.where : NULL;
    ending = walltime_cause(core, worker, ending);
    if (trial->cancel && ending_of(result) == ENDING_CANCELLED)
        ending = ENDING_CANCELLED;
    char *still = lease && !spoiled && !is_success(ending) && ending != ENDING_PAUSED
                      ? standstill_append(core, lease, outcome.detail)
                      : NULL;
    outcome.detail = still ? still : outcome.detail;
    struct measured measured;
    struct event event = run_event(EVENT_RUN_ENDED, worker, result, &measured);
    event.run.ending = ending;
    event.run.detail = spoiled || still ? outcome.detail : event.run.detail;
    event.run.tail = spoiled && outcome.tail ? outcome.tail : event.run.tail;
    if (event.run.counters)
        gang_sum_joules(core, lease, &measured.counters);
    outcome.energy = event.run.counters ? fmax(run_counters_energy(event.run.counters), 0) : 0; /* NaN loses */
    event.run.sampled = samples_new(&recorded, result->first, result->samples, result->samples_count);
    event.run.sampled.resumed = result->resumed;
    event.run.sampled.further = walltime_went_on(core, trial, result->resumed);
    stall_note_samples(trial, &event.run.sampled);
    if (queued >= 0)
        phase_add(&measured.profile[PHASE_QUEUE], queued);
    note_end(trial, worker, result);
    outbox_event(core, &event);
    if (lease && !spoiled && ending_retry(ending) == RETRY_FREE &&
        ending_of(result) == ending) /* else it was told to end */
        suspect_note_loss(core, lease, trial);
    trial->lease = NULL;
    if (ending == ENDING_COMPLETED && !result->resumed)
        walltime_learn(core, trial, outcome.seconds);
    char stalled[200];
    if (stall_count(core, trial, ending, stalled, sizeof stalled)) {
        ending = ENDING_NO_PROGRESS;
        outcome.detail = stalled;
    }
    take_end(core, trial, ending, &outcome, &event);
    free(still);
}

/* The trial runs or waits elsewhere, but this older attempt did it. */
static void take_superseded(struct core *core, struct worker *worker, struct trial *trial,
                            const struct msg_result *result)
{
    struct lease *other = trial->lease;
    trial->lease = NULL;
    if (other)
        lease_stop(core, other, ENDING_CANCELLED);
    end_run(core, worker, trial, NULL, result);
}

/* Whether the attempt was this worker's. Of a trial that ended long ago the store knows (write_late). */
static bool was_its_own(const struct worker *worker, const struct trial *trial, const struct msg_result *result)
{
    return !trial || trial_was_given(trial, result->attempt, worker->id);
}

/* `trial` may be NULL: it ended long ago. */
static void note_late(struct core *core, struct worker *worker, struct trial *trial, const struct msg_result *result,
                      bool given_up)
{
    if (trial)
        note_end(trial, worker, result);
    struct measured measured;
    struct event event = run_event(EVENT_LATE, worker, result, &measured);
    event.run.ending = walltime_cause(core, worker, event.run.ending);
    outbox_event(core, &event);
    core->late += given_up;
}

/* Whether an older attempt's result is as good as that of the one that counts. */
static bool can_win(struct core *core, const struct worker *worker, const struct trial *trial,
                    const struct msg_result *result)
{
    enum ending ending;
    if (!trial || trial_state_is_end(trial->state) || trial->cancel ||
        !trial_was_given(trial, result->attempt, worker->id))
        return false;
    outcome_of(core, trial, result, &ending);
    return is_success(ending);
}

/* What becomes of the other nodes of the run. */
static void end_others(struct core *core, struct lease *lease, enum ending ending)
{
    if (ending == ENDING_COMPLETED || ending == ENDING_PAUSED)
        gang_leave(core, lease);
    else
        gang_dissolve(core, lease, lease);
}

void result_take(struct core *core, struct worker *worker, const struct msg_result *result)
{
    struct lease *lease = lease_find(core, worker->id, result->trial, result->attempt);
    struct trial *trial = trial_find(core, result->trial);
    if (lease && lease->gang.node) {
        gang_take_result(core, lease, result);
    } else if (lease && trial && trial->lease == lease) {
        vacancy_learn(core, sane_seconds(result->seconds));
        end_run(core, worker, trial, lease, result);
        end_others(core, lease, ending_of(result));
        lease_free(core, lease);
    } else {
        uint32_t node = trial ? trial_part(trial, result->attempt, worker->id) : 0;
        if (node)
            gang_note_end(core, worker, node, result);
        else if (can_win(core, worker, trial, result))
            take_superseded(core, worker, trial, result);
        else if (result->trial && result->trial < core->next_trial && was_its_own(worker, trial, result))
            note_late(core, worker, trial, result, lease != NULL);
        else
            core->refused++;
        if (lease)
            lease_free(core, lease);
    }
    struct msg_ack ack = {.trial = result->trial,
                          .attempt = result->attempt,
                          .samples = result->first + result->samples_count,
                          .ended = true};
    outbox_ack_later(core, core->events, worker->id, ack);
}
