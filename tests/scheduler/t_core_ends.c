/* The core's end: limits, targets, interruptions, cancelled trials. */
#include "common/operations.h"
#include "tests/core_fixture.h"

#include <math.h>

static void it_ends_when_all_trials_have_ended(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 3;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_false(b->ended);
        fixture_report(b, 7, fixture_done(i, 1, ENDING_COMPLETED, (double)i));
    }
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
    assert_non_null(fixture_last_sent(b, MSG_DRAIN));
    assert_int_equal(b->asked, 3);
    b->ended = false;
    fixture_wait(b, 1);
    assert_false(b->ended); /* that is said once */
}

static void what_a_run_took_is_stored_and_told(void **state)
{
    struct fixture *b = *state;
    struct msg_phase phase = {.phase = PHASE_FORWARD, .seconds = 2, .count = 3, .min = 0.5, .max = 1};
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.seconds = 12;
    result.peak_memory = 4096;
    result.phases = &phase;
    result.phases_count = 1;
    fixture_start(b);
    fixture_join(b, 7, 9, 1, 0);
    fixture_report(b, 7, result);
    assert_int_equal(b->last_run.worker, 9);
    assert_int_equal(b->last_run.run.peak_memory, 4096);
    assert_true(b->last_run.run.profile[PHASE_FORWARD].seconds == 2 &&
                b->last_run.run.profile[PHASE_FORWARD].count == 3);
    assert_int_equal(b->told_count, 1);
    assert_true(b->told_seconds[0] == 12);
}

/* They stand unquoted in the store's texts. */
static void of_phases_that_a_program_named_those_with_a_name_are_stored(void **state)
{
    struct fixture *b = *state;
    struct msg_named named[] = {{.name = "a b", .seconds = 1, .count = 1, .min = 1, .max = 1},
                                {.name = "\"],[", .seconds = 1, .count = 1, .min = 1, .max = 1},
                                {.name = "augment", .seconds = -5, .count = 2, .min = -1, .max = 3},
                                {.name = "data", .seconds = 1, .count = 1, .min = 1, .max = 1},
                                {.name = "", .seconds = 1, .count = 1, .min = 1, .max = 1},
                                {.name = "never", .seconds = 1, .count = 0, .min = 1, .max = 1},
                                {.name = "io/write", .seconds = 5, .count = 1, .min = 5, .max = 5}};
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.named = named;
    result.named_count = sizeof named / sizeof *named;
    fixture_start(b);
    fixture_join(b, 7, 9, 1, 0);
    fixture_report(b, 7, result);
    assert_int_equal(b->last_run.run.named_count, 2);
    const struct msg_named *kept = b->last_run.run.named;
    assert_string_equal(kept[0].name, "augment");
    assert_true(kept[0].seconds == 0 && kept[0].count == 2 && kept[0].min == 0 && kept[0].max == 3);
    assert_string_equal(kept[1].name, "io/write");
}

/* A worker may be of a hostile person, or of another gannet. */
static void of_counters_those_that_can_be_are_stored(void **state)
{
    struct fixture *b = *state;
    struct msg_counted counted[] = {{COUNT_USER, 1.5},
                                    {COUNT_SYSTEM, 1e12}, /* more microseconds than a store keeps */
                                    {RUN_COUNTERS_COUNT, 3},
                                    {255, 3},
                                    {COUNT_MAJOR_FAULTS, 0}};
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.counted = counted;
    result.counted_count = sizeof counted / sizeof *counted;
    fixture_start(b);
    fixture_join(b, 7, 9, 1, 0);
    fixture_report(b, 7, result);
    const double *values = b->last_run.run.counters->values;
    assert_true(values[COUNT_USER] == 1.5 && values[COUNT_MAJOR_FAULTS] == 0);
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++)
        assert_true(i == COUNT_USER || i == COUNT_MAJOR_FAULTS || !(values[i] >= 0));
}

