/* The virtual disk: events are gone at a crash unless they were committed; what was committed folds into the core's
 * memory; see sim.h. */
#include "tests/sim/sim.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sim_disk_take(struct sim *sim, struct event *event)
{
    const double tick = 1e-6; /* of the clock that events have their time from */
    MEM_GROW(sim->unsettled, sim->unsettled_capacity, sim->unsettled_count + 1);
    event->time = fmax(event->time, sim->last_time + tick);
    sim->last_time = event->time;
    sim_trace_event(sim, event);
    if (sim->unsettled_count && sim->unsettled[sim->unsettled_count - 1].number >= event->number)
        sim_break(sim, "events are out of order");
    event_keep(event);
    sim->unsettled[sim->unsettled_count++] = *event;
    *event = (struct event){0};
}

void sim_disk_lose(struct sim *sim)
{
    if (!sim->options.store)
        sim->group = 0;
    while (sim->unsettled_count > sim->group)
        event_fini(&sim->unsettled[--sim->unsettled_count]);
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

struct sim_part *sim_part(struct sim_attempt *attempt, uint64_t worker)
{
    for (uint32_t i = 0; i < attempt->part_count; i++)
        if (attempt->parts[i].worker == worker)
            return &attempt->parts[i];
    return NULL;
}

/* --- reference_proposed and so on, one function for each kind of event; `record` is the trial's --- */

#define REFERENCE(name, payload, member)                                                                               \
    static void reference_##name(struct sim *sim, struct sim_record *record, const struct event *event,                \
                                 const struct payload *member)
#define X(KIND, name, payload, member, said, help) REFERENCE(name, payload, member);
EVENTS(X)
#undef X

REFERENCE(proposed, event_proposed, proposed)
{
    record->proposed++;
    snprintf(record->params, sizeof record->params, "%s", proposed->params);
    if (event->trial > sim->highest_trial)
        sim->highest_trial = event->trial;
}

REFERENCE(leased, event_lease, lease)
{
    if (event->attempt >= 512)
        sim_break(sim, "trial %llu has attempt %u", (unsigned long long)event->trial, event->attempt);
    if (record->running || record->ended || record->paused)
        sim_break(sim, "trial %llu is leased twice", (unsigned long long)event->trial);
    record->running = true;
    record->attempt = event->attempt;
    record->attempts = event->attempt > record->attempts ? event->attempt : record->attempts;
    record->worker = event->worker;
    record->slot = lease->slot;
    struct sim_attempt *attempt = sim_attempt(record, event->attempt);
    attempt->leased = true;
    attempt->worker = event->worker;
    if (attempt->part_count + 1 != sim->profile.nodes)
        sim_break(sim, "trial %llu is leased to %u nodes, not %u", (unsigned long long)event->trial,
                  attempt->part_count + 1, sim->profile.nodes);
}

/* A slot of another worker each; the attempt's own lease follows. */
REFERENCE(part_leased, event_part, part)
{
    struct sim_attempt *attempt = sim_attempt(record, event->attempt);
    if (attempt->leased || part->node != attempt->part_count + 1 || sim_part(attempt, event->worker))
        sim_break(sim, "trial %llu attempt %u is given node %u, having %u", (unsigned long long)event->trial,
                  event->attempt, part->node, attempt->part_count);
    else
        attempt->parts[attempt->part_count++] = (struct sim_part){.worker = event->worker, .slot = part->slot};
}

REFERENCE(part_ended, event_part, part)
{
    struct sim_attempt *attempt = sim_attempt(record, event->attempt);
    struct sim_part *of = sim_part(attempt, event->worker);
    if (!attempt->leased)
        return; /* it was given back */
    if (!of)
        sim_break(sim, "trial %llu attempt %u: a part ends that it does not have", (unsigned long long)event->trial,
                  event->attempt);
    else if (!of->over) {
        of->over = true;
        of->ending = part->ending;
    }
}

REFERENCE(returned, event_lease, lease)
{
    (void)sim;
    (void)lease;
    sim_attempt(record, event->attempt)->leased = false;
    sim_attempt(record, event->attempt)->part_count = 0;
    record->running = false;
}

static void count_samples(struct sim *sim, struct sim_record *record, const struct event *event,
                          const struct event_sampled *sampled)
{
    struct sim_attempt *run = sim_attempt(record, event->attempt);
    if (sampled->samples_count && sampled->first > run->samples)
        sim_break(sim, "trial %llu attempt %u: samples from %u, but only %u are recorded",
                  (unsigned long long)event->trial, event->attempt, sampled->first, run->samples);
    if (sampled->first + sampled->samples_count > run->samples)
        run->samples = sampled->first + sampled->samples_count;
}

REFERENCE(sampled, event_sampled, sampled)
{
    count_samples(sim, record, event, sampled);
    sim_early_samples(record, event->attempt, sampled);
}

REFERENCE(run_ended, event_run, run)
{
    count_samples(sim, record, event, &run->sampled);
    if (!run->given_up) /* else its worker said nothing */
        sim_early_samples(record, event->attempt, &run->sampled);
    if (!run->given_up && event->attempt > record->ended_attempt)
        record->ended_attempt = event->attempt;
    sim_attempt(record, event->attempt)->over = true;
    record->running = false;
}

