/* Early stopping in the simulated world: a real stopper behind the core, brought back after each crash from what was
 * committed; see sim.h. */
#include "tests/sim/sim.h"
#include "common/mem.h"
#include "search/stop/stopper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const options[] = {
    [SIM_PAUSES] = "{\"min_steps\": 1, \"eta\": 2, \"max_paused\": 20}",
    [SIM_STOPS] = "{\"min_steps\": 1, \"eta\": 2}",
    [SIM_MEDIAN] = "{\"min_steps\": 1, \"min_trials\": 2}",
};

static struct stopper *make(const struct sim *sim)
{
    struct err err;
    enum sim_early early = sim->profile.early;
    json_t *json = json_loads(options[early], 0, NULL);
    struct stopper_setup setup = {.name = early == SIM_MEDIAN ? "median" : "asha",
                                  .options = json,
                                  .seed = sim->seed,
                                  .objectives = 1,
                                  .can_pause = early == SIM_PAUSES,
                                  .use_best = sim->profile.use_best};
    struct stopper *stopper = stopper_create(&setup, &err);
    json_decref(json);
    return stopper;
}

/* Tells a new stopper what was committed; it has to say the same again. */
static void tell(struct sim *sim, const struct early_stop *early_stop, const struct sim_told *told)
{
    struct early_stop_decision decision;
    bool same;
    switch (told->kind) {
    case EVENT_DECIDED:
        early_stop->sample(early_stop->context, told->trial, told->step, &told->value, &decision);
        same = decision.cut_off == told->cut_off || (isnan(decision.cut_off) && isnan(told->cut_off));
        if (decision.action != told->decision || !same)
            sim_break(sim,
                      "told again of trial %llu at step %llu, early stopping says %d, cut off at %.17g, instead of"
                      " %d, %.17g",
                      (unsigned long long)told->trial, (unsigned long long)told->step, decision.action,
                      decision.cut_off, told->decision, told->cut_off);
        break;
    case EVENT_RESUMED:
        early_stop->resumed(early_stop->context, told->trial);
        break;
    default:
        early_stop->ended(early_stop->context, told->trial, told->ending);
    }
}

void sim_early_start(struct sim *sim)
{
    early_stopping_destroy(sim->early_stopping);
    sim->early_stopping = NULL;
    sim->config.early_stop = NULL;
    sim->config.can_continue = sim->profile.early == SIM_PAUSES;
    if (sim->profile.early == SIM_WHOLE)
        return;
    sim->early_stopping = early_stopping_create(make(sim), &sim->config.metrics);
    sim->config.early_stop = early_stopping_early_stop(sim->early_stopping);
    for (size_t i = 0; i < sim->told_count; i++)
        tell(sim, sim->config.early_stop, &sim->told[i]);
}

/* --- what is committed --- */

static void log_told(struct sim *sim, struct sim_told told)
{
    MEM_GROW(sim->told, sim->told_capacity, sim->told_count + 1);
    sim->told[sim->told_count++] = told;
}

void sim_early_decided(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_decided *decided)
{
    if (decided->step <= record->decided)
        sim_break(sim, "trial %llu is judged at step %llu after step %llu", (unsigned long long)trial,
                  (unsigned long long)decided->step, (unsigned long long)record->decided);
    if (decided->told && decided->told != ++sim->tells_committed)
        sim_break(sim, "an observation of trial %llu is tell %llu, not %llu", (unsigned long long)trial,
                  (unsigned long long)decided->told, (unsigned long long)sim->tells_committed);
    record->decided = decided->step;
    if (decided->told) {
        record->observed = decided->told;
        sim_tell(sim, decided->told, trial, decided->step, decided->values[0]);
    }
    record->held = decided->decision == EARLY_STOP_PAUSE;
    record->stopped |= decided->decision == EARLY_STOP_STOP;
    log_told(sim, (struct sim_told){.kind = EVENT_DECIDED,
                                    .trial = trial,
                                    .step = decided->step,
                                    .value = decided->values[0],
                                    .decision = decided->decision,
                                    .cut_off = decided->cut_off});
}

void sim_early_paused(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_paused *paused)
{
    if (record->paused || record->ended)
        sim_break(sim, "trial %llu pauses twice", (unsigned long long)trial);
    record->paused = true;
    record->running = false;
    record->losses = 0;
    record->reached = paused->step;
}

void sim_early_resumed(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_resumed *resumed)
{
    if (!record->paused)
        sim_break(sim, "trial %llu goes on without a pause", (unsigned long long)trial);
    record->paused = record->held = false;
    if (resumed->held_back)
        log_told(sim, (struct sim_told){.kind = EVENT_RESUMED, .trial = trial});
}

void sim_early_ended(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_end *end)
{
    record->paused = false;
    record->step = end->step;
    if (end->watched)
        log_told(sim, (struct sim_told){.kind = EVENT_TRIAL_ENDED, .trial = trial, .ending = end->ending});
}

/* What was seen later is counted in. */
static void count_in(struct memory_seen *all, const struct memory_seen *later)
{
    if (!later->any)
        return;
    if (!all->any || later->step >= all->step) {
        all->last = later->last;
        all->step = later->step;
    }
    all->min = all->any ? fmin(all->min, later->min) : later->min;
    all->max = all->any ? fmax(all->max, later->max) : later->max;
    all->any = true;
}

/* One that begins anew takes back what was seen, and one that goes on from further than others came since gives it
 * back: its checkpoint is of before. */
static void begin_attempt(struct sim_record *record, uint64_t resumed)
{
    if (resumed && record->seen.any && record->seen.step >= (int64_t)resumed)
        return;
    count_in(&record->older, &record->seen);
    record->seen = resumed ? record->older : (struct memory_seen){0};
    record->older = resumed ? (struct memory_seen){0} : record->older;
}

/* Samples of an attempt, in their order: what a restart has to know of them. An attempt without any takes nothing back.
 */
void sim_early_samples(struct sim_record *record, uint32_t attempt, const struct event_sampled *sampled)
{
    if (!sampled->samples_count)
        return;
    if (attempt != record->seen_attempt)
        begin_attempt(record, sampled->resumed);
    record->seen_older |= attempt < record->seen_attempt;
    record->seen_attempt = attempt;
    for (uint32_t i = 0; i < sampled->samples_count; i++) {
        const struct msg_sample *sample = &sampled->samples[i];
        const struct memory_seen seen = {true, sample->step, sample->value, sample->value, sample->value};
        if (strcmp(sample->metric, "loss") == 0)
            count_in(&record->seen, &seen);
    }
}

void sim_early_recall(const struct sim_record *record, struct memory_trial *out, struct arena *arena)
{
    out->paused = record->paused;
    out->reached = record->reached;
    out->ended_attempt = record->ended_attempt;
    out->decided = record->decided;
    out->held = record->held;
    out->stop = record->stopped ? "stopped" : NULL;
    out->said = record->running && record->seen_attempt == record->attempt;
    const struct memory_seen both[] = {record->seen, record->older};
    out->seen = record->seen.any || record->older.any ? arena_copy(arena, both, sizeof both) : NULL;
}