static void the_joules_of_a_run_are_those_of_its_trial(void **state)
{
    struct fixture *b = *state;
    struct msg_counted counted[] = {{COUNT_ENERGY_PROCESSORS, 1.5}, {COUNT_ENERGY_GPUS, 40}};
    struct msg_result measured = fixture_done(1, 1, ENDING_COMPLETED, 1),
                      other = fixture_done(2, 1, ENDING_COMPLETED, 1);
    measured.counted = counted;
    measured.counted_count = sizeof counted / sizeof *counted;
    fixture_start(b);
    fixture_join(b, 7, 9, 1, 0);
    fixture_report(b, 7, measured);
    assert_true(b->last_end.end.energy == 41.5);
    fixture_report(b, 7, other);
    assert_true(b->last_end.end.energy == 0); /* not known */
}

static void of_operations_those_that_make_sense_are_stored(void **state)
{
    struct fixture *b = *state;
    struct msg_operation operations[] = {
        {.operation = 3, .calls = 2, .flops = 8, .timed = 1, .seconds = 1, .min = 1, .max = 1},
        {.operation = 3, .calls = 9},
        {.operation = 4, .calls = 2, .timed = 3},
        {.operation = 5, .calls = 2, .timed = 2, .seconds = 1, .min = 2, .max = 1},
        {.operation = 7, .calls = 0},
        {.operation = 8, .calls = 1},
        {.operation = OPERATIONS_COUNT, .calls = 1}};
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 1);
    result.operations = operations;
    result.operations_count = sizeof operations / sizeof *operations;
    fixture_start(b);
    fixture_join(b, 7, 9, 1, 0);
    fixture_report(b, 7, result);
    assert_int_equal(b->last_run.run.operations_count, 2);
    assert_int_equal(b->last_run.run.operations[0].operation, 3);
    assert_int_equal(b->last_run.run.operations[0].calls, 2);
    assert_int_equal(b->last_run.run.operations[1].operation, 8);
}

static void it_ends_when_the_strategy_has_nothing_left(void **state)
{
    struct fixture *b = *state;
    b->proposes = false;
    fixture_start(b);
    fixture_join(b, 7, 1, 4, 0);
    core_proposal(b->core, b->now, 1, &(struct event_proposed){.params = "{}"});
    fixture_drive(b);
    assert_true(b->asked > 2); /* one answer stands for all asks that are still open */
    core_no_more(b->core, b->now);
    fixture_drive(b);
    assert_false(b->ended);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_NO_MORE);
}

static void the_target_ends_it_and_cancels_the_rest(void **state)
{
    struct fixture *b = *state;
    b->config.has_target = true;
    b->config.target = 0.1;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 0.1));
    assert_false(b->ended);
    assert_true(fixture_last_sent(b, MSG_DRAIN)->drain.now);
    fixture_report(b, 7, fixture_done(2, 1, ENDING_CANCELLED, NAN));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_TARGET);
    assert_int_equal(b->told_ending[b->told_count - 1], ENDING_CANCELLED);
    assert_string_equal(b->last_end.end.detail, reason_sentence(REASON_TARGET));
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.trials[TRIAL_WAITING] + now.trials[TRIAL_RUNNING], 0);
    snapshot_fini(&now);
}

static void at_the_time_limit_runs_are_stopped_and_keep_their_value(void **state)
{
    struct fixture *b = *state;
    b->config.time = 60;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    b->now += 61;
    fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}, {2, 1}}, 2}});
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.ending, ENDING_STOPPED_EARLY);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_STOPPED_EARLY, 0.5));
    assert_string_equal(b->last_end.end.detail, reason_sentence(REASON_TIME));
    fixture_report(b, 7, fixture_done(2, 1, ENDING_STOPPED_EARLY, NAN));
    assert_string_equal(b->last_end.end.detail, reason_sentence(REASON_TIME));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_TIME);
    assert_int_equal(b->told_ending[0], ENDING_STOPPED_EARLY);
    assert_int_equal(b->told_ending[1], ENDING_CANCELLED);
}

