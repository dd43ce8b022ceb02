/* How much longer a search takes; see remaining.h. With R trials to begin, P slots and recent runs of D seconds on
 * average:
 *
 *     many ended in the last minute     (R + running) / (ended a second)
 *     few did                           max((R D + sum of the rests) / P, longest rest)
 *
 * The rest of a run that has gone on for e seconds is D - e; of one that takes longer than the others already, D / 4.
 * Where slots are idle although trials are to begin, something else than they holds the search up (a strategy, a
 * limit), and it goes on at the rate of the last minute at best. Trials that early stopping has paused count as begun:
 * few go on. */
#include "scheduler/core/remaining.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/workers.h"

#include <math.h>

/* So many in a minute say more than the mean of runs does. */
static const double many_a_minute = 30;

struct rests {
    double sum, longest;
};

/* Of the runs whose turn it is. A gang's run is in one slot a node, and counts once. */
static struct rests add_rests(const struct core *core, double now)
{
    struct rests rests = {0};
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->leases, &at, &entry);) {
        const struct lease *lease = entry.value;
        if (lease->gang.node || list_first(&lease->slot->leases) != &lease->link)
            continue;
        double since = now - lease->since, mean = core->run_seconds;
        double rest = since < 0.75 * mean ? mean - since : mean / 4;
        rests.sum += rest;
        rests.longest = fmax(rests.longest, rest);
    }
    return rests;
}

static uint64_t count_parallel(const struct core *core)
{
    uint64_t slots = core->slots / (core->config.nodes > 1 ? core->config.nodes : 1),
             most = core->config.max_concurrent;
    slots = most && most < slots ? most : slots;
    return slots ? slots : 1;
}

/* From what runs take, where few have ended lately. */
static double guess_by_runs(const struct core *core, double now, double rate, uint64_t left)
{
    uint64_t running = core->live[TRIAL_RUNNING], to_begin = left > running ? left - running : 0;
    uint64_t parallel = count_parallel(core);
    struct rests rests = add_rests(core, now);
    double guess = fmax(((double)to_begin * core->run_seconds + rests.sum) / (double)parallel, rests.longest);
    return to_begin && running < parallel && rate > 0 ? fmax(guess, (double)left / rate) : guess;
}

static double guess_by_trials(const struct core *core, double now, double rate)
{
    uint64_t begun = trial_states_ended(core->tally.ended) - core->tally.added + core->live[TRIAL_PAUSED];
    uint64_t left = core->config.max_trials > begun ? core->config.max_trials - begun : 0;
    if (!core->config.max_trials)
        return -1;
    if (rate * 60 >= many_a_minute && !core->live[TRIAL_PAUSED])
        return (double)left / rate;
    return core->run_seconds >= 0 ? guess_by_runs(core, now, rate, left) : -1;
}

double remaining_guess(const struct core *core, double now, double rate)
{
    double guess = guess_by_trials(core, now, rate), held = core->held_before + now - core->started;
    double time = fmax(core->config.time - held, 0);
    return core->config.time > 0 && (guess < 0 || time < guess) ? time : guess;
}
