/* Runs that a trainer was given ahead: after so many short ones it gets several at once, and what it has not begun goes
 * back. */
#include "tests/worker_harness.h"

#include <signal.h>
#include <unistd.h>

enum { SHORT_RUNS = 40, BEHIND = 20 };

/* Leases that many short runs, then one that does this, then others behind it; waits until those before it are done. */
static void lease_ahead(struct harness *harness, const char *middle)
{
    harness_start(harness);
    for (uint64_t trial = 1; trial < SHORT_RUNS; trial++)
        harness_lease(harness, trial, 1, "{}");
    harness_lease(harness, SHORT_RUNS, 1, middle);
    for (uint64_t trial = SHORT_RUNS + 1; trial <= SHORT_RUNS + BEHIND; trial++)
        harness_lease(harness, trial, 1, "{}");
    for (uint64_t trial = 1; trial < SHORT_RUNS; trial++)
        harness_assert_ending(harness_result(harness, trial), ENDING_COMPLETED);
}

static void runs_ahead_of_the_trainer_go_back_when_one_before_them_is_long(void **state)
{
    struct harness *harness = *state;
    lease_ahead(harness, "{\"do\":\"wait\"}");
    const struct msg *returned = harness_wait(harness, MSG_RETURNED);
    assert_int_equal(returned->returned.runs_count, BEHIND);
    for (uint32_t i = 0; i < BEHIND; i++)
        assert_int_equal(returned->returned.runs[i].trial, SHORT_RUNS + 1 + i);
    harness_lease(harness, SHORT_RUNS + 1, 1, "{}"); /* the same attempt may come again, and runs once */
    harness_stop_run(harness, SHORT_RUNS, ENDING_CANCELLED);
    harness_assert_ending(harness_result(harness, SHORT_RUNS), ENDING_CANCELLED);
    harness_assert_ending(harness_result(harness, SHORT_RUNS + 1), ENDING_COMPLETED);
}

static void a_run_ahead_that_is_stopped_goes_back_once(void **state)
{
    struct harness *harness = *state;
    bool back[BEHIND] = {false};
    lease_ahead(harness, "{\"do\":\"wait\"}");
    harness_stop_run(harness, SHORT_RUNS + 2, ENDING_CANCELLED);
    for (uint32_t came = 0; came < BEHIND;) { /* all the others follow, behind a long run */
        const struct msg_returned *returned = &harness_wait(harness, MSG_RETURNED)->returned;
        for (uint32_t i = 0; i < returned->runs_count; i++, came++) {
            bool *now = &back[returned->runs[i].trial - SHORT_RUNS - 1];
            assert_false(*now);
            *now = true;
        }
    }
    harness_stop_run(harness, SHORT_RUNS, ENDING_CANCELLED);
    harness_assert_ending(harness_result(harness, SHORT_RUNS), ENDING_CANCELLED);
}

static void a_crash_before_runs_ahead_is_the_one_runs_alone(void **state)
{
    struct harness *harness = *state;
    lease_ahead(harness, "{\"do\":\"signal\",\"number\":6}");
    const struct msg_result *result = harness_result(harness, SHORT_RUNS);
    harness_assert_ending(result, ENDING_CRASHED);
    assert_has(result->detail, "SIGABRT");
    for (uint64_t trial = SHORT_RUNS + 1; trial <= SHORT_RUNS + BEHIND; trial++)
        harness_assert_ending(harness_result(harness, trial), ENDING_COMPLETED);
}

static void a_worker_that_is_drained_takes_back_what_is_ahead(void **state)
{
    struct harness *harness = *state;
    lease_ahead(harness, "{\"do\":\"sleep\",\"number\":100}");
    harness_drain(harness, false);
    harness_assert_ending(harness_result(harness, SHORT_RUNS), ENDING_COMPLETED);
    assert_int_equal(harness_wait_end(harness), 0);
}

/* Stops the process of a trainer that has had many short runs, and leases three at once to it. Its process. */
static pid_t lease_to_stopped(struct harness *harness)
{
    struct msg_lease leases[3];
    struct msg msg = {.kind = MSG_LEASES, .leases = {.leases = leases, .leases_count = 3}};
    lease_ahead(harness, "{}");
    for (uint64_t trial = SHORT_RUNS; trial < SHORT_RUNS + BEHIND; trial++)
        harness_result(harness, trial);
    pid_t pid = (pid_t)harness_value(harness_result(harness, SHORT_RUNS + BEHIND), "pid");
    assert_int_equal(kill(pid, SIGSTOP), 0);
    for (uint64_t i = 0; i < 3; i++)
        leases[i] = (struct msg_lease){.trial = 101 + i, .attempt = 1, .params = "{\"value\":-1}"};
    harness_send(harness, &msg);
    return pid;
}

static void wait_returned(struct harness *harness, uint32_t count)
{
    for (uint32_t came = 0; came < count;)
        came += harness_wait(harness, MSG_RETURNED)->returned.runs_count;
}

static void a_run_that_a_slow_trainer_has_not_begun_goes_back_with_those_behind_it(void **state)
{
    struct harness *harness = *state;
    pid_t pid = lease_to_stopped(harness);
    wait_returned(harness, 3);
    assert_int_equal(kill(pid, SIGCONT), 0);
    for (uint64_t trial = 101; trial <= 103; trial++) {
        char params[32];
        snprintf(params, sizeof params, "{\"value\":%d}", (int)trial);
        harness_lease(harness, trial, 1, params);
    }
    for (uint64_t trial = 101; trial <= 103; trial++)
        assert_true(harness_value(harness_result(harness, trial), "value") == (double)trial);
}

static void a_worker_with_a_slow_trainer_can_be_drained(void **state)
{
    struct harness *harness = *state;
    lease_to_stopped(harness);
    harness_drain(harness, false);
    wait_returned(harness, 3);
    assert_int_equal(harness_wait_end(harness), 0);
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(runs_ahead_of_the_trainer_go_back_when_one_before_them_is_long),
        HARNESS_CLAIM(a_run_ahead_that_is_stopped_goes_back_once),
        HARNESS_CLAIM(a_crash_before_runs_ahead_is_the_one_runs_alone),
        HARNESS_CLAIM(a_worker_that_is_drained_takes_back_what_is_ahead),
        HARNESS_CLAIM(a_run_that_a_slow_trainer_has_not_begun_goes_back_with_those_behind_it),
        HARNESS_CLAIM(a_worker_with_a_slow_trainer_can_be_drained),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
