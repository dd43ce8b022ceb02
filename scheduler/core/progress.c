/* Progress: samples as they come.
 *
 * Samples of an attempt are numbered from 0 in the order in which they were reported. A batch says how many came before
 * it, and the worker counts on only when those are acknowledged: what a batch repeats is known by its number, and what
 * it leaves out is on disk. */
#include "scheduler/core/parts.h"

struct event_sampled progress_new(uint32_t *recorded, uint32_t first, const struct msg_sample *samples, uint32_t count)
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
    event.sampled = progress_new(&trial->samples, batch->first, batch->samples, batch->samples_count);
    event.sampled.resumed = batch->resumed;
    event.sampled.further = walltime_went_on(core, trial, batch->resumed);
    outbox_event(core, &event);
    early_stop_begin(trial, batch->resumed);
    early_stop_at(core, trial, batch->attempt, &event.sampled);
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
    if (batch->first + batch->samples_count > trial->samples)
        record_batch(core, trial, batch);
    struct msg_ack ack = {.trial = batch->trial, .attempt = batch->attempt, .samples = trial->samples};
    outbox_owe(core, core->events, worker->id, ack);
}

void progress_samples(struct core *core, struct worker *worker, const struct msg_samples *samples)
{
    for (uint32_t i = 0; i < samples->batches_count; i++)
        take_batch(core, worker, &samples->batches[i]);
}
