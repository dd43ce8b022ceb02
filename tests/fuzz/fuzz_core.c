/* Sequences of inputs into the coordinator's core: each byte, or a few, are what comes next - messages of strangers
 * within their limits, ticks, commits, deaths of workers and connections, commands of a person. After each the books of
 * the core are checked as the simulator does (tests/sim/check.c), and at last what it left behind: whatever came, a
 * drained experiment whose workers are dead ends.
 *
 * The first byte says how the experiment is set up. A message is made of the bytes that follow, so small changes of the
 * input are small changes of what is said. */
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/demand.h"
#include "scheduler/core/snapshot.h"
#include "tests/sim/sim.h"
#include "tests/test_metrics.h"
#include "tests/fuzz_seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TRIALS = 12, CREDIT = 1024, PAUSE_STEP = 3, MOST_INPUTS = 400 };

/* What is left of the input. */
struct input {
    const uint8_t *at, *end;
};

static uint32_t take(struct input *input, uint32_t count)
{
    return input->at < input->end ? *input->at++ % count : 0;
}

/* A core, and around it a disk and a strategy that do as the input says. */
struct world {
    struct sim sim; /* for the checks */
    uint64_t emitted, asked[64];
    uint32_t ask_count;
    uint8_t paused[TRIALS + 2]; /* early stopping: 1: said pause of it, 2: said so, and that it goes on */
    bool ended;
};

static void require(const struct world *world, bool good, const char *what)
{
    if (good && !*world->sim.broken)
        return;
    fprintf(stderr, "fuzz_core: %s\n", *world->sim.broken ? world->sim.broken : what);
    abort();
}

/* --- early stopping that pauses even trials at step 3, and stops those with a value below 0 --- */

static uint64_t until(void *context, uint64_t trial)
{
    struct world *world = context;
    return trial <= TRIALS && trial % 2 == 0 && world->paused[trial] < 2 ? PAUSE_STEP : 0;
}

static uint64_t max_steps(void *context)
{
    (void)context;
    return 0;
}

static void sample(void *context, uint64_t trial, uint64_t step, const double *values, struct early_stop_decision *out)
{
    struct world *world = context;
    *out = (struct early_stop_decision){.action = values[0] < 0 ? EARLY_STOP_STOP : EARLY_STOP_GO_ON,
                                        .rung = step == PAUSE_STEP};
    if (until(world, trial) && step >= PAUSE_STEP && values[0] >= 0) {
        out->action = EARLY_STOP_PAUSE;
        world->paused[trial] = 1;
    }
}

static bool next(void *context, bool last, struct early_stop_move *out)
{
    struct world *world = context;
    for (uint64_t trial = 1; trial <= TRIALS; trial++)
        if (world->paused[trial] == 1) {
            *out = (struct early_stop_move){.trial = trial, .resume = !last && trial % 4 == 0};
            return true;
        }
    return false;
}

static void resumed(void *context, uint64_t trial)
{
    ((struct world *)context)->paused[trial] = 2;
}

static void trial_ended(void *context, uint64_t trial, enum ending ending)
{
    (void)ending;
    if (trial <= TRIALS)
        ((struct world *)context)->paused[trial] = 2;
}

/* --- what comes out --- */

static void take_output(struct world *world, struct output *output)
{
    struct err err;
    struct msg msg;
    switch (output->kind) {
    case OUTPUT_SEND:
        require(world, msg_decode(&msg, output->bytes.data, output->bytes.length, &err) == 0, "it sends no message");
        msg_fini(&msg);
        break;
    case OUTPUT_STORE:
        require(world, output->event.number == ++world->emitted, "an event is missing");
        break;
    case OUTPUT_ASK:
        world->asked[world->ask_count++ % 64] = output->trial;
        break;
    case OUTPUT_ENDED:
        require(world, !world->ended, "it ends twice");
        world->ended = true;
        break;
    default:
        break;
    }
}

