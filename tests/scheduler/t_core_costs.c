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

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_heartbeat_looks_at_few_of_what_waits),
        FIXTURE_CLAIM(parameters_are_read_once),
        FIXTURE_CLAIM(all_that_fell_silent_are_lost_in_one_tick),
        FIXTURE_CLAIM(those_that_stay_are_looked_after_when_others_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
