/* Trials of several nodes after a restart of the coordinator, and how limits count them. */
#include "tests/core_gangs.h"
#include "scheduler/core/demand.h"

#include <math.h>

/* --- after a restart --- */

static struct memory_part part_b = {.node = 1, .worker = 2, .host = "b"};

static struct memory_run both_runs[] = {{1, 1, 0}, {1, 2, 1}};

static struct memory_trial on_two = {.trial = 1,
                                     .params = "{}",
                                     .attempts = 1,
                                     .running = true,
                                     .attempt = 1,
                                     .worker = 1,
                                     .parts = &part_b,
                                     .part_count = 1,
                                     .runs = both_runs,
                                     .run_count = 2,
                                     .highest = -1};

static void go_on(struct fixture *b, struct memory_part *part)
{
    b->config.nodes = 2;
    on_two.parts = part;
    struct memory memory = {.session = 1, .next_trial = 2, .trials = &on_two, .trial_count = 1};
    fixture_start_from(b, &memory);
}

static struct msg_held held = {1, 1, 0, false};

static void a_restarted_coordinator_takes_all_parts_back(void **state)
{
    struct fixture *b = *state;
    go_on(b, &part_b);
    fixture_join_on(b, "a", 1, 1, &held, 1);
    fixture_join_on(b, "b", 2, 1, &held, 1);
    assert_false(gangs_is_stopped(b, 1));
    assert_false(gangs_is_stopped(b, 2));
    assert_int_equal(gangs_count_leases(b), 0);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
}

static void a_part_that_does_not_come_back_ends_the_run(void **state)
{
    struct fixture *b = *state;
    b->config.restart_patience = 30;
    go_on(b, &part_b);
    for (int i = 0; i < 8; i++) {
        fixture_join_on(b, "a", 1, 1, &held, 1);
        fixture_wait(b, 5);
    }
    assert_true(gangs_is_stopped(b, 1));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->last_run.run.ending, ENDING_LOST);
    assert_int_equal(b->told_count, 0);
}

/* Else the next restart would find it in a slot that others were given meanwhile. */
static void a_part_that_its_worker_does_not_have_is_written_down(void **state)
{
    struct fixture *b = *state;
    go_on(b, &part_b);
    fixture_join_on(b, "a", 1, 1, &held, 1);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    assert_int_equal(fixture_count_events(b, EVENT_PART_ENDED), 1);
    assert_true(gangs_is_stopped(b, 1));
}

static void a_part_that_had_ended_badly_is_remembered(void **state)
{
    struct fixture *b = *state;
    struct memory_part ended = part_b;
    ended.ended = true;
    ended.ending = ENDING_EXITED;
    ended.detail = "it ended with status 3";
    b->config.retries = 0;
    go_on(b, &ended);
    fixture_join_on(b, "a", 1, 1, &held, 1);
    assert_true(gangs_is_stopped(b, 1));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_EXITED);
    assert_string_equal(b->last_end.end.detail, "node b ended: it ended with status 3");
}

static void a_part_of_an_attempt_of_before_is_told_to_stop(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    core_peer_gone(b->core, b->now, 2);
    for (int i = 0; i < 3; i++) {
        fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
        fixture_wait(b, 3);
    }
    assert_true(gangs_is_stopped(b, 1));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    assert_int_equal(gangs_lease_of(b, 3)->attempt, 2);
    struct snapshot before = fixture_stand(b);
    fixture_join_on(b, "b", 2, 1, &held, 1);
    assert_true(gangs_is_stopped(b, 2));
    fixture_report(b, 2, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    struct snapshot after = fixture_stand(b);
    assert_int_equal(after.refused, before.refused);
    assert_int_equal(after.busy, 2);
    snapshot_fini(&before);
    snapshot_fini(&after);
}

/* --- limits --- */

static void max_concurrent_counts_trials(void **state)
{
    struct fixture *b = *state;
    b->config.max_concurrent = 1;
    gangs_start(b, 2, 4, 2);
    assert_int_equal(gangs_count_leases(b), 2);
    b->config.max_concurrent = 0;
}

static void without_a_limit_all_nodes_are_used(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 4, 2);
    assert_int_equal(gangs_count_leases(b), 8);
}

static void what_is_wanted_is_slots_of_all_nodes(void **state)
{
    struct fixture *b = *state;
    struct demand demand;
    gangs_start(b, 2, 2, 1);
    core_demand(b->core, &demand);
    assert_int_equal(demand.wanted, 20);
    demand_fini(&demand);
}

static void a_worker_that_has_no_such_part_is_refused(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    fixture_report(b, 3, fixture_done(1, 1, ENDING_CRASHED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_false(gangs_is_stopped(b, 1));
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.refused, 1);
    snapshot_fini(&stand);
}

/* Lost with two trials in a row; then it runs alone, and is at fault. */
static void a_trial_that_kills_its_workers_is_found_out(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    gangs_start(b, 2, 2, 2);
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        uint64_t second = attempt == 1 ? 2 : 10 + attempt - 1;
        fixture_wait(b, 1);
        assert_int_equal(gangs_lease_of(b, 1)->attempt, attempt);
        core_worker_dead(b->core, b->now, second, ENDING_LOST, "killed");
        fixture_drive(b);
        fixture_report(b, 1, fixture_done(1, attempt, ENDING_CANCELLED, NAN));
        b->now += 20;
        fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT});
        if (attempt < 3)
            fixture_join_on(b, "b", 10 + attempt, 2, NULL, 0);
    }
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_LOST);
}

static void too_few_nodes_are_said(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 3, 2, 1);
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.nodes, 3);
    assert_int_equal(stand.nodes_here, 2);
    snapshot_fini(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_restarted_coordinator_takes_all_parts_back),
        FIXTURE_CLAIM(a_part_that_does_not_come_back_ends_the_run),
        FIXTURE_CLAIM(a_part_that_its_worker_does_not_have_is_written_down),
        FIXTURE_CLAIM(a_part_that_had_ended_badly_is_remembered),
        FIXTURE_CLAIM(a_part_of_an_attempt_of_before_is_told_to_stop),
        FIXTURE_CLAIM(max_concurrent_counts_trials),
        FIXTURE_CLAIM(without_a_limit_all_nodes_are_used),
        FIXTURE_CLAIM(what_is_wanted_is_slots_of_all_nodes),
        FIXTURE_CLAIM(a_worker_that_has_no_such_part_is_refused),
        FIXTURE_CLAIM(a_trial_that_kills_its_workers_is_found_out),
        FIXTURE_CLAIM(too_few_nodes_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
