/* A model of a worker: the conversation of docs/design.md, without any process behind it; see sim.h. */
#include "tests/sim/sim.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct sim_run *find_run(struct sim_worker *worker, uint64_t trial, uint32_t attempt)
{
    for (uint32_t i = 0; i < worker->run_count; i++)
        if (worker->runs[i].trial == trial && worker->runs[i].attempt == attempt)
            return &worker->runs[i];
    return NULL;
}

static void remove_run(struct sim_worker *worker, struct sim_run *run)
{
    *run = worker->runs[--worker->run_count];
}

/* --- memory --- */

/* Some workers have more than their slots need. */
static uint64_t memory_of(const struct sim *sim, const struct sim_worker *worker)
{
    return (sim->profile.slots + worker->id % 3) * sim->profile.memory;
}

uint64_t sim_memory_needed(const struct sim *sim, uint64_t trial)
{
    static const uint64_t slots[] = {1, 1, 1, 1, 2, 3, 4, 1000};
    return slots[rng_mix(sim->seed + 5, trial) % 8] * sim->profile.memory;
}

/* Once what the core did not know of has been sorted out, no memory is promised twice. */
static void check_memory(struct sim *sim, uint32_t index)
{
    const struct sim_worker *worker = &sim->workers[index];
    uint64_t used = 0;
    for (uint32_t i = 0; i < worker->run_count; i++)
        used += worker->runs[i].state == SIM_RUNNING ? worker->runs[i].memory : 0;
    if (used > memory_of(sim, worker) && sim->now > sim->profile.calm + 120)
        sim_break(sim, "the runs of worker %u may use %.17g bytes together, and it has %.17g", index, (double)used,
                  (double)memory_of(sim, worker));
}

/* --- what it says --- */

/* Some nodes have two workers, if there are more than enough. */
static void name_node(const struct sim *sim, uint32_t index, char *out, size_t size)
{
    bool shared = index >= sim->profile.nodes && sim->seed % 2 && !sim->profile.bad_node;
    snprintf(out, size, "node%u", shared ? index - sim->profile.nodes : index);
}

int sim_node_number(const char *node)
{
    static const char before[] = "node";
    const size_t length = sizeof before - 1;
    char *end;
    if (strncmp(node, before, length) != 0)
        return -1;
    long number = strtol(node + length, &end, 10);
    return end == node + length ? -1 : (int)number;
}

static void say_hello(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    char node[32] = "node";
    if (sim->profile.nodes > 1 || sim->profile.bad_node)
        name_node(sim, index, node, sizeof node);
    struct msg msg = {.kind = MSG_HELLO,
                      .hello = {.worker = worker->id,
                                .node = node,
                                .pid = (uint32_t)worker->id,
                                .job = worker->job,
                                .element = NODE_NO_ELEMENT,
                                .memory = memory_of(sim, worker)}};
    worker->welcomed = false;
    sim_to_core(sim, index, &msg);
}

static void say_offer(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    struct msg msg = {.kind = MSG_OFFER, .offer = {.credit = sim->profile.credit}};
    msg.offer.slots = arena_zero(&msg.memory, sim->profile.slots, sizeof *msg.offer.slots);
    msg.offer.slots_count = sim->profile.slots;
    for (uint32_t i = 0; i < sim->profile.slots; i++) {
        msg.offer.slots[i].index = i;
        msg.offer.slots[i].memory = sim->profile.memory;
    }
    msg.offer.held = arena_zero(&msg.memory, worker->run_count, sizeof *msg.offer.held);
    msg.offer.held_count = worker->run_count;
    for (uint32_t i = 0; i < worker->run_count; i++)
        msg.offer.held[i] = (struct msg_held){worker->runs[i].trial, worker->runs[i].attempt, worker->runs[i].slot,
                                              worker->runs[i].state == SIM_ENDED};
    sim_to_core(sim, index, &msg);
    msg_fini(&msg);
}

