/* What inputs of the core cost, counted; see scheduler/core/counters.h. The simulator (tests/sim) does the same with
 * 10,000 workers.
 */
#include "scheduler/core/counters.h"
#include "tests/core_fixture.h"

#include <math.h>
#include <stdio.h>

enum { WORKERS = 40, WAITING = 300, KNOWN_RUNS = 40 };

/* A worker that is a job of its own, which ends in so many seconds; infinite: it is not said. */
static void join(struct fixture *b, uint64_t worker, double seconds)
{
    struct msg_slot slot = {.cpus = "", .numa = "", .gpus = ""};
    uint32_t job = (uint32_t)(100 + worker);
    struct msg hello = {
        .kind = MSG_HELLO,
        .hello = {.worker = worker, .node = "n1", .job = isinf(seconds) ? 0 : job, .element = NODE_NO_ELEMENT}};
    fixture_say(b, worker, &hello);
    if (isfinite(seconds))
        core_job_ends(b->core, b->now, (struct node_job){job, NODE_NO_ELEMENT}, b->now + seconds);
    fixture_say(b, worker, &(struct msg){.kind = MSG_OFFER, .offer = {.slots = &slot, .slots_count = 1}});
}

static void beat(struct fixture *b, uint64_t worker)
{
    fixture_say(b, worker, &(struct msg){.kind = MSG_HEARTBEAT});
}

static void write_params(char *out, size_t size, int number)
{
    snprintf(out, size, "{\"x\": %d, \"kind\": \"%s\"}", number % 7, number % 2 ? "a" : "b");
}

/* A core that remembers trials that wait, and that trials ran for a time that depends on their parameters. */
static void start_with_queue(struct fixture *b)
{
    char params[64];
    struct memory memory = {.next_trial = WAITING + 1, .session = 1};
    memory.trials = arena_zero(&memory.arena, WAITING, sizeof *memory.trials);
    memory.durations = arena_zero(&memory.arena, KNOWN_RUNS, sizeof *memory.durations);
    for (int i = 0; i < WAITING; i++) {
        write_params(params, sizeof params, i);
        memory.trials[memory.trial_count++] =
            (struct memory_trial){.trial = (uint64_t)i + 1, .params = arena_text(&memory.arena, params)};
    }
    for (int i = 0; i < KNOWN_RUNS; i++) {
        write_params(params, sizeof params, i);
        memory.durations[memory.duration_count++] =
            (struct memory_duration){arena_text(&memory.arena, params), 500 + 100 * (i % 7)};
    }
    b->config.max_trials = WAITING;
    b->config.warn = 10;
    fixture_start_from(b, &memory);
    memory_fini(&memory);
}

/* Takes what the core wants done and forgets it; how much that was. */
static size_t drop_outputs(struct core *core)
{
    struct output output;
    size_t count = 0;
    for (; core_next(core, &output); count++)
        output_fini(&output);
    return count;
}

static void what_is_left_over_of_a_tick_goes_on_though_a_message_comes(void **state)
{
    enum { MANY = 5000, STRANGER = 1000000 };
    struct fixture *b = *state;
    b->core = core_create(&b->config, &(struct memory){.next_trial = 1}, b->now);
    for (uint64_t i = 1; i <= MANY; i++) {
        core_message(b->core, b->now, i, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = i, .node = "n1"}});
        drop_outputs(b->core);
    }
    b->now += b->config.lost + 1; /* all of them are lost, in turns of some thousand outputs */
    core_tick(b->core, b->now);
    assert_in_range(drop_outputs(b->core), 1, MANY / 2);
    int turns = 0;
    for (bool due = true; due && turns < 100; turns++) {
        core_message(b->core, b->now, STRANGER, &(struct msg){.kind = MSG_HEARTBEAT});
        drop_outputs(b->core);
        due = core_wake(b->core) <= b->now;
        if (due)
            core_tick(b->core, b->now);
        drop_outputs(b->core);
    }
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.worker_count, 0);
    snapshot_fini(&now);
    assert_in_range(turns, 2, 20); /* and then it is done with it */
}

