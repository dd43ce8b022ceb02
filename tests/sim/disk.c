/* The virtual disk: events are gone at a crash unless they were committed; what was committed folds into the core's
 * memory; see sim.h. */
#include "tests/sim/sim.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sim_disk_take(struct sim *sim, struct event *event)
{
    MEM_GROW(sim->unsettled, sim->unsettled_room, sim->unsettled_count + 1);
    if (sim->unsettled_count && sim->unsettled[sim->unsettled_count - 1].number >= event->number)
        sim_break(sim, "events are out of order");
    sim->unsettled[sim->unsettled_count++] = *event;
    *event = (struct event){0};
}

void sim_disk_lose(struct sim *sim)
{
    while (sim->unsettled_count)
        event_fini(&sim->unsettled[--sim->unsettled_count]);
    sim->committing = false;
}

struct sim_attempt *sim_attempt(struct sim_record *record, uint32_t attempt)
{
    enum { MOST = 512 };
    uint32_t number = attempt < MOST ? attempt : MOST;
    if (number >= record->run_capacity) {
        size_t before = record->run_capacity;
        MEM_GROW(record->runs, record->run_capacity, number + 1u);
        memset(record->runs + before, 0, (record->run_capacity - before) * sizeof *record->runs);
    }
    return &record->runs[number];
}

static void reference_samples(struct sim *sim, struct sim_record *record, const struct event *event)
{
    struct sim_attempt *run = sim_attempt(record, event->attempt);
    if (event->samples_count && event->first > run->samples)
        sim_break(sim, "trial %llu attempt %u: samples from %u, but only %u are recorded",
                  (unsigned long long)event->trial, event->attempt, event->first, run->samples);
    if (event->first + event->samples_count > run->samples)
        run->samples = event->first + event->samples_count;
    sim_early_samples(record, event);
}

static void reference_lease(struct sim *sim, struct sim_record *record, const struct event *event)
{
    if (event->attempt >= 512)
        sim_break(sim, "trial %llu has attempt %u", (unsigned long long)event->trial, event->attempt);
    if (record->running || record->ended || record->paused)
        sim_break(sim, "trial %llu is leased twice", (unsigned long long)event->trial);
    record->running = true;
    record->attempt = event->attempt;
    record->attempts = event->attempt > record->attempts ? event->attempt : record->attempts;
    record->worker = event->worker;
    record->slot = event->slot;
    struct sim_attempt *attempt = sim_attempt(record, event->attempt);
    attempt->leased = true;
    attempt->worker = event->worker;
}

static void reference_end(struct sim *sim, struct sim_record *record, const struct event *event)
{
    record->ended++;
    record->running = false;
    record->told = event->told;
    record->ending = event->ending;
    record->has_value = event->has_value;
    record->value = event->value;
    if (event->told != ++sim->tells_committed)
        sim_break(sim, "trial %llu is tell %llu, not %llu", (unsigned long long)event->trial,
                  (unsigned long long)event->told, (unsigned long long)sim->tells_committed);
}

static void reference_run_end(struct sim *sim, struct sim_record *record, const struct event *event)
{
    reference_samples(sim, record, event);
    sim_attempt(record, event->attempt)->over = true;
    record->running = false;
}

static void reference_retry(struct sim_record *record, const struct event *event)
{
    record->failures += ending_retry(event->ending) == RETRY_COUNTED;
    record->losses += ending_retry(event->ending) == RETRY_FREE;
    record->running = false;
}

static void reference_trial(struct sim *sim, struct sim_record *record, const struct event *event)
{
    sim_early_reference(sim, record, event);
    switch (event->kind) {
    case EVENT_PROPOSED:
        record->proposed++;
        snprintf(record->params, sizeof record->params, "%s", event->params);
        if (event->trial > sim->highest_trial)
            sim->highest_trial = event->trial;
        break;
    case EVENT_LEASED:
        reference_lease(sim, record, event);
        break;
    case EVENT_RETURNED:
        sim_attempt(record, event->attempt)->leased = false;
        record->running = false;
        break;
    case EVENT_SAMPLED:
        reference_samples(sim, record, event);
        break;
    case EVENT_RUN_ENDED:
        reference_run_end(sim, record, event);
        break;
    case EVENT_LATE:
        sim_attempt(record, event->attempt)->over = true;
        break;
    case EVENT_RETRIED:
        reference_retry(record, event);
        break;
    case EVENT_TRIAL_ENDED:
        reference_end(sim, record, event);
        break;
    default:
        break;
    }
}

static void reference(struct sim *sim, const struct event *event)
{
    if (event->kind == EVENT_EXPERIMENT) {
        sim->committed_reason = event->reason;
        sim->held = event->held;
    } else if (event->trial > sim->most_trial) {
        sim_break(sim, "an event speaks of trial %llu", (unsigned long long)event->trial);
    } else if (event->trial) {
        reference_trial(sim, &sim->records[event->trial], event);
    }
}

void sim_disk_commit(struct sim *sim, uint64_t number)
{
    size_t count = 0;
    sim_trace(sim, "disk commits up to event", number, NULL);
    while (count < sim->unsettled_count && sim->unsettled[count].number <= number) {
        reference(sim, &sim->unsettled[count]);
        event_fini(&sim->unsettled[count++]);
    }
    sim->unsettled_count -= count;
    memmove(sim->unsettled, sim->unsettled + count, sim->unsettled_count * sizeof *sim->unsettled);
    sim->committing = false;
    core_committed(sim->core, sim->now, number);
}

static void recall_runs(struct sim_record *record, struct memory_trial *trial, struct memory *out)
{
    trial->runs = arena_zero(&out->arena, record->attempts + 1, sizeof *trial->runs);
    for (uint32_t i = 1; i <= record->attempts; i++)
        if (sim_attempt(record, i)->leased)
            trial->runs[trial->run_count++] = (struct memory_run){i, sim_attempt(record, i)->worker};
}

static void recall_trial(const struct sim *sim, uint64_t number, struct memory *out)
{
    struct sim_record *record = &sim->records[number];
    out->trials[out->trial_count++] = (struct memory_trial){
        .trial = number,
        .params = arena_text(&out->arena, record->params),
        .attempts = record->attempts,
        .failures = record->failures,
        .losses = record->losses,
        .running = record->running,
        .attempt = record->attempt,
        .worker = record->worker,
        .slot = record->slot,
    };
    recall_runs(record, &out->trials[out->trial_count - 1], out);
    sim_early_recall(record, &out->trials[out->trial_count - 1], &out->arena);
}

void sim_disk_recall(struct sim *sim, struct memory *out)
{
    *out = (struct memory){.session = sim->session++,
                           .next_trial = sim->highest_trial + 1,
                           .tells = sim->tells_committed,
                           .held = sim->held};
    out->trials = arena_zero(&out->arena, sim->highest_trial + 1, sizeof *out->trials);
    for (uint64_t i = 1; i <= sim->highest_trial; i++) {
        const struct sim_record *record = &sim->records[i];
        if (!record->ended) {
            recall_trial(sim, i, out);
            continue;
        }
        out->ended[ending_state(record->ending)]++;
        if (record->has_value && (!out->has_best || record->value < out->best)) {
            out->has_best = true;
            out->best = record->value;
            out->best_trial = i;
        }
    }
}