static void too_many_failures_end_it(void **state)
{
    struct fixture *b = *state;
    b->config.has_max_failures = true;
    b->config.max_failures = 1;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_BAD_CONFIG, NAN));
    assert_null(fixture_last_sent(b, MSG_DRAIN));
    fixture_report(b, 7, fixture_done(2, 1, ENDING_BAD_CONFIG, NAN));
    assert_non_null(fixture_last_sent(b, MSG_DRAIN));
}

static struct msg_result failed(uint64_t trial, const char *tail)
{
    struct msg_result result = fixture_done(trial, 1, ENDING_EXITED, NAN);
    result.detail = "exit status 1";
    result.tail = tail;
    return result;
}

static void failures_that_are_alike_pause_it_with_their_words(void **state)
{
    struct fixture *b = *state;
    b->config.same_failures = 3;
    b->config.retries = 0;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, failed(1, "Traceback:\nValueError: lr=0.1 in /tmp/trials/000001\n"));
    fixture_report(b, 7, failed(2, "Traceback of another line\nValueError: lr=2e-5 in /tmp/trials/000002"));
    assert_null(fixture_last_sent(b, MSG_DRAIN));
    fixture_report(b, 7, failed(3, "ValueError: lr=7 in /tmp/trials/000003\n\n"));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
    assert_true(reason_goes_on(b->reason));
    assert_string_equal(b->why, "3 trials in a row ended with: ValueError: lr=7 in /tmp/trials/000003");
}

static void failures_that_differ_go_on(void **state)
{
    struct fixture *b = *state;
    b->config.same_failures = 2;
    b->config.retries = 0;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, failed(1, "KeyError: 'width'"));
    fixture_report(b, 7, failed(2, "KeyError: 'depth'"));
    fixture_report(b, 7, fixture_done(3, 1, ENDING_DIVERGED, NAN));
    fixture_report(b, 7, fixture_done(4, 1, ENDING_DIVERGED, NAN));
    fixture_report(b, 7, failed(5, "RuntimeError: CUDA out of memory"));
    fixture_report(b, 7, failed(6, "RuntimeError: CUDA out of memory"));
    assert_null(fixture_last_sent(b, MSG_DRAIN));
}

static void what_runs_when_failures_pause_it_may_finish(void **state)
{
    struct fixture *b = *state;
    b->config.same_failures = 2;
    b->config.retries = 0;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    fixture_report(b, 7, failed(1, "no"));
    fixture_report(b, 7, failed(2, "no"));
    assert_false(fixture_last_sent(b, MSG_DRAIN)->drain.now);
    assert_false(b->ended);
    fixture_report(b, 7, fixture_done(3, 1, ENDING_COMPLETED, 1));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_SAME_FAILURES);
}

static void a_session_after_a_pause_counts_anew(void **state)
{
    struct fixture *b = *state;
    b->config.same_failures = 2;
    b->config.retries = 0;
    struct memory memory = {.next_trial = 3, .reason = REASON_SAME_FAILURES};
    memory.tally.ended[TRIAL_FAILED] = 2;
    fixture_start_from(b, &memory);
    fixture_join(b, 7, 1, 1, 0);
    fixture_report(b, 7, failed(3, "no"));
    assert_null(fixture_last_sent(b, MSG_DRAIN));
    fixture_report(b, 7, failed(4, "no"));
    assert_non_null(fixture_last_sent(b, MSG_DRAIN));
}

static void an_interruption_that_leaves_nothing_is_the_normal_end(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    core_drain(b->core, b->now, REASON_INTERRUPTED);
    fixture_drive(b);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
}