static void a_heartbeat_looks_at_few_of_what_waits(void **state)
{
    struct fixture *b = *state;
    start_with_queue(b);
    join(b, 1, INFINITY); /* one that runs, so that the search goes on */
    for (uint64_t i = 2; i <= WORKERS; i++)
        join(b, i, 200);
    struct snapshot stands = fixture_stand(b);
    assert_int_equal(stands.busy, 1);
    assert_int_equal(stands.trials[TRIAL_WAITING], WAITING - 1);
    snapshot_fini(&stands);
    for (int i = 0; i < 5; i++)
        beat(b, 2); /* all predictions are made by then */
    struct core_counters before = *core_counters(b->core);
    for (uint64_t i = 2; i <= WORKERS; i++)
        beat(b, i);
    const struct core_counters *now = core_counters(b->core);
    assert_int_equal(now->inputs - before.inputs, WORKERS - 1);
    assert_true(now->visits - before.visits <= 40 * (WORKERS - 1));
    assert_int_equal(now->predictions, before.predictions);
    assert_int_equal(now->readings, before.readings);
    assert_int_equal(now->looks, before.looks);
}

static void parameters_are_read_once(void **state)
{
    struct fixture *b = *state;
    start_with_queue(b);
    core_deadline(b->core, b->now, b->now + 100);
    for (int i = 0; i < 20; i++) {
        core_deadline(b->core, b->now, b->now + 100 + i);
        fixture_wait(b, 1);
    }
    assert_int_equal(core_counters(b->core)->readings, WAITING);
    assert_int_equal(core_counters(b->core)->predictions, WAITING);
}

static void all_that_fell_silent_are_lost_in_one_tick(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = WORKERS;
    fixture_start(b);
    for (uint64_t i = 1; i <= WORKERS; i++)
        fixture_join(b, i, i, 1, 0);
    fixture_wait(b, b->config.lost + 1);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), WORKERS);
    assert_int_equal(core_counters(b->core)->lost, WORKERS);
}

static void those_that_stay_are_looked_after_when_others_are_lost(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = WORKERS;
    b->config.warn = 10;
    fixture_start(b);
    for (uint64_t i = 1; i <= WORKERS; i++)
        join(b, i, b->config.lost + 5); /* near the end of their jobs when they are looked at */
    b->now += b->config.lost - 1;
    beat(b, 1);
    beat(b, 2);
    fixture_wait(b, 2);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), WORKERS - 2);
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 2);
}

/* --- very many at once --- */

/* More workers than the outputs of one turn. A turn is about as much again when many are sent something. */
enum { CROWD = 3000, MOST_OUTPUTS = 2 * 1024 + 16 };

/* A core whose outputs are taken turn by turn, and counted by their kind; it is told the time, but no time passes. */
struct crowd {
    struct fixture *b;
    uint64_t turns;
    uint64_t most; /* outputs of a turn */
    uint64_t outputs[OUTPUT_ENDED + 1], events, sent_of_kind[MSG_KINDS];
    bool told_after_end;
};

static void count_output(struct crowd *crowd, const struct output *output)
{
    struct msg msg;
    crowd->outputs[output->kind]++;
    if (output->kind == OUTPUT_STORE)
        crowd->events = output->event.number;
    crowd->told_after_end |= output->kind == OUTPUT_TELL && crowd->outputs[OUTPUT_ENDED];
    if (output->kind != OUTPUT_SEND)
        return;
    assert_int_equal(msg_decode(&msg, output->bytes.data, output->bytes.length, NULL), 0);
    crowd->sent_of_kind[msg.kind]++;
    msg_fini(&msg);
}

static void take_turn(struct crowd *crowd)
{
    struct output output;
    uint64_t count = 0;
    for (; core_next(crowd->b->core, &output); count++) {
        count_output(crowd, &output);
        output_fini(&output);
    }
    crowd->turns++;
    crowd->most = count > crowd->most ? count : crowd->most;
}

/* This turn, and those that the core wants without a wait. */
static void take_turns(struct crowd *crowd)
{
    crowd->turns = crowd->most = 0;
    take_turn(crowd);
    while (core_wake(crowd->b->core) <= crowd->b->now) {
        core_tick(crowd->b->core, crowd->b->now);
        take_turn(crowd);
    }
}

static void commit_all(struct crowd *crowd)
{
    core_committed(crowd->b->core, crowd->b->now, crowd->events);
    take_turns(crowd);
    assert_true(crowd->most <= MOST_OUTPUTS);
}

static void say(struct crowd *crowd, uint64_t peer, const struct msg *msg)
{
    core_message(crowd->b->core, crowd->b->now, peer, msg);
    take_turns(crowd);
}

