/* An operator who ignores ended trials, has failed ones tried again, and adds some: as scheduler/coordinator/amends.c,
 * one change after the other, each looked at in the store once it is on disk. What was answered stays; see sim.h. */
#include "tests/sim/sim.h"
#include "scheduler/core/core_parts.h"

#include <math.h>
#include <stdio.h>

enum { MOST_CHANGES = 30, PLACES = 400 };

void sim_amend_begin(struct sim *sim)
{
    sim->amend_rng = rng_make(sim->seed, "amend", 0);
    if (sim->profile.amends)
        sim_in(sim, 20 * rng_unit(&sim->amend_rng), SIM_AMEND, 0, 0);
}

/* A trial that has ended, is ignored or not as wanted, and failed or not; 0: the one that was drawn is none. */
static uint64_t draw_ended(struct sim *sim, bool ignored, bool failed)
{
    uint64_t trial = sim->highest_trial ? 1 + rng_below(&sim->amend_rng, sim->highest_trial) : 0;
    const struct sim_record *record = &sim->records[trial];
    bool fits = trial && record->ended && record->ignored == ignored &&
                (!failed || ending_state(record->ending) == TRIAL_FAILED);
    return fits ? trial : 0;
}

/* Whether the core did it. */
static bool ignore(struct sim *sim)
{
    bool undo = rng_below(&sim->amend_rng, 3) == 0;
    uint64_t trial = draw_ended(sim, undo, false);
    struct err err = {0};
    if (!trial)
        return false;
    struct core_ended ended = {
        .trial = trial, .ending = sim->records[trial].ending, .added = sim->records[trial].added};
    return core_ignore(sim->core, sim->now, &ended, 1, !undo, &sim->amend_looks, &err) == 0;
}

static bool reopen(struct sim *sim)
{
    struct err err = {0};
    for (int i = 0; i < 3; i++) {
        uint64_t trial = draw_ended(sim, false, true);
        bool again =
            sim->amend_count && (trial == sim->amend_trials[0] || trial == sim->amend_trials[sim->amend_count - 1]);
        if (trial && !again)
            sim->amend_trials[sim->amend_count++] = trial;
    }
    bool done = sim->amend_count && sim->profile.killing <= 0 &&
                core_reopen(sim->core, sim->now, sim->amend_trials, sim->amend_count, &err) == 0;
    sim->amend_count = done ? sim->amend_count : 0;
    return done;
}

static bool add(struct sim *sim)
{
    struct event_added points[2];
    char params[2][32];
    uint64_t first, count = 1 + rng_below(&sim->amend_rng, 2);
    struct err err = {0};
    for (uint64_t i = 0; i < count; i++) {
        snprintf(params[i], sizeof params[i], "{\"added\": %llu}",
                 (unsigned long long)rng_below(&sim->amend_rng, 1000));
        points[i] = (struct event_added){.params = params[i],
                                         .end = {.has_value = true, .value = rng_unit(&sim->amend_rng) * 2}};
    }
    return core_add(sim->core, sim->now, points, count, &first, &err) == 0;
}

void sim_amend(struct sim *sim)
{
    bool may = sim_listening(sim) && !sim->amending && sim->amended < MOST_CHANGES &&
               sim->core->next_trial + PLACES < sim->most_trial;
    if (may) {
        uint64_t what = rng_below(&sim->amend_rng, 3);
        sim->amend_looks = false;
        sim->amend_count = 0;
        sim->amending = what == 0 ? ignore(sim) : what == 1 ? reopen(sim) : add(sim);
        sim->amend_event = sim->amending ? core_events(sim->core) : 0;
        sim->amended += sim->amending;
    }
    if (sim->now < sim->profile.calm)
        sim_in(sim, 15 * rng_unit(&sim->amend_rng), SIM_AMEND, 0, 0);
}

void sim_amend_committed(struct sim *sim)
{
    if (!sim->amend_event || sim->core->committed < sim->amend_event)
        return;
    sim->amend_event = 0;
    sim_in(sim, rng_unit(&sim->amend_rng), SIM_AMEND_SEEN, 0, 0)->peer = sim->session;
}

/* What the store says, which may have more by now. Then it is answered, and stays. */
void sim_amend_seen(struct sim *sim)
{
    struct memory memory;
    sim_disk_recall(sim, &memory);
    if (sim->amend_looks)
        core_best(sim->core, sim->now, memory.tally.has_best, memory.tally.best_trial, memory.tally.best);
    for (uint32_t i = 0; i < sim->amend_count; i++)
        for (uint32_t j = 0; j < memory.trial_count; j++)
            if (memory.trials[j].trial == sim->amend_trials[i])
                core_take_up(sim->core, sim->now, &memory.trials[j]);
    memory_fini(&memory);
    sim->amending = false;
    sim->amend_promised = sim->tells_committed;
}

void sim_amend_lose(struct sim *sim)
{
    sim->amending = false;
    sim->amend_event = 0;
}