static void take_outputs(struct world *world)
{
    struct output output;
    for (int turn = 0; turn < 64; turn++) {
        while (core_next(world->sim.core, &output)) {
            take_output(world, &output);
            output_fini(&output);
        }
        if (!world->sim.core->backlog)
            return;
        core_tick(world->sim.core, world->sim.now); /* what is left over of this input */
    }
    require(world, false, "the core has more and more to do");
}

static void answer(struct world *world, uint32_t count)
{
    while (world->ask_count && count--) {
        uint64_t trial = world->asked[0];
        memmove(world->asked, world->asked + 1, --world->ask_count * sizeof *world->asked);
        core_proposal(world->sim.core, world->sim.now, trial, &(struct event_proposed){.params = "{\"x\": 1}"});
        take_outputs(world);
    }
}

/* --- what goes in --- */

static void fill_run(struct input *input, struct msg_run_id *run)
{
    *run = (struct msg_run_id){1 + take(input, TRIALS + 2), 1 + take(input, 4)};
}

static struct msg_sample *make_samples(struct input *input, struct arena *memory, uint32_t *count)
{
    static const double values[] = {0.5, -1, NAN, INFINITY, 1e300, 0};
    static const char *const names[] = {"loss", "accuracy", "memory", "other"};
    *count = take(input, 5);
    struct msg_sample *samples = arena_zero(memory, *count, sizeof *samples);
    for (uint32_t i = 0; i < *count; i++)
        samples[i] = (struct msg_sample){names[take(input, 4)], take(input, 6), values[take(input, 6)], 1};
    return samples;
}

static void fill_result(struct input *input, struct arena *memory, struct msg_result *result)
{
    static const double seconds[] = {1, 0, -1, 1e9};
    struct msg_run_id run;
    fill_run(input, &run);
    *result = (struct msg_result){.trial = run.trial,
                                  .attempt = run.attempt,
                                  .slot = take(input, 8),
                                  .ending = take(input, ENDINGS_COUNT + 2),
                                  .detail = "",
                                  .tail = "",
                                  .resumed = take(input, 6),
                                  .seconds = seconds[take(input, 4)],
                                  .first = take(input, 4)};
    result->samples = make_samples(input, memory, &result->samples_count);
    decided_add(result, take(input, 4), take(input, 3) - 1.0);
}

static void fill_offer(struct input *input, struct msg *msg)
{
    uint32_t slots = 1 + take(input, 5), held = take(input, 4);
    msg->offer.credit = take(input, 4);
    msg->offer.slots = arena_zero(&msg->memory, slots, sizeof *msg->offer.slots);
    msg->offer.slots_count = slots;
    for (uint32_t i = 0; i < slots; i++)
        msg->offer.slots[i] = (struct msg_slot){.index = i, .cpus = "", .numa = "", .gpus = ""};
    msg->offer.held = arena_zero(&msg->memory, held, sizeof *msg->offer.held);
    msg->offer.held_count = held;
    for (uint32_t i = 0; i < held; i++) {
        struct msg_run_id run;
        fill_run(input, &run);
        msg->offer.held[i] = (struct msg_held){run.trial, run.attempt, take(input, 8), take(input, 2) == 1};
    }
}

static struct msg_run_id *make_runs(struct input *input, struct arena *memory, uint32_t *count)
{
    *count = take(input, 5);
    struct msg_run_id *runs = arena_zero(memory, *count, sizeof *runs);
    for (uint32_t i = 0; i < *count; i++)
        fill_run(input, &runs[i]);
    return runs;
}

static void fill_samples(struct input *input, struct msg *msg)
{
    struct msg_batch *batch = msg->samples.batches = arena_zero(&msg->memory, 1, sizeof *batch);
    struct msg_run_id run;
    msg->samples.batches_count = 1;
    fill_run(input, &run);
    *batch = (struct msg_batch){
        .trial = run.trial, .attempt = run.attempt, .resumed = take(input, 6), .first = take(input, 6)};
    batch->samples = make_samples(input, &msg->memory, &batch->samples_count);
}

