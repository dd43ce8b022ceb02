/* Trials that take a slot on each of several nodes (scheduler/core/gang.c, gather.c). */
#include "tests/core_gangs.h"

#include <math.h>

static void a_trial_begins_once_enough_nodes_have_a_vacant_slot(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 3, 2, 1);
    assert_int_equal(gangs_count_leases(b), 0);
    fixture_join_on(b, "b", 7, 4, NULL, 0); /* of a node that is there already */
    assert_int_equal(gangs_count_leases(b), 0);
    fixture_join_on(b, "c", 8, 1, NULL, 0);
    assert_int_equal(gangs_count_leases(b), 3);
    assert_int_equal(fixture_figures(b).busy, 3);
}

static void each_part_is_told_its_place_and_where_to_meet(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    const struct msg_lease *first = gangs_lease_of(b, 1), *second = gangs_lease_of(b, 2);
    assert_int_equal(first->trial, second->trial);
    assert_int_equal(first->attempt, second->attempt);
    assert_int_equal(first->node, 0);
    assert_int_equal(second->node, 1);
    assert_int_equal(first->nodes, 2);
    assert_int_equal(second->nodes, 2);
    assert_string_equal(second->hosts, "a,b");
    assert_int_equal(first->port, 1000);
    assert_int_equal(second->port, 1000);
    assert_string_equal(first->meeting, "a s1");
    assert_string_equal(second->meeting, "a s1");
}

static void nothing_is_sent_before_all_of_it_is_on_disk(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 1, 1);
    b->commits = false;
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    assert_int_equal(gangs_count_leases(b), 0);
    b->commits = true;
    fixture_wait(b, 0.1);
    fixture_drive(b);
    assert_int_equal(gangs_count_leases(b), 2);
    assert_int_equal(fixture_count_events(b, EVENT_PART_LEASED), 1);
    assert_int_equal(fixture_count_events(b, EVENT_LEASED), 1);
}

static void nothing_is_leased_ahead(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 100;
    gangs_start(b, 2, 2, 1);
    for (int i = 0; i < 20; i++) {
        const struct msg_lease *lease = gangs_lease_of(b, 1);
        struct msg_result short_run = fixture_done(lease->trial, 1, ENDING_COMPLETED, 1);
        short_run.seconds = 1e-4;
        fixture_report(b, 2, short_run);
        fixture_report(b, 1, short_run);
        assert_true(fixture_figures(b).busy <= 2);
    }
}

static void the_first_nodes_result_is_the_trials(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
    assert_float_equal(b->told_value[0], 0.5, 0);
}

static void another_nodes_values_and_samples_are_not_the_trials(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    struct msg_sample sample = {"loss", 1, -1, 0};
    struct msg_batch batch = {1, 1, 0, 0, &sample, 1};
    fixture_say(b, 2, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    assert_int_equal(fixture_count_events(b, EVENT_SAMPLED), 0);
    assert_int_equal(fixture_last_sent(b, MSG_ACKS)->acks.acks[0].samples, 1);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, -1));
    assert_int_equal(b->told_count, 0);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_float_equal(b->told_value[0], 0.5, 0);
}

/* A node's end, with what its processors took; NaN: it does not know. */
static void report_joules(struct fixture *b, uint64_t worker, double joules)
{
    struct msg_counted counted[] = {{COUNT_USER, 1}, {COUNT_ENERGY_PROCESSORS, joules}};
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 0.5);
    result.counted = counted;
    result.counted_count = isnan(joules) ? 1 : 2;
    fixture_report(b, worker, result);
}

static void joules_are_those_of_all_nodes(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 3, 3, 1);
    report_joules(b, 2, 20);
    report_joules(b, 3, 5);
    report_joules(b, 1, 10);
    assert_float_equal(b->last_end.end.energy, 35, 1e-9);
    assert_float_equal(b->last_run.run.counters->values[COUNT_ENERGY_PROCESSORS], 35, 1e-9);
    assert_float_equal(b->last_run.run.counters->values[COUNT_USER], 1, 0); /* other counts are the first node's */
}

static void a_node_that_has_not_ended_counts_as_the_first_one(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 3, 3, 1);
    report_joules(b, 3, 5);
    report_joules(b, 1, 10);
    assert_float_equal(b->last_end.end.energy, 25, 1e-9);
}

static void of_nodes_that_do_not_all_know_their_joules_no_sum_is_known(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    report_joules(b, 2, NAN);
    report_joules(b, 1, 10);
    assert_float_equal(b->last_end.end.energy, 0, 0);
}

static void every_part_is_acknowledged_once_its_end_is_on_disk(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    b->commits = false;
    size_t before = fixture_count_sent(b, MSG_ACKS);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, NAN));
    assert_int_equal(fixture_count_sent(b, MSG_ACKS), before);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_PART_ENDED), 1);
    assert_true(fixture_last_sent(b, MSG_ACKS)->acks.acks[0].ended);
}

