/* Ready proposals: asks the strategy early enough that no slot waits for it, and takes its answers.
 *
 * A strategy that does not use its history may be asked far ahead. For one that does, each proposal made ahead is made
 * with less knowledge, so only as many are kept as slots are free, and one for every eight slots that will be soon; and
 * a slot whose trial has just ended waits until the strategy was told of it. So with one slot each proposal knows of
 * everything before it, whatever the timing, and a search is repeated exactly. */
#include "scheduler/core/proposals.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"

#include <math.h>

/* For a strategy that uses its history. */
static uint64_t wanted_with_history(const struct core *core)
{
    uint32_t most = core->config.max_concurrent;
    uint64_t slots = most && most < core->slots ? most : core->slots;
    uint64_t untold = trial_states_ended(core->live); /* ended, but not told yet */
    uint64_t taken = core->busy + untold, soon = slots + slots / 8;
    return soon > taken ? soon - taken : 0;
}

/* How many proposals are to be waiting or on their way. */
static uint64_t count_wanted(const struct core *core)
{
    enum { AT_LEAST = 16 };
    if (!core->config.ask_far_ahead)
        return wanted_with_history(core);
    double depth = core->run_seconds >= 0 ? fmin(1024, VACANCY_AHEAD_SECONDS / fmax(core->run_seconds, 1e-6)) : 0;
    double many = 2.0 * core->slots * (1 + depth);
    return many > (double)AT_LEAST ? (uint64_t)many : AT_LEAST;
}

/* How many limits.max_trials has room for. */
static uint64_t count_left(const struct core *core)
{
    uint64_t most = tally_last_trial(&core->tally, &core->config);
    return !most ? UINT64_MAX : core->next_trial > most ? 0 : most - core->next_trial + 1;
}

uint64_t proposals_missing(const struct core *core)
{
    if (core->state != EXPERIMENT_RUNNING || core->no_more)
        return 0;
    uint64_t target = count_wanted(core), ready = core->live[TRIAL_WAITING] + core->asked;
    if (target > core->config.ready_limit)
        target = core->config.ready_limit;
    /* What can't be started before the deadline keeps no slot busy; perhaps another one is shorter. */
    uint64_t exceeds_walltime = walltime_exceeding(core);
    if (exceeds_walltime && walltime_suffices(core))
        target += exceeds_walltime < core->slots ? exceeds_walltime : core->slots;
    target += core->elsewhere.count; /* what waits for another node keeps none of these slots busy either */
    uint64_t missing = target > ready ? target - ready : 0, left = count_left(core);
    return missing < left ? missing : left;
}

bool proposals_come(const struct core *core)
{
    uint64_t untold = trial_states_ended(core->live);
    bool may_ask = core->state == EXPERIMENT_RUNNING && !core->no_more && count_left(core);
    return core->asked || proposals_missing(core) || (untold && may_ask);
}

void proposals_ask(struct core *core)
{
    for (uint64_t missing = proposals_missing(core); missing && !outbox_is_full(core); missing--) {
        core->asked++;
        outbox_ask(core, core->next_trial++);
    }
}

bool proposals_take(struct core *core, uint64_t trial, const struct event_proposed *proposed)
{
    core->asked -= core->asked > 0;
    if (core->state != EXPERIMENT_RUNNING || trial_find(core, trial))
        return false; /* the experiment ends: the number is asked for again when it goes on */
    struct trial *added = trial_add(core, trial, proposed->params);
    added->from = proposed->from;
    struct event event = {.kind = EVENT_PROPOSED, .trial = trial, .proposed = *proposed};
    trial_update(core, added, outbox_event(core, &event));
    queue_push(core, added, false); /* its lease waits for the same commit: it is written behind it */
    return true;
}