static void fill_message(struct input *input, struct msg *msg)
{
    static const enum msg_kind kinds[] = {MSG_HELLO,     MSG_OFFER,   MSG_RETURNED, MSG_SAMPLES, MSG_RESULTS,
                                          MSG_HEARTBEAT, MSG_GOODBYE, MSG_WELCOME,  MSG_PORT};
    *msg = (struct msg){.kind = kinds[take(input, 9)]};
    switch (msg->kind) {
    case MSG_HELLO:
        msg->hello = (struct msg_hello){.worker = 1 + take(input, 4), .pid = 1};
        msg->hello.node = msg->hello.worker % 2 ? "stranger" : "other";
        msg->hello.job = take(input, 3);
        msg->hello.element = take(input, 2) ? NODE_NO_ELEMENT : 1;
        break;
    case MSG_OFFER:
        fill_offer(input, msg);
        break;
    case MSG_RETURNED:
        msg->returned.runs = make_runs(input, &msg->memory, &msg->returned.runs_count);
        break;
    case MSG_SAMPLES:
        fill_samples(input, msg);
        break;
    case MSG_RESULTS:
        msg->results.results = arena_zero(&msg->memory, 1, sizeof *msg->results.results);
        msg->results.results_count = 1;
        fill_result(input, &msg->memory, msg->results.results);
        break;
    case MSG_HEARTBEAT:
        msg->heartbeat.held = make_runs(input, &msg->memory, &msg->heartbeat.held_count);
        break;
    case MSG_GOODBYE:
        msg->goodbye = (struct msg_goodbye){.why = "", .idle = take(input, 2) == 1};
        break;
    case MSG_PORT:
        msg->port = (struct msg_port){take(input, 8), 1 + take(input, 200)};
        break;
    default:
        break;
    }
}

static void say_something(struct world *world, struct input *input)
{
    struct msg msg;
    uint64_t peer = 1 + take(input, 4);
    fill_message(input, &msg);
    core_message(world->sim.core, world->sim.now, peer, &msg);
    msg_fini(&msg);
}

/* A message of any bytes, as the coordinator decodes it. */
static void say_bytes(struct world *world, struct input *input)
{
    struct msg msg;
    size_t length = take(input, 256), left = (size_t)(input->end - input->at);
    length = length < left ? length : left;
    if (msg_decode(&msg, input->at, length, NULL) == 0) {
        core_message(world->sim.core, world->sim.now, 1 + take(input, 4), &msg);
        msg_fini(&msg);
    }
    input->at += length;
}

static void commit(struct world *world, uint32_t back)
{
    core_committed(world->sim.core, world->sim.now, world->emitted - (back < world->emitted ? back : 0));
}

static void pass_time(struct world *world, uint32_t which)
{
    static const double seconds[] = {0, 0.01, 0.5, 1, 3, 11, 30, 61};
    world->sim.now += seconds[which];
    core_tick(world->sim.core, world->sim.now);
}

static void order(struct world *world, struct input *input)
{
    struct core *core = world->sim.core;
    double now = world->sim.now;
    static const enum reason reasons[] = {REASON_STOPPED, REASON_INTERRUPTED};
    switch (take(input, 8)) {
    case 0:
        core_drain(core, now, REASON_STOPPED);
        break;
    case 1:
        core_stop(core, now, reasons[take(input, 2)]);
        break;
    case 2:
        core_leave(core, now, take(input, 2) ? REASON_PREEMPTED : REASON_WALLTIME);
        break;
    case 3:
        core_no_more(core, now);
        world->ask_count = 0;
        break;
    case 4:
        core_deadline(core, now, now + take(input, 200));
        break;
    case 5:
        core_job_ends(core, now, (struct node_job){take(input, 3), NODE_NO_ELEMENT}, now + take(input, 200));
        break;
    case 6:
        core_job(core, now,
                 &(struct job_facts){.job = take(input, 3),
                                     .element = NODE_NO_ELEMENT,
                                     .state = take(input, 2) ? "timeout" : "running"});
        break;
    default:
        core_cancel_trial(core, now, take(input, TRIALS + 2), NULL);
    }
}

