/* A stranger: connects, and says whatever comes to its mind, in well-formed messages; see sim.h. It is believed like
 * any worker for what it was given, and for nothing else. (Where it tells a value, it is the right one: it could lie
 * about its own trials.) Now and then it says what lies beyond a limit, and is set aside. */
#include "tests/sim/sim.h"
#include "tests/test_metrics.h"

#include <math.h>

static uint64_t up_to(struct sim *sim, uint64_t most)
{
    return rng_below(&sim->rng, most + 1);
}

static uint64_t some_trial(struct sim *sim)
{
    return sim_chance(sim, 0.1) ? 1 + rng_next(&sim->rng) % (1u << 31) : 1 + up_to(sim, sim->profile.trials);
}

static uint32_t some_attempt(struct sim *sim)
{
    return sim_chance(sim, 0.01) ? 0 : 1 + (uint32_t)up_to(sim, 3);
}

static void fill_offer(struct sim *sim, struct msg *msg)
{
    uint32_t slots = (uint32_t)(!sim_chance(sim, 0.02) + up_to(sim, SIM_SLOTS - 1)), held = (uint32_t)up_to(sim, 4);
    msg->offer.credit = (uint32_t)up_to(sim, sim->profile.credit);
    msg->offer.slots = arena_zero(&msg->memory, slots, sizeof *msg->offer.slots);
    msg->offer.slots_count = slots;
    for (uint32_t i = 0; i < slots; i++)
        msg->offer.slots[i] =
            (struct msg_slot){.index = sim_chance(sim, 0.01) ? 7 : i, .cpus = "", .numa = "", .gpus = ""};
    msg->offer.held = arena_zero(&msg->memory, held, sizeof *msg->offer.held);
    msg->offer.held_count = held;
    for (uint32_t i = 0; i < held; i++)
        msg->offer.held[i] =
            (struct msg_held){some_trial(sim), some_attempt(sim), (uint32_t)up_to(sim, 4), sim_chance(sim, 0.5)};
}

static void fill_results(struct sim *sim, struct msg *msg)
{
    uint32_t count = (uint32_t)up_to(sim, 5);
    msg->results.results = arena_zero(&msg->memory, count, sizeof *msg->results.results);
    msg->results.results_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct msg_result *result = &msg->results.results[i];
        uint64_t trial = some_trial(sim);
        double value = sim_whole_value(sim, trial);
        *result = (struct msg_result){.trial = trial,
                                      .attempt = some_attempt(sim),
                                      .slot = (uint32_t)up_to(sim, 9),
                                      .ending = (uint32_t)up_to(sim, ENDINGS_COUNT + 3),
                                      .seconds = sim_chance(sim, 0.01) ? NAN : -1,
                                      .first = (uint32_t)up_to(sim, 3)};
        decided_add(result, sim_chance(sim, 0.1) ? 7 : 0, sim_chance(sim, 0.8) ? value : NAN);
        result->phases = arena_zero(&msg->memory, 1, sizeof *result->phases);
        *result->phases = (struct msg_phase){
            .phase = (uint32_t)up_to(sim, 20), .seconds = 1e9, .count = up_to(sim, 2), .min = -1, .p50 = NAN};
        result->phases_count = 1;
    }
}

static void fill_runs(struct sim *sim, struct msg *msg, struct msg_run_id **runs, uint32_t *count)
{
    *count = (uint32_t)up_to(sim, 5);
    *runs = arena_zero(&msg->memory, *count, sizeof **runs);
    for (uint32_t i = 0; i < *count; i++)
        (*runs)[i] = (struct msg_run_id){some_trial(sim), some_attempt(sim)};
}

static void fill_samples(struct sim *sim, struct msg *msg)
{
    msg->samples.batches = arena_zero(&msg->memory, 1, sizeof *msg->samples.batches);
    msg->samples.batches_count = 1;
    *msg->samples.batches = (struct msg_batch){.trial = some_trial(sim), .attempt = some_attempt(sim)};
}

void sim_stranger(struct sim *sim)
{
    static const enum msg_kind kinds[] = {MSG_HELLO,   MSG_OFFER,     MSG_RETURNED, MSG_SAMPLES, MSG_RESULTS,
                                          MSG_RESULTS, MSG_HEARTBEAT, MSG_GOODBYE,  MSG_WELCOME, MSG_RUN};
    uint64_t peer = 1000000007 + up_to(sim, 30);
    struct msg msg = {.kind = kinds[up_to(sim, sizeof kinds / sizeof *kinds - 1)]};
    switch (msg.kind) {
    case MSG_HELLO:
        msg.hello = (struct msg_hello){.worker = up_to(sim, 30) * 1000000007, .node = "stranger"};
        break;
    case MSG_OFFER:
        fill_offer(sim, &msg);
        break;
    case MSG_RETURNED:
        fill_runs(sim, &msg, &msg.returned.runs, &msg.returned.runs_count);
        break;
    case MSG_HEARTBEAT:
        fill_runs(sim, &msg, &msg.heartbeat.held, &msg.heartbeat.held_count);
        break;
    case MSG_SAMPLES:
        fill_samples(sim, &msg);
        break;
    case MSG_RESULTS:
        fill_results(sim, &msg);
        break;
    default:
        break;
    }
    struct buf bytes = {0};
    msg_encode(&msg, &bytes);
    msg_fini(&msg);
    if (!msg_decode(&msg, bytes.data, bytes.length, NULL)) {
        sim_trace(sim, "stranger says, as peer", peer, &msg);
        core_message(sim->core, sim->now, peer, &msg);
        msg_fini(&msg);
    }
    buf_fini(&bytes);
}