REFERENCE(late, event_run, run)
{
    (void)sim;
    (void)run;
    if (sim_attempt(record, event->attempt)->worker != event->worker)
        return; /* a stranger, of a trial that ended long ago */
    if (sim_attempt(record, event->attempt)->leased && event->attempt > record->ended_attempt)
        record->ended_attempt = event->attempt;
    sim_attempt(record, event->attempt)->over = true;
}

REFERENCE(retried, event_retried, retried)
{
    (void)sim;
    (void)event;
    record->failures += ending_uses_retry(retried->ending);
    record->losses = retried->losses;
    record->memory = retried->memory;
    record->running = false;
}

REFERENCE(cleared, event_cleared, cleared)
{
    (void)sim;
    (void)event;
    record->losses = cleared->losses;
}

/* A trial that a person took away says nothing of the program. */
static void note_alike(struct sim *sim, enum ending ending)
{
    if (ending_state(ending) == TRIAL_CANCELLED)
        return;
    sim->alike = ending == sim->alike_ending ? sim->alike + 1 : 1;
    sim->alike_ending = ending;
    sim->alike_most = sim->alike > sim->alike_most ? sim->alike : sim->alike_most;
}

REFERENCE(trial_ended, event_end, end)
{
    if (record->ended)
        sim_break(sim, "trial %llu ends twice", (unsigned long long)event->trial);
    sim_early_ended(sim, record, event->trial, end);
    sim_tell(sim, end->told, event->trial, 0, end->has_value ? end->value : NAN);
    record->ended++;
    record->running = false;
    record->told = end->told;
    record->ending = end->ending;
    record->has_value = end->has_value;
    record->value = end->value;
    note_alike(sim, end->ending);
    if (end->told != ++sim->tells_committed)
        sim_break(sim, "trial %llu is tell %llu, not %llu", (unsigned long long)event->trial,
                  (unsigned long long)end->told, (unsigned long long)sim->tells_committed);
}

REFERENCE(experiment, event_experiment, experiment)
{
    (void)record;
    (void)event;
    sim->committed_reason = experiment->reason;
    sim->held = experiment->held;
}

REFERENCE(decided, event_decided, decided)
{
    sim_early_decided(sim, record, event->trial, decided);
}

REFERENCE(paused, event_paused, paused)
{
    sim_early_paused(sim, record, event->trial, paused);
}

REFERENCE(resumed, event_resumed, resumed)
{
    sim_early_resumed(sim, record, event->trial, resumed);
}

/* Told as a change is, which a strategy hears of as of every tell. */
static void change_past(struct sim *sim, uint64_t told, uint64_t trial, uint64_t what)
{
    sim_tell(sim, told, trial, SIM_CHANGED + what, NAN);
    if (told != ++sim->tells_committed)
        sim_break(sim, "a change of trial %llu is tell %llu, not %llu", (unsigned long long)trial,
                  (unsigned long long)told, (unsigned long long)sim->tells_committed);
}

REFERENCE(ignored, event_ignored, ignored)
{
    if (!record->ended || record->ignored == ignored->ignored)
        sim_break(sim, "trial %llu is ignored, or counts again, twice", (unsigned long long)event->trial);
    record->ignored = ignored->ignored;
    change_past(sim, ignored->told, event->trial, ignored->ignored);
}

REFERENCE(reopened, event_reopened, reopened)
{
    if (!record->ended || record->ignored || ending_state(record->ending) != TRIAL_FAILED)
        sim_break(sim, "trial %llu is reopened and has not failed", (unsigned long long)event->trial);
    record->ended = 0;
    record->reopened = record->attempts;
    record->decided = record->reached = 0;
    record->running = record->has_value = record->held = record->stopped = false;
    record->failures = record->losses = 0;
    change_past(sim, reopened->told, event->trial, 2);
}

REFERENCE(added, event_added, added)
{
    if (record->proposed)
        sim_break(sim, "trial %llu is added and was there", (unsigned long long)event->trial);
    snprintf(record->params, sizeof record->params, "%s", added->params);
    record->proposed = record->ended = 1;
    record->added = record->has_value = true;
    record->ending = added->end.ending;
    record->value = added->end.value;
    record->told = added->end.told;
    if (event->trial > sim->highest_trial)
        sim->highest_trial = event->trial;
    sim_tell(sim, added->end.told, event->trial, 0, added->end.value);
    if (added->end.told != ++sim->tells_committed)
        sim_break(sim, "trial %llu is added as tell %llu", (unsigned long long)event->trial,
                  (unsigned long long)added->end.told);
}

/* What the core recalls of workers are their leases alone. */
#define REFERENCE_NOTHING(name, payload)                                                                               \
    REFERENCE(name, payload, said)                                                                                     \
    {                                                                                                                  \
        (void)sim;                                                                                                     \
        (void)record;                                                                                                  \
        (void)event;                                                                                                   \
        (void)said;                                                                                                    \
    }
