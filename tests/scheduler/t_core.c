/* The coordinator's core, one property at a time: leases, results and the values of trials. (tests/sim drives it
 * through everything at once.) */
#include "tests/core_fixture.h"
#include "tests/test_metrics.h"

#include <math.h>

/* --- leases and results --- */

static void a_worker_gets_a_lease_for_each_slot(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    assert_string_equal(fixture_last_sent(b, MSG_WELCOME)->welcome.task, b->config.task);
    const struct msg *leases = fixture_last_sent(b, MSG_LEASES);
    assert_non_null(leases);
    assert_int_equal(leases->leases.leases_count, 2);
    assert_string_equal(leases->leases.leases[0].params, "{\"x\": 1}");
    assert_int_not_equal(leases->leases.leases[0].slot, leases->leases.leases[1].slot);
}

static void nothing_is_sent_before_it_is_committed(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    b->commits = false;
    fixture_join(b, 7, 1, 1, 0);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 1);
    b->commits = false;
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(fixture_count_sent(b, MSG_ACKS), 0);
    assert_int_equal(b->told_count, 0);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_sent(b, MSG_ACKS), 1);
    assert_int_equal(b->told_count, 1);
    assert_true(fixture_last_sent(b, MSG_ACKS)->acks.acks[0].ended);
}

static void a_proposal_and_its_lease_are_one_commit(void **state)
{
    struct fixture *b = *state;
    b->proposes = false;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    b->commits = false;
    core_proposal(b->core, b->now, 1, &(struct event_proposed){.params = "{}"});
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_PROPOSED), 1);
    assert_int_equal(fixture_count_events(b, EVENT_LEASED), 1);
    core_committed(b->core, b->now, b->emitted - 1); /* the proposal alone: its lease is not promised yet */
    fixture_drive(b);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 0);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), 1);
}

static void a_trial_that_is_cancelled_before_it_is_on_disk_is_not_leased(void **state)
{
    struct fixture *b = *state;
    struct err err;
    b->proposes = false;
    fixture_start(b);
    b->commits = false;
    core_proposal(b->core, b->now, 1, &(struct event_proposed){.params = "{}"});
    fixture_drive(b);
    assert_int_equal(core_cancel_trial(b->core, b->now, 1, &err), 0);
    fixture_join(b, 7, 1, 1, 0);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_LEASED), 0);
    assert_int_equal(b->told_ending[0], ENDING_CANCELLED);
}

static void a_result_is_told_with_its_value_and_the_slot_goes_on(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    b->now += 3;
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told[0], 1);
    assert_float_equal(b->told_value[0], 0.5, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial, 2);
    assert_int_equal(b->last_run.run.profile[PHASE_QUEUE].count, 1);
}

static void a_repeated_result_is_acknowledged_and_counted_once(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
    assert_int_equal(fixture_count_sent(b, MSG_ACKS), 2);
    assert_int_equal(fixture_count_events(b, EVENT_TRIAL_ENDED), 1);
}

static void the_best_counts_in_the_direction_of_the_goal(void **state)
{
    struct fixture *b = *state;
    b->config.metrics = metrics_max;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    fixture_report(b, 7, fixture_done(2, 1, ENDING_COMPLETED, 0.9));
    fixture_report(b, 7, fixture_done(3, 1, ENDING_COMPLETED, 0.1));
    struct snapshot now = fixture_stand(b);
    assert_true(now.has_best);
    assert_int_equal(now.best_trial, 2);
    assert_int_equal(now.trials[TRIAL_COMPLETED], 3);
    snapshot_fini(&now);
}

static void use_best_takes_the_best_sample_of_the_run(void **state)
{
    struct fixture *b = *state;
    b->config.metrics = metrics_best;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 0.5);
    result.measures->min = 0.2;
    fixture_report(b, 7, result);
    assert_float_equal(b->told_value[0], 0.2, 0);
}