static struct msg_sample *make_samples(const struct sim *sim, struct msg *msg, const struct sim_run *run)
{
    uint32_t count = run->made - run->acked;
    struct msg_sample *samples = arena_zero(&msg->memory, count, sizeof *samples);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = run->start + run->acked + i;
        bool objective = sim_sample_is_objective(sim, run->trial, index);
        samples[i] =
            (struct msg_sample){objective ? "loss" : "other", index + 1, sim_sample_value(sim, run->trial, index), 0};
    }
    return samples;
}

/* The objective over the whole run so far; false: it was not reported. */
static bool objective(const struct sim *sim, const struct sim_run *run, double *last, double *min, double *max)
{
    bool reported = false;
    for (uint32_t i = 0; i < run->made; i++) {
        if (!sim_sample_is_objective(sim, run->trial, run->start + i))
            continue;
        *last = sim_sample_value(sim, run->trial, run->start + i);
        *min = fmin(*min, *last);
        *max = fmax(*max, *last);
        reported = true;
    }
    return reported;
}

bool sim_is_bad(const struct sim *sim, uint32_t worker)
{
    return worker && (worker == sim->profile.bad_node || worker == sim->profile.other_bad);
}

/* What fails on a bad node says the same each time, and what fails by itself something of its own. */
static void describe_failure(const struct sim *sim, uint32_t index, const struct sim_run *run, char *out, size_t size)
{
    *out = '\0';
    if (!sim->profile.bad_node || ending_state(run->ending) != TRIAL_FAILED)
        return;
    if (sim_is_bad(sim, index))
        snprintf(out, size, "the data is not there");
    else
        snprintf(out, size, "attempt %u of trial %llu fails", run->attempt, (unsigned long long)run->trial);
}

static void say_result(struct sim *sim, uint32_t index, struct sim_run *run)
{
    char detail[64];
    struct msg msg = {.kind = MSG_RESULTS};
    describe_failure(sim, index, run, detail, sizeof detail);
    double last = NAN, min = NAN, max = NAN;
    struct msg_result *result = arena_zero(&msg.memory, 1, sizeof *result);
    bool has_value = objective(sim, run, &last, &min, &max);
    struct msg_measure measure = {0, last, min, max};
    *result = (struct msg_result){.trial = run->trial,
                                  .attempt = run->attempt,
                                  .resumed = run->start,
                                  .slot = run->slot,
                                  .ending = (uint32_t)run->ending,
                                  .detail = detail,
                                  .seconds = sim->now - run->started,
                                  .measures = &measure,
                                  .measures_count = has_value,
                                  .first = run->acked,
                                  .samples = make_samples(sim, &msg, run),
                                  .samples_count = run->made - run->acked};
    if (run->node) /* the first one reports */
        result->measures_count = result->samples_count = 0;
    msg.results.results = result;
    msg.results.results_count = 1;
    run->reported = sim->now;
    sim_to_core(sim, index, &msg);
    msg_fini(&msg);
}

static void say_returned(struct sim *sim, uint32_t index, uint64_t trial, uint32_t attempt)
{
    struct msg_run_id run = {trial, attempt};
    struct msg msg = {.kind = MSG_RETURNED, .returned = {&run, 1}};
    sim_to_core(sim, index, &msg);
}

static void leave_if_done(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    if (!worker->draining || worker->run_count)
        return;
    struct msg msg = {.kind = MSG_GOODBYE, .goodbye = {.why = "done"}};
    sim_to_core(sim, index, &msg);
    worker->alive = false;
    sim_in(sim, 5, SIM_START_WORKER, index, 0); /* whoever started it starts another one if there still is work */
}

/* --- runs --- */