/* The slot is not given anew before the old part has ended there. */
static void the_others_have_a_grace_behind_the_first_one(void **state)
{
    struct fixture *b = *state;
    b->config.grace = 5;
    gangs_start(b, 2, 2, 1);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 1));
    fixture_wait(b, 4);
    fixture_say(b, 2, &(struct msg){.kind = MSG_HEARTBEAT});
    assert_int_equal(b->told_count, 1);
    assert_false(gangs_is_stopped(b, 2));
    assert_int_equal(gangs_count_leases(b), 2);
    fixture_wait(b, 2);
    assert_true(gangs_is_stopped(b, 2));
    assert_int_equal(gangs_count_leases(b), 2);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(gangs_count_leases(b), 4);
    assert_int_equal(gangs_lease_of(b, 2)->trial, 2);
}

static void what_the_first_one_started_ends_with_it(void **state)
{
    struct fixture *b = *state;
    b->config.first_starts_all = true;
    gangs_start(b, 2, 2, 1);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
    assert_true(gangs_is_stopped(b, 2));
}

static void a_part_that_ends_badly_ends_the_run_with_its_reason(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    gangs_start(b, 3, 3, 1);
    struct msg_result crash = fixture_done(1, 1, ENDING_CRASHED, NAN);
    crash.detail = "it was killed by SIGSEGV";
    crash.tail = "line 3";
    fixture_report(b, 2, crash);
    assert_int_equal(b->told_count,
                     0); /* it is as soon as the first node has ended, whose samples may be on their way */
    assert_true(gangs_is_stopped(b, 1));
    assert_true(gangs_is_stopped(b, 3));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_CRASHED);
    assert_string_equal(b->last_end.end.detail, "node b ended: it was killed by SIGSEGV");
    assert_string_equal(b->last_run.run.tail, "line 3");
}

static void a_part_that_ends_badly_is_tried_again_as_any_run(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    b->config.retries = 1;
    gangs_start(b, 2, 2, 1);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_EXITED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(gangs_lease_of(b, 1)->attempt, 2);
    assert_int_equal(gangs_lease_of(b, 2)->attempt, 2);
}

/* Its trainer was still starting when it was told to stop. */
static void a_part_that_ends_badly_before_the_first_node_begins_is_on_record_and_costs_a_retry(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    b->config.retries = 1;
    gangs_start(b, 2, 2, 1);
    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        struct msg_result crash = fixture_done(1, attempt, ENDING_CRASHED, NAN);
        struct msg_run_id run = {1, attempt};
        crash.detail = "killed by SIGKILL";
        uint64_t second = gangs_lease_of(b, 2)->node ? 2 : 1;
        fixture_report(b, second, crash);
        fixture_say(b, 3 - second, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
        assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 0);
        assert_int_equal(b->last_run.run.ending, ENDING_CRASHED);
        assert_has(b->last_run.run.detail, "ended: killed by SIGKILL");
    }
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_CRASHED);
}

static void a_success_of_the_first_node_stands(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_EXITED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.25));
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
    assert_float_equal(b->told_value[0], 0.25, 0);
}

static void a_lost_worker_ends_the_run_as_lost_and_free(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    b->config.retries = 0;
    gangs_start(b, 2, 3, 1);
    core_worker_dead(b->core, b->now, 2, ENDING_LOST, "killed");
    fixture_drive(b);
    assert_true(gangs_is_stopped(b, 1));
    assert_int_equal(gangs_count_leases(b), 2);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(b->last_run.run.ending, ENDING_LOST);
    assert_string_equal(b->last_run.run.detail, "node b ended: killed");
    assert_int_equal(gangs_lease_of(b, 1)->attempt, 2);
    assert_string_equal(gangs_lease_of(b, 1)->hosts, "c,a");
}

static void a_lost_first_worker_stops_the_others(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    core_worker_dead(b->core, b->now, 1, ENDING_LOST, "killed");
    fixture_drive(b);
    assert_true(gangs_is_stopped(b, 2));
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    assert_int_equal(gangs_count_leases(b), 2); /* the slot of the other one is taken still */
    fixture_report(b, 2, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(gangs_lease_of(b, 3)->attempt, 2);
    assert_int_equal(b->told_count, 0);
}

static void a_part_that_is_given_back_takes_the_attempt_back(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    struct msg_run_id run = {1, 1};
    fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 1);
    assert_true(gangs_is_stopped(b, 1));
    fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    assert_int_equal(gangs_lease_of(b, 1)->attempt, 2);
    assert_int_equal(gangs_lease_of(b, 2)->attempt, 2);
    assert_int_equal(b->told_count, 0);
}