static void a_completed_run_without_a_value_failed(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_NO_VALUE);
    struct msg_result result = fixture_done(2, 1, ENDING_COMPLETED, 1);
    result.measures->last = INFINITY;
    fixture_report(b, 7, result);
    assert_int_equal(b->told_ending[1], ENDING_DIVERGED);
}

/* --- several metrics --- */

static struct msg_result done_three(uint64_t trial, double loss, double accuracy, double memory)
{
    struct msg_result result = fixture_done(trial, 1, ENDING_COMPLETED, loss);
    decided_add(&result, 1, accuracy);
    decided_add(&result, 2, memory);
    return result;
}

static void a_trial_that_breaks_a_limit_is_never_the_best(void **state)
{
    struct fixture *b = *state;
    b->config.metrics = metrics_three;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, done_three(1, 0.1, 0.9, 8.5));
    fixture_report(b, 7, done_three(2, 0.1, 0.9, NAN)); /* it does not say */
    struct snapshot now = fixture_stand(b);
    assert_false(now.has_best);
    snapshot_fini(&now);
    fixture_report(b, 7, done_three(3, 0.5, 0.9, 8));
    now = fixture_stand(b);
    assert_int_equal(now.best_trial, 3);
    assert_int_equal(now.trials[TRIAL_COMPLETED], 3);
    snapshot_fini(&now);
}

static void the_end_of_a_trial_says_the_values_of_all_metrics(void **state)
{
    struct fixture *b = *state;
    b->config.metrics = metrics_three;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, done_three(1, 0.1, 0.9, 8.5));
    const struct event_end *end = &b->last_end.end;
    assert_int_equal(end->values_count, 3);
    assert_true(end->has_value && end->infeasible);
    assert_float_equal(end->value, 0.1, 0);
    assert_float_equal(end->values[1], 0.9, 0);
    assert_float_equal(end->values[2], 8.5, 0);
}

static void a_trial_that_lacks_an_objective_has_no_value(void **state)
{
    struct fixture *b = *state;
    b->config.metrics = metrics_three;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, done_three(1, 0.1, NAN, 4));
    assert_int_equal(b->told_ending[0], ENDING_NO_VALUE);
    assert_string_equal(b->last_end.end.detail, "the metric is 'accuracy'");
    fixture_report(b, 7, done_three(2, 0.1, INFINITY, 4));
    assert_int_equal(b->told_ending[1], ENDING_DIVERGED);
}

/* --- leases ahead --- */

static void short_trials_are_leased_ahead_and_long_ones_are_not(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 0;
    b->config.ask_far_ahead = true;
    b->config.ready_limit = 100;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 8);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 1);
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 0.0001;
    fixture_report(b, 7, result);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 9);
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.trials[TRIAL_RUNNING], 9);
    assert_int_equal(now.busy, 1);
    snapshot_fini(&now);
}

static void a_strategy_without_history_is_asked_ahead_for_all_slots_and_further_when_trials_are_short(void **state)
{
    struct fixture *b = *state;
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    b->config.ask_far_ahead = true;
    b->config.max_trials = 0;
    b->proposes = false;
    fixture_start(b);
    assert_int_equal(b->asked, 16);
    fixture_join(b, 7, 1, 8, 0);
    fixture_join(b, 8, 2, 8, 0);
    assert_int_equal(b->asked, 32); /* two for each slot */
    core_proposal(b->core, b->now, 1, &(struct event_proposed){.params = "{}"});
    fixture_drive(b);
    result.seconds = 0.0125; /* four more go by in the 50 ms for which leases are given ahead */
    fixture_report(b, 7, result);
    assert_in_range(b->asked, 160, 161);
}