/* A run that crashed the trainer, ran into its limit or was refused; the same for the same attempt. */
static enum ending draw_ending(struct sim *sim, uint32_t index, const struct sim_run *run)
{
    static const enum ending bad[] = {ENDING_CRASHED, ENDING_EXITED, ENDING_DIVERGED, ENDING_TIMED_OUT,
                                      ENDING_BAD_CONFIG};
    uint64_t draw = rng_mix(rng_mix(sim->seed, run->trial), run->attempt);
    if (run->node)
        draw = rng_mix(draw, run->node);
    bool fails = (double)(draw % 1000) < 1000 * sim->profile.failing / (run->node ? 3 : 1);
    if (sim_is_bad(sim, index))
        return ENDING_EXITED;
    if (run->memory < sim_memory_needed(sim, run->trial))
        return ENDING_OUT_OF_MEMORY;
    return fails ? bad[draw / 1000 % 5] : ENDING_COMPLETED;
}

/* Steps whose samples the run does not report: those of its checkpoint, as far as they are on record. */
static uint32_t steps_behind(const struct sim *sim, const struct sim_run *run)
{
    uint32_t saved = sim->profile.early == SIM_PAUSES ? sim->checkpoint[run->trial] : 0;
    return run->known < saved ? (uint32_t)run->known : saved;
}

static void start_runs(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    bool taken[SIM_SLOTS] = {false};
    for (uint32_t i = 0; i < worker->run_count; i++)
        taken[worker->runs[i].slot] |= worker->runs[i].state == SIM_RUNNING;
    for (uint32_t i = 0; i < worker->run_count; i++) {
        struct sim_run *run = &worker->runs[i];
        if (run->state != SIM_QUEUED || taken[run->slot])
            continue;
        taken[run->slot] = true;
        run->state = SIM_RUNNING;
        run->started = sim->now;
        run->start = steps_behind(sim, run);
        run->serial = ++sim->serial;
        double seconds = sim_random(sim, sim->profile.run_seconds);
        sim_in(sim, seconds, SIM_RUN_DONE, index, run->serial);
        if (sim_chance(sim, 0.5))
            sim_in(sim, seconds * rng_unit(&sim->rng), SIM_RUN_SAMPLE, index, run->serial);
    }
    check_memory(sim, index);
}

/* How many samples the run makes until it pauses or is done: it pauses at the first step from `until` on that shows the
 * objective, unless that is the last. */
static uint32_t samples_to_make(const struct sim *sim, const struct sim_run *run)
{
    uint32_t count = sim_sample_count(sim, run->trial), step = run->start + 1;
    while (step < count && !(run->until && step >= run->until && sim_sample_is_objective(sim, run->trial, step - 1)))
        step++;
    return step - run->start;
}

/* What the trial has done is on the shared disk. */
static void save(struct sim *sim, const struct sim_run *run)
{
    if (sim->profile.early == SIM_PAUSES)
        sim->checkpoint[run->trial] = run->start + run->made;
}

static void end_run(struct sim *sim, uint32_t index, struct sim_run *run, enum ending ending)
{
    if (ending == ENDING_COMPLETED) {
        run->made = samples_to_make(sim, run);
        if (run->start + run->made < sim_sample_count(sim, run->trial))
            ending = ENDING_PAUSED;
    }
    if ((ending == ENDING_PAUSED || ending_keeps(ending)) && !run->node)
        save(sim, run);
    run->state = SIM_ENDED;
    run->ending = ending;
    sim->workers[index].failures += ending_state(ending) == TRIAL_FAILED;
    say_result(sim, index, run);
    start_runs(sim, index);
}

static struct sim_run *running(struct sim_worker *worker, uint64_t serial)
{
    for (uint32_t i = 0; i < worker->run_count; i++)
        if (worker->runs[i].serial == serial && worker->runs[i].state == SIM_RUNNING)
            return &worker->runs[i];
    return NULL;
}

bool sim_kills(const struct sim *sim, uint64_t trial)
{
    return (double)(rng_mix(sim->seed, 7 + trial) % 1000) < 1000 * sim->profile.killing;
}

