/* Progress: samples as they come, and the objective that they add up to.
 *
 * Samples of an attempt are numbered from 0 in the order in which they were reported. A batch says how many came before
 * it, so a repeated batch adds nothing, and one behind a gap is left alone: the worker repeats what was not
 * acknowledged. */
#include "scheduler/core/parts.h"

#include <math.h>
#include <string.h>

bool progress_is_better(const struct core *core, double value, double than)
{
    return core->config.maximize ? value > than : value < than;
}

bool progress_value(const struct core *core, const struct objective *objective, double *value)
{
    bool has = core->config.use_best ? objective->has_best : objective->has_last;
    *value = !has ? 0 : core->config.use_best ? objective->best : objective->last;
    return has;
}

static void observe(const struct core *core, struct objective *objective, const struct msg_sample *sample)
{
    if (strcmp(sample->metric, core->config.metric) != 0)
        return;
    if (!objective->has_last || sample->step >= objective->last_step) {
        objective->has_last = true;
        objective->last = sample->value;
        objective->last_step = sample->step;
    }
    if (isfinite(sample->value) && (!objective->has_best || progress_is_better(core, sample->value, objective->best))) {
        objective->has_best = true;
        objective->best = sample->value;
    }
}

uint32_t progress_take(struct core *core, struct trial *trial, struct event *event, uint32_t first,
                       const struct msg_sample *samples, uint32_t count)
{
    uint32_t recorded = trial->objective.samples;
    event->first = recorded;
    if (first > recorded || count <= recorded - first)
        return 0;
    uint32_t known = recorded - first, fresh = count - known;
    event->samples = arena_copy(&event->memory, samples + known, fresh * sizeof *samples);
    event->samples_count = fresh;
    for (uint32_t i = 0; i < fresh; i++) {
        event->samples[i].metric = arena_text(&event->memory, event->samples[i].metric);
        observe(core, &trial->objective, &event->samples[i]);
    }
    trial->objective.samples += fresh;
    return fresh;
}

static void take_batch(struct core *core, struct worker *worker, const struct msg_batch *batch)
{
    struct lease *lease = lease_find(core, worker->id, batch->trial, batch->attempt);
    struct trial *trial = lease ? lease_trial(core, lease) : NULL;
    if (!trial) {
        /* The trial went on, or ended, without this run. */
        if (batch->trial < core->next_trial)
            dispatch_stop(core, worker, batch->trial, batch->attempt, ENDING_CANCELLED);
        else
            core->refused++;
        return;
    }
    uint32_t recorded = trial->objective.samples;
    if (batch->first <= recorded && batch->samples_count > recorded - batch->first) {
        struct event *event = outbox_event(core, EVENT_SAMPLED);
        event->trial = batch->trial;
        event->attempt = batch->attempt;
        progress_take(core, trial, event, batch->first, batch->samples, batch->samples_count);
    }
    struct msg_ack ack = {.trial = batch->trial, .attempt = batch->attempt, .samples = trial->objective.samples};
    outbox_owe(core, core->events, worker->id, ack);
}

void progress_samples(struct core *core, struct worker *worker, const struct msg_samples *samples)
{
    for (uint32_t i = 0; i < samples->batches_count; i++)
        take_batch(core, worker, &samples->batches[i]);
}