static void a_port_that_was_taken_is_another_one(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    struct msg_run_id run = {1, 1};
    fixture_say(b, 1, &(struct msg){.kind = MSG_PORT, .port = {0, 4321}});
    fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    const struct msg_lease *any = gangs_lease_of(b, 1);
    assert_int_equal(any->attempt, 2);
    assert_int_equal(any->port, any->node ? 2000 : 4321);
    struct snapshot before = fixture_stand(b);
    fixture_say(b, 1, &(struct msg){.kind = MSG_PORT, .port = {17, 4321}});
    struct snapshot after = fixture_stand(b);
    assert_int_equal(after.refused, before.refused + 1);
    snapshot_fini(&before);
    snapshot_fini(&after);
}

/* Its samples are on record: what was begun is not unstarted. */
static void a_part_that_is_given_back_late_is_a_loss(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    gangs_start(b, 2, 2, 1);
    struct msg_sample sample = {"loss", 1, 1, 0};
    struct msg_batch batch = {1, 1, 0, 0, &sample, 1};
    fixture_say(b, 1, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    struct msg_run_id run = {1, 1};
    fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 0);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->last_run.run.ending, ENDING_LOST);
    assert_int_equal(gangs_lease_of(b, 1)->attempt, 2);
}

static void a_stop_goes_to_every_part(void **state)
{
    struct fixture *b = *state;
    enum ending ending;
    gangs_start(b, 3, 3, 1);
    assert_int_equal(core_cancel_trial(b->core, b->now, 1, NULL), 0);
    fixture_drive(b);
    for (uint64_t worker = 1; worker <= 3; worker++) {
        assert_int_equal(gangs_count_stops(b, worker, &ending), 1);
        assert_int_equal(ending, ENDING_CANCELLED);
    }
    fixture_report(b, 3, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_CANCELLED);
}

static void the_job_of_one_node_that_ends_stops_all(void **state)
{
    struct fixture *b = *state;
    enum ending ending;
    b->config.nodes = 2;
    b->config.can_continue = true;
    b->config.warn = 30;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_say(
        b, 2,
        &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 2, .node = "b", .job = 9, .element = NODE_NO_ELEMENT}});
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 2, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, NULL, 0}});
    core_job_ends(b->core, b->now, (struct node_job){9, NODE_NO_ELEMENT}, b->now + 100);
    fixture_drive(b);
    assert_int_equal(gangs_count_leases(b), 2);
    fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
    fixture_say(b, 2, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
    for (int i = 0; i < 15; i++) {
        fixture_wait(b, 5);
        fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
        fixture_say(b, 2, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
    }
    assert_true(gangs_count_stops(b, 1, &ending) > 0);
    assert_int_equal(ending, ENDING_WALLTIME);
    assert_true(gangs_count_stops(b, 2, &ending) > 0);
    assert_int_equal(ending, ENDING_WALLTIME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_trial_begins_once_enough_nodes_have_a_vacant_slot),
        FIXTURE_CLAIM(each_part_is_told_its_place_and_where_to_meet),
        FIXTURE_CLAIM(nothing_is_sent_before_all_of_it_is_on_disk),
        FIXTURE_CLAIM(nothing_is_leased_ahead),
        FIXTURE_CLAIM(the_first_nodes_result_is_the_trials),
        FIXTURE_CLAIM(another_nodes_values_and_samples_are_not_the_trials),
        FIXTURE_CLAIM(joules_are_those_of_all_nodes),
        FIXTURE_CLAIM(a_node_that_has_not_ended_counts_as_the_first_one),
        FIXTURE_CLAIM(of_nodes_that_do_not_all_know_their_joules_no_sum_is_known),
        FIXTURE_CLAIM(every_part_is_acknowledged_once_its_end_is_on_disk),
        FIXTURE_CLAIM(the_others_have_a_grace_behind_the_first_one),
        FIXTURE_CLAIM(what_the_first_one_started_ends_with_it),
        FIXTURE_CLAIM(a_part_that_ends_badly_ends_the_run_with_its_reason),
        FIXTURE_CLAIM(a_part_that_ends_badly_is_tried_again_as_any_run),
        FIXTURE_CLAIM(a_part_that_ends_badly_before_the_first_node_begins_is_on_record_and_costs_a_retry),
        FIXTURE_CLAIM(a_success_of_the_first_node_stands),
        FIXTURE_CLAIM(a_lost_worker_ends_the_run_as_lost_and_free),
        FIXTURE_CLAIM(a_lost_first_worker_stops_the_others),
        FIXTURE_CLAIM(a_part_that_is_given_back_takes_the_attempt_back),
        FIXTURE_CLAIM(a_port_that_was_taken_is_another_one),
        FIXTURE_CLAIM(a_part_that_is_given_back_late_is_a_loss),
        FIXTURE_CLAIM(a_stop_goes_to_every_part),
        FIXTURE_CLAIM(the_job_of_one_node_that_ends_stops_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