static void an_interrupted_experiment_keeps_its_trials_for_later(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    core_drain(b->core, b->now, REASON_INTERRUPTED);
    fixture_drive(b);
    assert_false(fixture_last_sent(b, MSG_DRAIN)->drain.now);
    assert_false(b->ended);
    core_stop(b->core, b->now, REASON_INTERRUPTED);
    fixture_drive(b);
    assert_true(fixture_last_sent(b, MSG_DRAIN)->drain.now);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_true(b->ended);
    assert_int_equal(b->told_count, 0);
    assert_int_equal(fixture_count_events(b, EVENT_TRIAL_ENDED), 0);
    assert_int_equal(fixture_count_events(b, EVENT_RETRIED), 1);
}

static void a_forced_end_does_not_wait_for_ever(void **state)
{
    struct fixture *b = *state;
    b->config.grace = 1;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    core_stop(b->core, b->now, REASON_INTERRUPTED);
    fixture_drive(b);
    b->now += 30;
    core_tick(b->core, b->now);
    fixture_drive(b);
    assert_true(b->ended);
}

static void a_cancelled_trial_ends_whether_it_waits_or_runs(void **state)
{
    struct fixture *b = *state;
    b->config.ask_far_ahead = true;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    struct err err = {0};
    assert_int_equal(core_cancel_trial(b->core, b->now, 2, &err), 0);
    fixture_drive(b);
    assert_int_equal(b->told[0], 2);
    assert_int_equal(core_cancel_trial(b->core, b->now, 1, &err), 0);
    fixture_drive(b);
    assert_int_equal(fixture_last_sent(b, MSG_STOP_RUN)->stop_run.trial, 1);
    fixture_report(b, 7, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told[1], 1);
    assert_int_equal(b->told_ending[1], ENDING_CANCELLED);
    assert_int_equal(core_cancel_trial(b->core, b->now, 1, &err), -1);
    assert_string_equal(err.text, "trial 1 has ended already");
    assert_int_equal(core_cancel_trial(b->core, b->now, 77, &err), -1);
    assert_string_equal(err.text, "there is no trial 77 yet");
}

static void a_broken_strategy_ends_it_with_its_sentence(void **state)
{
    struct fixture *b = *state;
    b->proposes = false;
    fixture_start(b);
    core_broken(b->core, b->now, "the plug-in divided by zero");
    fixture_drive(b);
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_BROKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(it_ends_when_all_trials_have_ended),
        FIXTURE_CLAIM(what_a_run_took_is_stored_and_told),
        FIXTURE_CLAIM(of_phases_that_a_program_named_those_with_a_name_are_stored),
        FIXTURE_CLAIM(of_counters_those_that_can_be_are_stored),
        FIXTURE_CLAIM(the_joules_of_a_run_are_those_of_its_trial),
        FIXTURE_CLAIM(of_operations_those_that_make_sense_are_stored),
        FIXTURE_CLAIM(it_ends_when_the_strategy_has_nothing_left),
        FIXTURE_CLAIM(the_target_ends_it_and_cancels_the_rest),
        FIXTURE_CLAIM(at_the_time_limit_runs_are_stopped_and_keep_their_value),
        FIXTURE_CLAIM(too_many_failures_end_it),
        FIXTURE_CLAIM(failures_that_are_alike_pause_it_with_their_words),
        FIXTURE_CLAIM(failures_that_differ_go_on),
        FIXTURE_CLAIM(what_runs_when_failures_pause_it_may_finish),
        FIXTURE_CLAIM(a_session_after_a_pause_counts_anew),
        FIXTURE_CLAIM(an_interruption_that_leaves_nothing_is_the_normal_end),
        FIXTURE_CLAIM(an_interrupted_experiment_keeps_its_trials_for_later),
        FIXTURE_CLAIM(a_forced_end_does_not_wait_for_ever),
        FIXTURE_CLAIM(a_cancelled_trial_ends_whether_it_waits_or_runs),
        FIXTURE_CLAIM(a_broken_strategy_ends_it_with_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