/* All workers are there, and all trials: on their way to the disk. */
static void gather(struct crowd *crowd, struct fixture *b)
{
    struct msg_slot slot = {.cpus = "", .numa = "", .gpus = ""};
    struct msg hello = {.kind = MSG_HELLO, .hello = {.node = "n1", .element = NODE_NO_ELEMENT}};
    struct msg offer = {.kind = MSG_OFFER, .offer = {.slots = &slot, .slots_count = 1}};
    *crowd = (struct crowd){.b = b};
    b->config.max_trials = b->config.ready_limit = CROWD;
    b->config.ask_far_ahead = true;
    b->core = core_create(&b->config, &(struct memory){.next_trial = 1}, b->now);
    take_turns(crowd);
    for (uint64_t id = 1; id <= CROWD; id++) {
        hello.hello.worker = id;
        say(crowd, id, &hello);
        say(crowd, id, &offer);
    }
    for (uint64_t trial = 1; trial <= CROWD; trial++) {
        core_proposal(b->core, b->now, trial, &(struct event_proposed){.params = "{}", .fingerprint = trial});
        take_turns(crowd);
    }
}

static void end_all(struct crowd *crowd, enum ending ending)
{
    for (uint64_t i = 1; i <= CROWD; i++) {
        struct msg_result result = {.trial = i, .attempt = 1, .ending = ending};
        say(crowd, i, &(struct msg){.kind = MSG_RESULTS, .results = {.results = &result, .results_count = 1}});
    }
}

/* New trials are leased as they come; those that are tried again wait until that is on disk. */
static void very_many_trials_are_granted_over_several_turns_without_a_wait(void **state)
{
    struct crowd crowd;
    gather(&crowd, *state);
    commit_all(&crowd);
    assert_int_equal(crowd.sent_of_kind[MSG_LEASES], CROWD);
    assert_in_range(crowd.turns, CROWD / MOST_OUTPUTS, 20);
    end_all(&crowd, ENDING_CRASHED);
    uint64_t before = crowd.outputs[OUTPUT_STORE];
    commit_all(&crowd);
    assert_int_equal(crowd.outputs[OUTPUT_STORE] - before, CROWD);
    assert_in_range(crowd.turns, CROWD / MOST_OUTPUTS, 20);
    commit_all(&crowd);
    assert_int_equal(crowd.sent_of_kind[MSG_LEASES], 2 * CROWD);
    assert_in_range(crowd.turns, CROWD / MOST_OUTPUTS, 20);
}

static void very_many_that_fall_silent_are_lost_over_several_turns_without_a_wait(void **state)
{
    struct crowd crowd;
    struct fixture *b = *state;
    gather(&crowd, b);
    commit_all(&crowd);
    commit_all(&crowd);
    b->now += b->config.lost + 1;
    core_tick(b->core, b->now);
    take_turns(&crowd);
    assert_true(crowd.most <= MOST_OUTPUTS);
    assert_true(crowd.turns > 3 * CROWD / MOST_OUTPUTS);
    assert_int_equal(core_counters(b->core)->lost, CROWD);
    commit_all(&crowd); /* the trials wait again */
    struct snapshot stands = fixture_stand(b);
    assert_int_equal(stands.trials[TRIAL_WAITING], CROWD);
    assert_int_equal(stands.worker_count, 0);
    snapshot_fini(&stands);
}

static void very_many_ends_are_told_before_the_end_of_all(void **state)
{
    struct crowd crowd;
    struct fixture *b = *state;
    b->config.retries = 0;
    gather(&crowd, b);
    commit_all(&crowd);
    commit_all(&crowd);
    end_all(&crowd, ENDING_CRASHED);
    while (!crowd.outputs[OUTPUT_ENDED] && !crowd.told_after_end)
        commit_all(&crowd);
    assert_int_equal(crowd.outputs[OUTPUT_TELL], CROWD);
    assert_false(crowd.told_after_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(what_is_left_over_of_a_tick_goes_on_though_a_message_comes),
        FIXTURE_CLAIM(a_heartbeat_looks_at_few_of_what_waits),
        FIXTURE_CLAIM(parameters_are_read_once),
        FIXTURE_CLAIM(all_that_fell_silent_are_lost_in_one_tick),
        FIXTURE_CLAIM(very_many_trials_are_granted_over_several_turns_without_a_wait),
        FIXTURE_CLAIM(very_many_that_fall_silent_are_lost_over_several_turns_without_a_wait),
        FIXTURE_CLAIM(very_many_ends_are_told_before_the_end_of_all),
        FIXTURE_CLAIM(those_that_stay_are_looked_after_when_others_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
