/* Samples: recorded as they come, kept with the trial as what each objective came to, and shown to early stopping step
 * by step, whose decision is written down.
 *
 * Samples of an attempt are numbered from 0 in the order in which they were reported. A batch says how many came before
 * it, and the worker counts on only when those are acknowledged: what a batch repeats is known by its number, and what
 * it leaves out is on disk.
 *
 *     go on      nothing
 *     stop       STOP_RUN; the trial ends as stopped early with what it came to, however its run ends
 *     pause      the run was told beforehand to pause at this step: its result follows (pause.c)
 *
 * At a rung the strategy is told how the trial does, once that is on disk, as one more in the order of tells. */
#include "scheduler/core/samples.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/node_fault.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/stall.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- early stopping --- */

static struct memory_seen *seen_of(struct core *core, struct trial *trial)
{
    if (!trial->seen)
        trial->seen = MEM_ARRAY(struct memory_seen, 2 * core->config.metrics.count);
    return trial->seen;
}

/* The metric of that name; -1: none that trials are judged by. */
static int find_metric(const struct core *core, const char *name)
{
    for (uint32_t i = 0; i < core->config.metrics.count; i++)
        if (strcmp(core->config.metrics.items[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Whether all objectives are known at this step. */
static bool is_complete(const struct core *core, const struct trial *trial, int64_t step)
{
    for (uint32_t i = 0; i < core->config.metrics.count; i++)
        if (core->config.metrics.items[i].objective && (!trial->seen[i].any || trial->seen[i].step != step))
            return false;
    return true;
}

/* Writes the decision down, and what follows from it at once. */
static void carry_out(struct core *core, struct trial *trial, uint32_t attempt, const double *values, double seconds,
                      uint64_t step, const struct early_stop_decision *decision)
{
    struct event_decided decided = {.step = step,
                                    .advance = step - trial->decided,
                                    .max_steps = core->config.early_stop->max_steps(core->config.early_stop->context),
                                    .decision = decision->action,
                                    .values = values,
                                    .values_count = core->config.metrics.count,
                                    .cut_off = decision->cut_off,
                                    .bracket = decision->bracket,
                                    .seconds = seconds,
                                    .detail = decision->why,
                                    .told = decision->rung ? ++core->tells : 0};
    const struct event *event = outbox_event(
        core, &(struct event){.kind = EVENT_DECIDED, .trial = trial->number, .attempt = attempt, .decided = decided});
    if (decision->rung)
        outbox_observe_later(core, event);
    core->steps = event_add_steps(core->steps, decided.advance);
    core->stepped += !trial->decided;
    trial->decided = step;
    trial->held = decision->action == EARLY_STOP_PAUSE;
    if (decision->action != EARLY_STOP_STOP)
        return;
    free(trial->stop);
    trial->stop = mem_text(decision->why);
    if (trial->lease)
        lease_stop(core, trial->lease, ENDING_STOPPED_EARLY);
}

static void show_step(struct core *core, struct trial *trial, uint32_t attempt, uint64_t step, double seconds)
{
    const struct early_stop *early_stop = core->config.early_stop;
    const struct metrics *metrics = &core->config.metrics;
    if (!early_stop || step <= trial->decided || trial->stop || trial->held)
        return;
    struct early_stop_decision decision;
    for (uint32_t i = 0; i < metrics->count; i++)
        core->values[i] = trial->seen[i].any && trial->seen[i].step == (int64_t)step ? trial->seen[i].last : NAN;
    early_stop->sample(early_stop->context, trial->number, step, core->values, &decision);
    carry_out(core, trial, attempt, core->values, seconds, step, &decision);
}

void samples_begin(struct core *core, struct trial *trial, uint64_t resumed, uint32_t first, uint32_t count)
{
    if (!trial->said && !first && count && trial->seen)
        seen_begin(trial->seen, core->config.metrics.count, resumed);
    trial->said |= count > 0;
    trial->begun |= count > 0;
}

void samples_show(struct core *core, struct trial *trial, uint32_t attempt, const struct event_sampled *sampled)
{
    for (uint32_t i = 0; i < sampled->samples_count && seen_is_kept(core); i++) {
        const struct msg_sample *sample = &sampled->samples[i];
        int metric = find_metric(core, sample->metric);
        if (metric < 0)
            continue;
        seen_add_value(&seen_of(core, trial)[metric], sample->step, sample->value);
        if (core->config.metrics.items[metric].objective && sample->step > 0 && is_complete(core, trial, sample->step))
            show_step(core, trial, attempt, (uint64_t)sample->step, trial->spent + sample->time);
    }
}

/* --- as they come --- */

struct event_sampled samples_new(uint32_t *recorded, uint32_t first, const struct msg_sample *samples, uint32_t count)
{
    uint32_t known = first < *recorded ? *recorded - first : 0;
    if (known >= count)
        return (struct event_sampled){.first = first + known};
    *recorded = first + count;
    return (struct event_sampled){.first = first + known, .samples = samples + known, .samples_count = count - known};
}

static void record_batch(struct core *core, struct trial *trial, const struct msg_batch *batch)
{
    struct event event = {.kind = EVENT_SAMPLED, .trial = batch->trial, .attempt = batch->attempt};
    event.sampled = samples_new(&trial->samples, batch->first, batch->samples, batch->samples_count);
    event.sampled.resumed = batch->resumed;
    event.sampled.further = walltime_went_on(core, trial, batch->resumed);
    stall_note_samples(trial, &event.sampled);
    node_fault_further(core, trial);
    outbox_event(core, &event);
    samples_begin(core, trial, batch->resumed, batch->first, batch->samples_count);
    samples_show(core, trial, batch->attempt, &event.sampled);
}

static void take_batch(struct core *core, struct worker *worker, const struct msg_batch *batch)
{
    struct lease *lease = lease_find(core, worker->id, batch->trial, batch->attempt);
    struct trial *trial = lease ? lease_trial(core, lease) : NULL;
    if (trial && lease->gang.node) { /* the first node's are the trial's: nothing else will be needed */
        struct msg_ack dropped = {batch->trial, batch->attempt, batch->first + batch->samples_count, false};
        outbox_ack_later(core, core->events, worker->id, dropped);
        return;
    }
    if (!trial) {
        /* The trial went on, or ended, without this run. */
        if (batch->trial < core->next_trial)
            dispatch_stop(core, worker, batch->trial, batch->attempt, ENDING_CANCELLED);
        else
            core->refused++;
        return;
    }
    if (batch->samples_count && batch->first + batch->samples_count > trial->samples)
        record_batch(core, trial, batch);
    struct msg_ack ack = {.trial = batch->trial, .attempt = batch->attempt, .samples = trial->samples};
    outbox_ack_later(core, core->events, worker->id, ack);
}

void samples_take(struct core *core, struct worker *worker, const struct msg_samples *samples)
{
    for (uint32_t i = 0; i < samples->batches_count; i++)
        take_batch(core, worker, &samples->batches[i]);
}