static void step(struct world *world, struct input *input)
{
    struct core *core = world->sim.core;
    switch (take(input, 16)) {
    case 0:
        commit(world, take(input, 8));
        break;
    case 1:
        pass_time(world, take(input, 8));
        break;
    case 2:
        answer(world, 1 + take(input, 8));
        break;
    case 3:
        core_peer_gone(core, world->sim.now, 1 + take(input, 4));
        break;
    case 4:
        core_worker_dead(core, world->sim.now, 1 + take(input, 4), ENDING_LOST, "killed");
        break;
    case 5:
        order(world, input);
        break;
    case 6:
        say_bytes(world, input);
        break;
    default:
        say_something(world, input);
    }
}

/* --- a whole one --- */

static void look_at(struct world *world)
{
    struct snapshot snapshot;
    struct demand demand;
    core_snapshot(world->sim.core, world->sim.now, &snapshot);
    snapshot_fini(&snapshot);
    core_demand(world->sim.core, &demand);
    demand_fini(&demand);
    sim_check_core(&world->sim);
    require(world, true, "");
}

/* Everything is committed, the workers die, and the experiment is stopped. */
static void end(struct world *world)
{
    struct core *core = world->sim.core;
    core_stop(core, world->sim.now, REASON_STOPPED);
    for (int i = 0; i < 40 && !world->ended; i++) {
        take_outputs(world);
        commit(world, 0);
        answer(world, 64);
        core_workers_dead(core, world->sim.now, &(struct worker_sign){.job.element = NODE_NO_ELEMENT}, ENDING_LOST, "");
        pass_time(world, 7);
    }
    take_outputs(world);
    look_at(world);
    require(world, world->ended, "it does not end");
}

static void set_up(struct world *world, uint32_t how)
{
    static const struct early_stop early = {NULL, until, max_steps, sample, next, resumed, trial_ended};
    static const struct metrics *const judged[] = {&metrics_min, &metrics_max, &metrics_best, &metrics_three};
    static struct early_stop mine;
    struct core_config config;
    mine = early;
    mine.context = world;
    core_config_defaults(&config);
    config.task = "{}";
    config.metrics = *judged[how / 4 % 4];
    config.max_trials = how & 16 ? 0 : TRIALS;
    config.retries = how / 32 % 2;
    config.can_continue = how & 1;
    config.early_stop = how & 2 ? &mine : NULL;
    config.trial_time = how & 64 ? 20 : 0;
    config.max_concurrent = how & 128 ? 2 : 0;
    config.ready_limit = 4;
    config.nodes = how % 3 ? 1 : 2;
    world->sim.profile.credit = CREDIT;
    world->sim.now = 100;
    world->sim.deadline = INFINITY;
    world->sim.core = core_create(&config, &(struct memory){.next_trial = 1}, world->sim.now);
    take_outputs(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {0};
    struct input input = {data, data + size};
    set_up(&world, take(&input, 256));
    for (int i = 0; i < MOST_INPUTS && input.at < input.end && !world.ended; i++) {
        step(&world, &input);
        take_outputs(&world);
        look_at(&world);
    }
    end(&world);
    core_destroy(world.sim.core);
    return 0;
}

/* A worker that says HELLO and OFFER, then a run with samples and a result. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    static const uint8_t seeds[][48] = {
        {0, 2, 7, 7, 0, 0, 0, 0, 1, 7, 0, 1, 0, 0, 0, 0, 0, 0, 7, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {3, 2, 7, 7, 0, 0, 0, 0, 1, 7, 0, 1, 3, 0, 2, 0, 0, 0, 0, 7, 0, 3, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1, 5},
    };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char *name = mem_format("%zu", i);
        fuzz_seed(name, seeds[i], sizeof seeds[i]);
        free(name);
    }
    return 0;
}