REFERENCE_NOTHING(worker, msg_hello)
REFERENCE_NOTHING(slots, event_slots)
REFERENCE_NOTHING(worker_gone, event_gone)
REFERENCE_NOTHING(job, job_facts)

static void reference(struct sim *sim, const struct event *event)
{
    if (event->trial > sim->most_trial) {
        sim_break(sim, "an event speaks of trial %llu", (unsigned long long)event->trial);
        return;
    }
    struct sim_record *record = &sim->records[event->trial]; /* of no trial: not looked at */
    sim_sums_add(sim, record, event);
    switch (event->kind) {
#define X(KIND, name, payload, member, said, help)                                                                     \
    case EVENT_##KIND:                                                                                                 \
        reference_##name(sim, record, event, &event->member);                                                          \
        break;
        EVENTS(X)
#undef X
    case EVENT_KINDS:
        break;
    }
}

void sim_disk_settle(struct sim *sim, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        reference(sim, &sim->unsettled[i]);
        sim->written = sim->unsettled[i].time;
        event_fini(&sim->unsettled[i]);
    }
    sim->unsettled_count -= count;
    if (sim->unsettled_count)
        memmove(sim->unsettled, sim->unsettled + count, sim->unsettled_count * sizeof *sim->unsettled);
}

/* As the store thread does it: what fails is tried again a second later. */
void sim_disk_commit(struct sim *sim, uint64_t number)
{
    size_t count = sim->group;
    enum sim_written written = sim_store_write(sim, count);
    if (written == SIM_POWERLESS)
        sim_core_die(sim);
    else if (written == SIM_UNWRITTEN)
        sim_in(sim, 1, SIM_COMMIT, 0, number)->peer = sim->session;
    if (written != SIM_WRITTEN)
        return;
    sim_trace(sim, "disk commits up to event", number, NULL);
    sim->group = 0;
    sim_disk_settle(sim, count);
    sim_sums_check_core(sim);
    if (sim->store)
        sim_sums_check_store(sim);
    core_committed(sim->core, sim->now, number);
    sim_amend_committed(sim);
}

static void recall_runs(struct sim_record *record, struct memory_trial *trial, struct memory *out)
{
    trial->runs = arena_zero(&out->arena, (record->attempts + 1) * SIM_MOST_NODES, sizeof *trial->runs);
    for (uint32_t i = 1; i <= record->attempts; i++) {
        const struct sim_attempt *attempt = sim_attempt(record, i);
        if (attempt->leased)
            trial->runs[trial->run_count++] = (struct memory_run){i, attempt->worker, 0};
        for (uint32_t k = 0; attempt->leased && k < attempt->part_count; k++)
            trial->runs[trial->run_count++] = (struct memory_run){i, attempt->parts[k].worker, k + 1};
    }
}

static void recall_parts(const struct sim_attempt *attempt, struct memory_trial *trial, struct memory *out)
{
    trial->parts = arena_zero(&out->arena, SIM_MOST_NODES, sizeof *trial->parts);
    for (uint32_t k = 0; k < attempt->part_count; k++)
        trial->parts[trial->part_count++] = (struct memory_part){.node = k + 1,
                                                                 .worker = attempt->parts[k].worker,
                                                                 .host = "node",
                                                                 .slot = attempt->parts[k].slot,
                                                                 .ended = attempt->parts[k].over,
                                                                 .ending = attempt->parts[k].ending,
                                                                 .detail = ""};
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
        .memory = record->memory,
        .running = record->running,
        .attempt = record->attempt,
        .worker = record->worker,
        .slot = record->slot,
    };
    recall_runs(record, &out->trials[out->trial_count - 1], out);
    if (record->running)
        recall_parts(sim_attempt(record, record->attempt), &out->trials[out->trial_count - 1], out);
    sim_early_recall(record, &out->trials[out->trial_count - 1], &out->arena);
}

void sim_disk_recall(struct sim *sim, struct memory *out)
{
    *out = (struct memory){.session = sim->session,
                           .next_trial = sim->highest_trial + 1,
                           .tells = sim->tells_committed,
                           .steps = sim->sums.steps,
                           .stepped = sim->sums.stepped,
                           .held = sim->held};
    out->trials = arena_zero(&out->arena, sim->highest_trial + 1, sizeof *out->trials);
    for (uint64_t i = 1; i <= sim->highest_trial; i++) {
        const struct sim_record *record = &sim->records[i];
        if (!record->proposed) {
            out->tally.skipped++;
            continue;
        }
        if (!record->ended) {
            recall_trial(sim, i, out);
            continue;
        }
        out->tally.ignored += record->ignored;
        out->tally.added += record->added && !record->ignored;
        if (record->ignored)
            continue;
        out->tally.ended[ending_state(record->ending)]++;
        bool counts = record->has_value && ending_state(record->ending) != TRIAL_CANCELLED;
        if (counts && (!out->tally.has_best || record->value < out->tally.best)) {
            out->tally.has_best = true;
            out->tally.best = record->value;
            out->tally.best_trial = i;
        }
    }
}