void sim_worker_run_done(struct sim *sim, uint32_t index, uint64_t serial)
{
    struct sim_run *run = running(&sim->workers[index], serial);
    bool kills = run && !run->node && sim_kills(sim, run->trial);
    if (kills && sim->workers[index].alive) {
        sim->records[run->trial].killed++;
        sim_worker_kill(sim, index, ENDING_LOST);
    } else if (sim->workers[index].alive && run)
        end_run(sim, index, run, draw_ending(sim, index, run));
}

void sim_worker_sample(struct sim *sim, uint32_t index, uint64_t serial)
{
    struct sim_run *run = running(&sim->workers[index], serial);
    if (!sim->workers[index].alive || !run || run->made + 1 >= samples_to_make(sim, run))
        return;
    if (sim_is_bad(sim, index))
        return;
    if (run->node && sim_chance(sim, 0.9)) /* seldom one says what is not asked of it */
        return;
    run->made++;
    struct msg msg = {.kind = MSG_SAMPLES};
    struct msg_batch batch = {
        run->trial, run->attempt, run->start, run->acked, make_samples(sim, &msg, run), run->made - run->acked};
    msg.samples.batches = &batch;
    msg.samples.batches_count = 1;
    sim_to_core(sim, index, &msg);
    msg_fini(&msg);
    sim_in(sim, sim_random(sim, sim->profile.run_seconds / 4), SIM_RUN_SAMPLE, index, serial);
}

/* --- what it hears --- */

static void take_lease(struct sim *sim, uint32_t index, const struct msg_lease *lease)
{
    struct sim_worker *worker = &sim->workers[index];
    if (find_run(worker, lease->trial, lease->attempt))
        return;
    if (worker->draining) {
        say_returned(sim, index, lease->trial, lease->attempt);
        return;
    }
    if (worker->run_count == 512)
        sim_break(sim, "worker %u is given more leases than it can hold", index);
    MEM_GROW(worker->runs, worker->run_capacity, worker->run_count + 1);
    worker->runs[worker->run_count++] =
        (struct sim_run){.trial = lease->trial,
                         .attempt = lease->attempt,
                         .slot = lease->slot,
                         .memory = lease->memory > sim->profile.memory ? lease->memory : sim->profile.memory,
                         .node = lease->node,
                         .known = lease->known,
                         .until = lease->until,
                         .again = sim_attempt(&sim->records[lease->trial], lease->attempt)->taken++,
                         .state = SIM_QUEUED};
    start_runs(sim, index);
}

static void take_ack(struct sim *sim, uint32_t index, const struct msg_ack *ack)
{
    struct sim_worker *worker = &sim->workers[index];
    struct sim_run *run = find_run(worker, ack->trial, ack->attempt);
    if (!run)
        return;
    if (ack->samples > run->made && !run->again)
        sim_break(sim, "trial %llu attempt %u: %u samples are acknowledged, and %u were reported",
                  (unsigned long long)ack->trial, ack->attempt, ack->samples, run->made);
    if (ack->samples > run->acked && ack->samples <= run->made)
        run->acked = ack->samples;
    if (ack->ended && run->state == SIM_ENDED) {
        sim_check_ack(sim, run);
        remove_run(worker, run);
    }
}

static void take_stop(struct sim *sim, uint32_t index, const struct msg_stop_run *stop)
{
    struct sim_worker *worker = &sim->workers[index];
    struct sim_run *run = find_run(worker, stop->trial, stop->attempt);
    if (!run)
        return;
    if (run->state == SIM_QUEUED) {
        say_returned(sim, index, run->trial, run->attempt);
        remove_run(worker, run);
    } else if (run->state == SIM_RUNNING) {
        end_run(sim, index, run, (enum ending)stop->ending);
    }
}

