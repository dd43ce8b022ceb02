/* Endings and states: names and numbers that stores and wires rely on. */
#include "common/endings.h"
#include "tests/claims.h"

#include <string.h>

static void numbers_never_change(void **state)
{
    (void)state;
    static const char *const names[] = {
        "completed",     "stopped_early",     "diverged",  "crashed",     "exited",      "timed_out",
        "out_of_memory", "bad_config",        "no_value",  "lost",        "not_started", "cancelled",
        "paused",        "walltime",          "preempted", "node_failed", "requeued",    "reported",
        "no_progress",   "gpu_out_of_memory", "gpu_failed"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(ending_name((enum ending)i), names[i]);
}

static void every_ending_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < ENDINGS_COUNT; i++) {
        assert_int_equal(ending_named(ending_name((enum ending)i)), i);
        assert_true(strlen(ending_sentence((enum ending)i)) > 0);
        bool of_the_run_alone = i == ENDING_PAUSED || ending_retry((enum ending)i) == RETRY_LATER;
        assert_int_equal(trial_state_is_end(ending_state((enum ending)i)), !of_the_run_alone);
    }
    assert_int_equal(ending_named("COMPLETED"), -1);
    assert_int_equal(ending_named(""), -1);
}

static void retries_are_for_those_who_could_end_otherwise(void **state)
{
    (void)state;
    assert_int_equal(ending_retry(ENDING_LOST), RETRY_FREE);
    assert_int_equal(ending_retry(ENDING_CRASHED), RETRY_COUNTED);
    assert_int_equal(ending_retry(ENDING_OUT_OF_MEMORY), RETRY_MORE);
    assert_int_equal(ending_retry(ENDING_COMPLETED), RETRY_NEVER);
    for (int i = 0; i < ENDINGS_COUNT; i++)
        if (ending_retry((enum ending)i) != RETRY_NEVER)
            assert_int_equal(ending_state((enum ending)i),
                             ending_retry((enum ending)i) == RETRY_LATER ? TRIAL_WAITING : TRIAL_FAILED);
}

static void who_is_not_to_blame_is_what_retries_are_free_for_and_who_could_not_begin(void **state)
{
    (void)state;
    static const enum ending blameless[] = {ENDING_LOST,      ENDING_NOT_STARTED, ENDING_CANCELLED, ENDING_WALLTIME,
                                            ENDING_PREEMPTED, ENDING_NODE_FAILED, ENDING_REQUEUED,  ENDING_GPU_FAILED};
    unsigned next = 0;
    for (int i = 0; i < ENDINGS_COUNT; i++) {
        bool expected = next < sizeof blameless / sizeof *blameless && i == (int)blameless[next];
        assert_int_equal(ending_is_blameless((enum ending)i), expected);
        next += expected;
    }
}

static void every_state_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < TRIAL_STATES; i++)
        assert_int_equal(trial_state_named(trial_state_name((enum trial_state)i)), i);
    assert_int_equal(trial_state_named("done"), -1);
    assert_false(trial_state_is_end(TRIAL_WAITING));
    assert_false(trial_state_is_end(TRIAL_RUNNING));
    assert_false(trial_state_is_end(TRIAL_PAUSED));
}

static void trials_that_have_ended_are_counted(void **state)
{
    (void)state;
    uint64_t counts[TRIAL_STATES] = {[TRIAL_WAITING] = 1000, [TRIAL_RUNNING] = 100, [TRIAL_PAUSED] = 10000};
    assert_int_equal(trial_states_ended(counts), 0);
    counts[TRIAL_COMPLETED] = 1;
    counts[TRIAL_STOPPED] = 2;
    counts[TRIAL_FAILED] = 3;
    counts[TRIAL_CANCELLED] = 4;
    assert_int_equal(trial_states_ended(counts), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_that_have_ended_are_counted),
        cmocka_unit_test(numbers_never_change),
        cmocka_unit_test(every_ending_is_found_by_its_name),
        cmocka_unit_test(retries_are_for_those_who_could_end_otherwise),
        cmocka_unit_test(who_is_not_to_blame_is_what_retries_are_free_for_and_who_could_not_begin),
        cmocka_unit_test(every_state_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