static void returned_leases_go_elsewhere_in_their_order_and_cost_nothing(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 4;
    b->config.retries = 0;
    b->config.ask_far_ahead = true;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 8);
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 0.0001;
    fixture_report(b, 7, result);
    struct msg_run_id runs[] = {{3, 1}, {4, 1}};
    fixture_say(b, 7, &(struct msg){.kind = MSG_RETURNED, .returned = {runs, 2}});
    fixture_join(b, 8, 2, 2, 0);
    const struct msg *leases = fixture_last_sent(b, MSG_LEASES);
    assert_int_equal(leases->leases.leases[leases->leases.leases_count - 1].attempt, 2);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 2);
}

static void a_slot_that_gave_leases_back_gets_none_ahead_until_its_run_ends(void **state)
{
    struct fixture *b = *state;
    b->config.ask_far_ahead = true;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 2);
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 0.0001;
    fixture_report(b, 7, result);
    size_t before = fixture_count_sent(b, MSG_LEASES);
    struct msg_run_id runs[] = {{3, 1}, {4, 1}};
    fixture_say(b, 7, &(struct msg){.kind = MSG_RETURNED, .returned = {runs, 2}});
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), before);
    fixture_report(b, 7, fixture_done(2, 1, ENDING_COMPLETED, 1));
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), before + 1);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].trial, 3);
}

static void max_concurrent_bounds_the_busy_slots(void **state)
{
    struct fixture *b = *state;
    b->config.max_concurrent = 3;
    fixture_start(b);
    fixture_join(b, 7, 1, 8, 0);
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.busy, 3);
    snapshot_fini(&now);
}

/* With one slot, or one trial at a time in many. */
static void expect_one_at_a_time(struct fixture *b, uint32_t slots)
{
    fixture_start(b);
    fixture_join(b, 7, 1, slots, 8);
    assert_int_equal(b->asked, 1);
    b->commits = false;
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->asked, 1); /* the slot is free, but the strategy does not know of the result */
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->asked, 2);
}

static void with_one_slot_each_proposal_knows_how_the_trial_before_it_ended(void **state)
{
    expect_one_at_a_time(*state, 1);
}

static void with_one_trial_at_a_time_too(void **state)
{
    ((struct fixture *)*state)->config.max_concurrent = 1;
    expect_one_at_a_time(*state, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_worker_gets_a_lease_for_each_slot),
        FIXTURE_CLAIM(nothing_is_sent_before_it_is_committed),
        FIXTURE_CLAIM(a_proposal_and_its_lease_are_one_commit),
        FIXTURE_CLAIM(a_trial_that_is_cancelled_before_it_is_on_disk_is_not_leased),
        FIXTURE_CLAIM(a_result_is_told_with_its_value_and_the_slot_goes_on),
        FIXTURE_CLAIM(a_repeated_result_is_acknowledged_and_counted_once),
        FIXTURE_CLAIM(the_best_counts_in_the_direction_of_the_goal),
        FIXTURE_CLAIM(use_best_takes_the_best_sample_of_the_run),
        FIXTURE_CLAIM(a_completed_run_without_a_value_failed),
        FIXTURE_CLAIM(a_trial_that_breaks_a_limit_is_never_the_best),
        FIXTURE_CLAIM(the_end_of_a_trial_says_the_values_of_all_metrics),
        FIXTURE_CLAIM(a_trial_that_lacks_an_objective_has_no_value),
        FIXTURE_CLAIM(short_trials_are_leased_ahead_and_long_ones_are_not),
        FIXTURE_CLAIM(a_strategy_without_history_is_asked_ahead_for_all_slots_and_further_when_trials_are_short),
        FIXTURE_CLAIM(returned_leases_go_elsewhere_in_their_order_and_cost_nothing),
        FIXTURE_CLAIM(a_slot_that_gave_leases_back_gets_none_ahead_until_its_run_ends),
        FIXTURE_CLAIM(max_concurrent_bounds_the_busy_slots),
        FIXTURE_CLAIM(with_one_slot_each_proposal_knows_how_the_trial_before_it_ended),
        FIXTURE_CLAIM(with_one_trial_at_a_time_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
