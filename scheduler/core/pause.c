/* Pauses: a trial that did the steps it was given for now waits at its checkpoint, and early stopping says whether it
 * goes on or ends.
 *
 *     running --PAUSED--> paused --RESUMED--> waiting (at the front of the queue) --LEASED--> running ...
 *                           '--TRIAL_ENDED--> stopped
 *
 * Before the strategy is asked for new trials, slots that are free go to paused trials that may go on. When nothing
 * runs, waits or will come, early stopping decides about all that are left. */
#include "scheduler/core/pause.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/trial.h"

void pause_resume(struct core *core, struct trial *trial, const char *why, double cut_off)
{
    const struct early_stop *early_stop = core->config.early_stop;
    struct event event = {.kind = EVENT_RESUMED, .trial = trial->number, .resumed = {why, trial->held, cut_off}};
    if (trial->held && early_stop)
        early_stop->resumed(early_stop->context, trial->number);
    trial_update(core, trial, outbox_event(core, &event));
}

void pause_end(struct core *core, struct trial *trial, enum ending ending, const char *why)
{
    struct outcome outcome = {.detail = why, .seconds = 0};
    if (seen_values(&core->config.metrics, trial->seen, core->values))
        outcome.values = core->values;
    else if (ending == ENDING_STOPPED_EARLY)
        ending = ENDING_NO_VALUE;
    trial_end(core, trial, ending, &outcome);
}

/* Nothing runs, waits or will come: only paused trials are left. */
static bool is_last(const struct core *core)
{
    bool all_proposed = tally_all_asked(&core->tally, &core->config, core->next_trial);
    return (core->no_more || all_proposed) && !core->asked && !core->reopening &&
           (!core->live[TRIAL_WAITING] || limits_full(core)) && !core->live[TRIAL_RUNNING];
}

static bool has_free_slot(const struct core *core)
{
    uint32_t nodes = gang_nodes(core), places = core->slots / nodes, most = core->config.max_concurrent;
    return core->busy / nodes + core->returning < (most && most < places ? most : places);
}

/* Early stopping has nothing more to say about paused trials that nothing else would ever move. */
static void end_all(struct core *core)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->trials, &at, &entry);) {
        struct trial *trial = entry.value;
        if (trial->state == TRIAL_PAUSED)
            pause_end(core, trial, ENDING_STOPPED_EARLY, NULL);
    }
}

void pause_move(struct core *core)
{
    const struct early_stop *early_stop = core->config.early_stop;
    struct early_stop_move move;
    while (early_stop && core->state == EXPERIMENT_RUNNING && core->live[TRIAL_PAUSED]) {
        bool last = is_last(core);
        bool again = core->unmoved == core->events && core->unmoved_last == last; /* it was told nothing since then */
        if (again || (!last && !has_free_slot(core)))
            return;
        core->counters.moves++;
        struct trial *trial = early_stop->next(early_stop->context, last, &move) ? trial_find(core, move.trial) : NULL;
        bool can = trial && trial->state == TRIAL_PAUSED; /* else its run has yet to end */
        if (!can && last)
            end_all(core);
        if (!can) {
            core->unmoved = core->events;
            core->unmoved_last = last;
            return;
        }
        if (move.resume)
            pause_resume(core, trial, move.why, move.cut_off);
        else
            pause_end(core, trial, ENDING_STOPPED_EARLY, move.why);
    }
}
