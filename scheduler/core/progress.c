/* Progress: samples as they come.
 *
 * Samples of an attempt are numbered from 0 in the order in which they were reported. A batch says how many came before
 * it, and the worker counts on only when those are acknowledged: what a batch repeats is known by its number, and what
 * it leaves out is on disk. */
#include "scheduler/core/parts.h"

bool progress_is_better(const struct core *core, double value, double than)
{
    const struct metric *first = core->config.metrics.items;
    return metric_loss(first, value) < metric_loss(first, than);
}

void progress_take(struct event *event, uint32_t *recorded, uint32_t first, const struct msg_sample *samples,
                   uint32_t count)
{
    uint32_t known = first < *recorded ? *recorded - first : 0;
    event->first = first + known;
    if (known >= count)
        return;
    event->samples_count = count - known;
    event->samples = arena_copy(&event->memory, samples + known, event->samples_count * sizeof *samples);
    for (uint32_t i = 0; i < event->samples_count; i++)
        event->samples[i].metric = arena_text(&event->memory, event->samples[i].metric);
    *recorded = first + count;
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
    if (batch->first + batch->samples_count > trial->samples) {
        struct event *event = outbox_event(core, EVENT_SAMPLED);
        event->trial = batch->trial;
        event->attempt = batch->attempt;
        event->resumed = batch->resumed;
        event->further = walltime_went_on(core, trial, batch->resumed);
        progress_take(event, &trial->samples, batch->first, batch->samples, batch->samples_count);
        early_stop_begin(trial, batch->resumed);
        early_stop_at(core, trial, batch->attempt, event->samples, event->samples_count);
    }
    struct msg_ack ack = {.trial = batch->trial, .attempt = batch->attempt, .samples = trial->samples};
    outbox_owe(core, core->events, worker->id, ack);
}

void progress_samples(struct core *core, struct worker *worker, const struct msg_samples *samples)
{
    for (uint32_t i = 0; i < samples->batches_count; i++)
        take_batch(core, worker, &samples->batches[i]);
}