static void take_drain(struct sim *sim, uint32_t index, bool now)
{
    struct sim_worker *worker = &sim->workers[index];
    worker->draining = true;
    for (uint32_t i = worker->run_count; i-- > 0;) {
        struct sim_run *run = &worker->runs[i];
        if (run->state == SIM_QUEUED) {
            say_returned(sim, index, run->trial, run->attempt);
            remove_run(worker, run);
        }
    }
    for (uint32_t i = 0; now && i < worker->run_count; i++)
        if (worker->runs[i].state == SIM_RUNNING)
            end_run(sim, index, &worker->runs[i], ENDING_CANCELLED);
}

void sim_worker_message(struct sim *sim, uint32_t index, const struct msg *msg)
{
    struct sim_worker *worker = &sim->workers[index];
    worker->heard = sim->now;
    switch (msg->kind) {
    case MSG_WELCOME:
        worker->welcomed = true;
        worker->draining = false; /* a new session goes on */
        say_offer(sim, index);
        break;
    case MSG_WHO:
        say_hello(sim, index);
        break;
    case MSG_REFUSED:
        worker->alive = false;
        sim_in(sim, 5, SIM_START_WORKER, index, 0);
        break;
    case MSG_LEASES:
        for (uint32_t i = 0; i < msg->leases.leases_count; i++)
            take_lease(sim, index, &msg->leases.leases[i]);
        break;
    case MSG_ACKS:
        for (uint32_t i = 0; i < msg->acks.acks_count; i++)
            take_ack(sim, index, &msg->acks.acks[i]);
        break;
    case MSG_STOP_RUN:
        take_stop(sim, index, &msg->stop_run);
        break;
    case MSG_DRAIN:
        take_drain(sim, index, msg->drain.now);
        break;
    case MSG_HEARD:
        break;
    default:
        sim_break(sim, "the core sends a worker %s", msg_kind_name(msg->kind));
    }
    leave_if_done(sim, index);
}

/* --- what it does by itself --- */

static void give_back_queued(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    for (uint32_t i = worker->run_count; i-- > 0;) {
        struct sim_run *run = &worker->runs[i];
        if (run->state != SIM_QUEUED || !sim_chance(sim, 0.3))
            continue;
        say_returned(sim, index, run->trial, run->attempt);
        remove_run(worker, run);
    }
}

static void say_heartbeat(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    struct msg msg = {.kind = MSG_HEARTBEAT};
    msg.heartbeat.held = arena_zero(&msg.memory, worker->run_count, sizeof *msg.heartbeat.held);
    msg.heartbeat.held_count = worker->run_count;
    for (uint32_t i = 0; i < worker->run_count; i++)
        msg.heartbeat.held[i] = (struct msg_run_id){worker->runs[i].trial, worker->runs[i].attempt};
    sim_to_core(sim, index, &msg);
    msg_fini(&msg);
}

void sim_worker_heartbeat(struct sim *sim, uint32_t index, uint64_t id)
{
    struct sim_worker *worker = &sim->workers[index];
    if (!worker->alive || worker->id != id)
        return;
    if (!worker->welcomed || sim->now - worker->heard > sim->config.suspect)
        say_hello(sim, index);
    else
        say_heartbeat(sim, index);
    for (uint32_t i = 0; i < worker->run_count; i++)
        if (worker->runs[i].state == SIM_ENDED && sim->now - worker->runs[i].reported > 5)
            say_result(sim, index, &worker->runs[i]);
    give_back_queued(sim, index);
    leave_if_done(sim, index);
    sim_in(sim, sim->config.heartbeat, SIM_HEARTBEAT, index, id);
}

void sim_worker_start(struct sim *sim, uint32_t index)
{
    struct sim_worker *worker = &sim->workers[index];
    *worker = (struct sim_worker){.id = ++sim->serial,
                                  .alive = true,
                                  .heard = sim->now,
                                  .failures = worker->failures,
                                  .aside = worker->aside,
                                  .runs = worker->runs,
                                  .run_capacity = worker->run_capacity};
    sim_bind(sim, index);
    sim_job_start(sim, index);
    say_hello(sim, index);
    sim_in(sim, sim->config.heartbeat, SIM_HEARTBEAT, index, worker->id);
}
