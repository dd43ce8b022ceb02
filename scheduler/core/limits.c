/* How the experiment ends.
 *
 *     running --limits_end--> draining --(no lease left, all on disk)--> ended
 *
 * Draining starts nothing new; forced, it also ends what runs. What becomes of the trials: those that have a value keep
 * it; a run that was cut short by a limit is stopped_early when it has a value, else cancelled; those that never began
 * are cancelled when a limit of the experiment was reached, and keep waiting when a person interrupted or stopped it,
 * so that --resume takes them up. They also keep waiting when --resume set limits.max_trials to fewer than had been
 * proposed before. */
#include "scheduler/core/limits.h"
#include "scheduler/core/act.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/workers.h"

double limits_held(const struct core *core)
{
    return core->held_before + core->now - core->started;
}

bool limits_full(const struct core *core)
{
    uint64_t begun = trial_states_ended(core->tally.ended) + core->live[TRIAL_RUNNING] + core->live[TRIAL_PAUSED];
    return core->config.max_trials && begun >= core->config.max_trials + core->tally.added;
}

void limits_write(struct core *core, const char *detail)
{
    struct event_experiment now = {core->state, core->reason, detail, limits_held(core)};
    outbox_event(core, &(struct event){.kind = EVENT_EXPERIMENT, .experiment = now});
    core->held_written = core->now;
}

/* Acts on every waiting or paused trial, now that waiting means something else. */
static void act_on_waiting(struct core *core)
{
    if (!act_cancels_waiting(core))
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->trials, &at, &entry);) {
        struct trial *trial = entry.value;
        if (trial->state == TRIAL_WAITING || trial->state == TRIAL_PAUSED)
            act_on_trial(core, trial);
    }
}

static void stop_leases(struct core *core, enum ending ending)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->leases, &at, &entry);) {
        struct lease *lease = entry.value;
        if (lease->sent && lease_trial(core, lease))
            lease_stop(core, lease, ending);
    }
}

/* Those for which this turn has no time are told when they are looked at, in the turns that come at once. */
static void drain_workers(struct core *core)
{
    struct map_entry entry;
    core->unwatched = core->workers.count;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        worker->untold = outbox_is_full(core);
        if (!worker->untold)
            workers_drain(core, worker);
        for (uint32_t i = 0; i < worker->slot_count; i++)
            vacancy_remove(core, worker->slots[i]);
    }
}

void limits_end(struct core *core, enum reason reason, const char *detail, bool force)
{
    bool goes_further = core->state == EXPERIMENT_DRAINING && force && !core->forced;
    if (core->state != EXPERIMENT_RUNNING && !goes_further)
        return;
    core->state = EXPERIMENT_DRAINING;
    core->reason = reason;
    limits_write(core, detail);
    if (force) {
        core->forced = true;
        core->forced_since = core->now;
        if (reason == REASON_TIME)
            stop_leases(core, ENDING_STOPPED_EARLY);
    }
    drain_workers(core);
    act_on_waiting(core);
}
