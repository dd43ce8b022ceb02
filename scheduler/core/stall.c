/* Trials that go on later without having come further. A program that saves a checkpoint and exits with status 75, or
 * is stopped because the time of its job is up, goes on for nothing and as often as it likes, as long as it comes
 * further: to a step beyond all before, or from a later checkpoint than before. One that does not goes on a few times
 * in a row (trial.requeues), after pauses of 1, 2, 4 ... 30 s when it was the program that asked for it; then it fails.
 */
#include "scheduler/core/stall.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/trial.h"

#include <math.h>
#include <stdio.h>

#define LONGEST_PAUSE 30.0

void stall_note_samples(struct trial *trial, const struct event_sampled *sampled)
{
    trial->further |= sampled->further;
    for (uint32_t i = 0; i < sampled->samples_count; i++)
        if (sampled->samples[i].step > trial->highest) {
            trial->highest = sampled->samples[i].step;
            trial->further = true;
        }
}

bool stall_count(struct core *core, struct trial *trial, enum ending ending, char *why, size_t size)
{
    trial->not_before = 0;
    if (trial->further || ending == ENDING_PAUSED)
        trial->stalls = 0;
    if (trial->further || (ending != ENDING_REQUEUED && ending != ENDING_WALLTIME))
        return false;
    trial->stalls++;
    if (ending == ENDING_REQUEUED)
        trial->not_before = core->now + fmin(ldexp(1, (int)fmin(trial->stalls - 1, 10)), LONGEST_PAUSE);
    snprintf(why, size,
             "it was to go on later %u times in a row without having come further: no step beyond those before, no "
             "later checkpoint (trial.requeues allows %u)",
             trial->stalls, core->config.requeues);
    return trial->stalls > core->config.requeues;
}

bool stall_delay(struct core *core, struct trial *trial)
{
    if (core->now >= trial->not_before || core->state != EXPERIMENT_RUNNING)
        return false;
    if (!list_has(&trial->delayed))
        list_append(&core->delayed, &trial->delayed);
    return true;
}

void stall_tick(struct core *core)
{
    for (struct list_link *link = core->delayed.after, *next; link != &core->delayed; link = next) {
        struct trial *trial = LIST_ITEM(link, struct trial, delayed);
        next = link->after;
        core->counters.looks++;
        if (core->now < trial->not_before)
            continue;
        list_remove(link);
        queue_push(core, trial, true);
    }
}
