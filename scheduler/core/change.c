/* What a person changes about the past: each change is an event with a place in the order of tells. What the strategy
 * was told can't be taken back, so that it lives through its past anew, once the change is on disk. */
#include "scheduler/core/change.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/trial.h"

int change_refuse(const struct core *core, bool starts, struct err *err)
{
    bool decided = core->reason == REASON_MAX_TRIALS || core->reason == REASON_TARGET;
    bool drains = (starts || decided) && core->state == EXPERIMENT_DRAINING;
    if (core->state != EXPERIMENT_ENDED && !core->end_event && !drains)
        return 0;
    return err_set(err, "the search is just ending (%s); say this again when it has", reason_sentence(core->reason));
}

/* What it may have to propose is another question now. */
static void forget_later(struct core *core)
{
    outbox_forget_later(core);
    core->tally.skipped += core->unanswered;
    core->unanswered = 0;
    core->no_more = false;
}

bool change_ignore(struct core *core, const struct core_ended *trials, size_t count, bool ignored)
{
    for (size_t i = 0; i < count; i++) {
        struct event_ignored said = {.ignored = ignored, .told = ++core->tells};
        outbox_event(core, &(struct event){.kind = EVENT_IGNORED, .trial = trials[i].trial, .ignored = said});
        if (ignored)
            tally_ignore(&core->tally, trials[i].trial, trials[i].ending, trials[i].added);
        else
            tally_count_again(&core->tally, trials[i].ending, trials[i].added);
    }
    if (count)
        forget_later(core);
    return !core->tally.has_best;
}

void change_reopen(struct core *core, const uint64_t *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct event_reopened said = {.told = ++core->tells};
        outbox_event(core, &(struct event){.kind = EVENT_REOPENED, .trial = trials[i], .reopened = said});
        core->tally.ended[TRIAL_FAILED] -= core->tally.ended[TRIAL_FAILED] > 0;
        core->reopening++;
    }
    if (count)
        forget_later(core);
}

void change_add(struct core *core, const struct event_added *added)
{
    struct event event = {.kind = EVENT_ADDED, .trial = core->next_trial++, .added = *added};
    struct trial *trial = trial_add(core, event.trial, added->params);
    event.added.end.told = ++core->tells;
    trial->added = true;
    trial_keep_values(core, trial, added->end.values_count ? added->end.values : &added->end.value);
    trial_update(core, trial, outbox_event(core, &event));
    tally_add_added(&core->tally, core->config.metrics.items[0].maximize, event.trial, &event.added.end);
}
