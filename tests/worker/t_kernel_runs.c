/* Runs on a trainer: every way they end, and what becomes of the trainer. */
#include "common/endings.h"
#include "common/phases.h"
#include "tests/worker_harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_ending(const struct msg_result *result, enum ending ending)
{
    if (result->ending != ending)
        fail_msg("%s: %s, not %s", ending_name((enum ending)result->ending), result->detail, ending_name(ending));
}

static void a_run_that_completes_reports_its_samples_and_profile(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"value\":0.25}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_COMPLETED);
    assert_int_equal(result->attempt, 1);
    assert_int_equal(result->slot, 0);
    assert_true(harness_value(result, "value") == 0.25);
    assert_true(result->peak_memory == 12345678);
    assert_true(result->started > 1e9);
    assert_true(result->cpu_seconds >= 0);
    bool launch = false, forward = false;
    for (uint32_t i = 0; i < result->phases_count; i++) {
        launch |= result->phases[i].phase == PHASE_LAUNCH && result->phases[i].seconds > 0;
        forward |= result->phases[i].phase == PHASE_FORWARD && result->phases[i].count == 2;
    }
    assert_true(launch && forward);
}

static void a_trainer_is_kept_from_run_to_run(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    double first = harness_value(harness_result(harness, 1), "pid");
    for (uint64_t trial = 2; trial < 50; trial++)
        harness_lease(harness, trial, 1, "{}");
    for (uint64_t trial = 2; trial < 50; trial++)
        assert_true(harness_value(harness_result(harness, trial), "pid") == first);
}

/* Pages are what Linux saves when a user has many pipes. */
static void shrink_pipes(void)
{
    enum { MOST_FDS = 1024 };
    int page = (int)sysconf(_SC_PAGESIZE), shrunk = 0;
    for (int fd = 3; fd < MOST_FDS; fd++)
        shrunk += fcntl(fd, F_SETPIPE_SZ, page) == page;
    assert_true(shrunk > 0);
}

static void a_pipe_of_one_page_has_room_for_all_permits(void **state)
{
    enum { TRIALS = 4000 };
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    double first = harness_value(harness_result(harness, 1), "pid");
    shrink_pipes();
    for (uint64_t trial = 2; trial < TRIALS; trial++)
        harness_lease(harness, trial, 1, "{}");
    for (uint64_t trial = 2; trial < TRIALS; trial++)
        assert_true(harness_value(harness_result(harness, trial), "pid") == first);
}

static void each_slot_has_its_own_trainer(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 2;
    harness_start(harness);
    harness_lease_slot(harness, 1, 0, "{}");
    harness_lease_slot(harness, 2, 1, "{}");
    double first = harness_value(harness_result(harness, 1), "pid");
    harness->inbox_read = harness->results_read = 0; /* the second may have come before it */
    assert_true(harness_value(harness_result(harness, 2), "pid") != first);
}

static void a_crash_names_the_signal_and_keeps_the_last_lines(void **state)
{
    struct harness *harness = *state;
    struct buf file = {0};
    harness_start(harness);
    harness_lease(harness, 7, 1, "{\"do\":\"signal\",\"number\":11}");
    const struct msg_result *result = harness_result(harness, 7);
    assert_ending(result, ENDING_CRASHED);
    assert_has(result->detail, "SIGSEGV");
    assert_string_equal(result->tail, "first line\nabout to fall");
    assert_string_equal(harness_file(harness, "trials/000007/stderr", &file), "first line\nabout to fall\n");
    buf_fini(&file);
}

static void a_crash_costs_one_run_and_the_queue_goes_on(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    double first = harness_value(harness_result(harness, 1), "pid");
    harness_lease(harness, 2, 1, "{\"do\":\"signal\",\"number\":6}");
    harness_lease(harness, 3, 1, "{}");
    harness_lease(harness, 4, 1, "{}");
    assert_ending(harness_result(harness, 2), ENDING_CRASHED);
    double second = harness_value(harness_result(harness, 3), "pid");
    assert_true(second != first);
    assert_true(harness_value(harness_result(harness, 4), "pid") == second);
}

static void a_trainer_that_exits_in_the_middle_says_so(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"exit\",\"number\":3}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_EXITED);
    assert_has(result->detail, "exit status 3");
    harness_lease(harness, 2, 1, "{\"do\":\"exit\",\"number\":0}");
    assert_ending(harness_result(harness, 2), ENDING_EXITED);
}

static void endings_and_details_of_the_trainer_are_passed_on(void **state)
{
    struct harness *harness = *state;
    static const enum ending endings[] = {ENDING_DIVERGED, ENDING_BAD_CONFIG, ENDING_NO_VALUE, ENDING_STOPPED_EARLY};
    harness_start(harness);
    for (uint32_t i = 0; i < 4; i++) {
        char params[64];
        snprintf(params, sizeof params, "{\"do\":\"end\",\"number\":%d}", (int)endings[i]);
        harness_lease(harness, i + 1, 1, params);
        const struct msg_result *result = harness_result(harness, i + 1);
        assert_ending(result, endings[i]);
        assert_string_equal(result->detail, "as it was told");
    }
}

static void nonsense_from_a_trainer_ends_it_and_its_run(void **state)
{
    struct harness *harness = *state;
    static const char *const wrongs[] = {"garbage", "wrong", "end"};
    harness_start(harness);
    for (uint32_t i = 0; i < 3; i++) {
        char params[64];
        snprintf(params, sizeof params, "{\"do\":\"%s\",\"number\":999}", wrongs[i]);
        harness_lease(harness, i + 1, 1, params);
        const struct msg_result *result = harness_result(harness, i + 1);
        assert_ending(result, ENDING_CRASHED);
        assert_has(result->detail, "broke the rules");
    }
    harness_lease(harness, 9, 1, "{}");
    assert_ending(harness_result(harness, 9), ENDING_COMPLETED);
}

/* --- stopping --- */

static void a_run_is_halted_after_its_step(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    const struct msg *samples = harness_wait(harness, MSG_SAMPLES);
    assert_int_equal(samples->samples.batches[0].samples_count, 1);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    assert_ending(harness_result(harness, 1), ENDING_STOPPED_EARLY);
    harness_lease(harness, 2, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 2, ENDING_CANCELLED);
    harness_stop_run(harness, 2, ENDING_CANCELLED);
    assert_ending(harness_result(harness, 2), ENDING_CANCELLED);
}

static void a_run_that_ignores_its_halt_is_killed_after_the_grace(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 0.1;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"hang\"}");
    harness_settle(harness);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    assert_ending(harness_result(harness, 1), ENDING_STOPPED_EARLY);
    harness_lease(harness, 2, 1, "{}");
    assert_ending(harness_result(harness, 2), ENDING_COMPLETED);
}

static void a_run_that_hangs_times_out(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 0.1;
    harness->task.trial_time = 0.3;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"hang\"}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_TIMED_OUT);
    assert_has(result->detail, "limits.trial_time");
    harness_lease(harness, 2, 1, "{}");
    assert_ending(harness_result(harness, 2), ENDING_COMPLETED);
}

static void a_lease_that_has_not_begun_goes_back_when_it_is_stopped(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_lease(harness, 2, 1, "{}");
    harness_stop_run(harness, 2, ENDING_CANCELLED);
    const struct msg *returned = harness_wait(harness, MSG_RETURNED);
    assert_int_equal(returned->returned.runs[0].trial, 2);
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    assert_ending(harness_result(harness, 1), ENDING_CANCELLED);
    harness_stop_run(harness, 99, ENDING_CANCELLED); /* one that is not here is no error */
    harness_settle(harness);
}

static void what_waits_behind_a_long_run_goes_back(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_lease(harness, 2, 1, "{}");
    harness_lease(harness, 3, 1, "{}");
    const struct msg *returned = harness_wait(harness, MSG_RETURNED);
    assert_int_equal(returned->returned.runs_count, 2);
    assert_int_equal(returned->returned.runs[0].trial, 2);
    assert_int_equal(returned->returned.runs[1].trial, 3);
    harness_lease(harness, 2, 1, "{}"); /* the same attempt may come again */
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    assert_ending(harness_result(harness, 2), ENDING_COMPLETED);
}

/* --- runs ahead: after so many short ones the trainer gets several at once --- */

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
        assert_ending(harness_result(harness, trial), ENDING_COMPLETED);
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
    assert_ending(harness_result(harness, SHORT_RUNS), ENDING_CANCELLED);
    assert_ending(harness_result(harness, SHORT_RUNS + 1), ENDING_COMPLETED);
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
    assert_ending(harness_result(harness, SHORT_RUNS), ENDING_CANCELLED);
}

static void a_crash_before_runs_ahead_is_the_one_runs_alone(void **state)
{
    struct harness *harness = *state;
    lease_ahead(harness, "{\"do\":\"signal\",\"number\":6}");
    const struct msg_result *result = harness_result(harness, SHORT_RUNS);
    assert_ending(result, ENDING_CRASHED);
    assert_has(result->detail, "SIGABRT");
    for (uint64_t trial = SHORT_RUNS + 1; trial <= SHORT_RUNS + BEHIND; trial++)
        assert_ending(harness_result(harness, trial), ENDING_COMPLETED);
}

static void a_worker_that_is_drained_takes_back_what_is_ahead(void **state)
{
    struct harness *harness = *state;
    lease_ahead(harness, "{\"do\":\"sleep\",\"number\":100}");
    harness_drain(harness, false);
    assert_ending(harness_result(harness, SHORT_RUNS), ENDING_COMPLETED);
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

/* --- starting --- */

static void a_trainer_with_a_trouble_fails_its_runs_and_pauses(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "{\"setup\":\"trouble\"}";
    harness_start(harness);
    for (uint64_t trial = 1; trial <= 3; trial++) {
        harness_lease(harness, trial, 1, "{}");
        const struct msg_result *result = harness_result(harness, trial);
        assert_ending(result, ENDING_NOT_STARTED);
        assert_string_equal(result->detail, "the data are missing");
    }
}

static void a_trainer_that_dies_before_it_is_ready_fails_its_run(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "{\"setup\":\"exit\"}";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "exit status 3; the trainer was not ready yet");
}

static void a_trainer_that_is_missing_is_said_in_a_sentence(void **state)
{
    struct harness *harness = *state;
    harness->trainer[0] = "/no/such/trainer";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "/no/such/trainer': No such file");
}

static void a_trainer_that_never_gets_ready_times_out(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "{\"setup\":\"hang\"}";
    harness->task.trial_time = 0.2;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    assert_ending(harness_result(harness, 1), ENDING_TIMED_OUT);
}

static void a_run_whose_trainer_is_not_ready_goes_back_when_it_is_stopped(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "{\"setup\":\"hang\"}";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_settle(harness);
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    assert_int_equal(harness_wait(harness, MSG_RETURNED)->returned.runs[0].trial, 1);
}

static void a_trainer_that_loads_too_much_is_ended(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "{\"setup\":\"swell\"}";
    harness->task.memory = 100 << 20;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    assert_ending(harness_result(harness, 1), ENDING_OUT_OF_MEMORY);
}

static void a_trainer_is_told_its_place(void **state)
{
    struct harness *harness = *state;
    harness->task.env = "{\"SET_BY_TASK\":\"cores ${resources.cpus}\"}";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"place\"}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_has(result->detail, "gpus '' threads 4");
    assert_has(result->detail, "set 'cores 4'");
}

/* --- memory --- */

static void a_run_that_outgrows_its_memory_is_ended(void **state)
{
    struct harness *harness = *state;
    harness->task.memory = 100 << 20;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"swell\",\"number\":300}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_OUT_OF_MEMORY);
    assert_has(result->detail, "more than the 100 MiB of resources.memory");
}

static void a_trainer_that_grows_is_replaced_between_runs(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    double first = harness_value(harness_result(harness, 1), "pid"), last = first;
    for (uint64_t trial = 2; last == first; trial++) {
        harness_lease(harness, trial, 1,
                      trial == 2 ? "{\"do\":\"leak\",\"number\":400}" : "{\"do\":\"sleep\",\"number\":20}");
        last = harness_value(harness_result(harness, trial), "pid");
    }
    harness_wait_gone(harness, (pid_t)first);
}

/* --- samples --- */

static void many_samples_come_in_order_and_once(void **state)
{
    struct harness *harness = *state;
    enum { COUNT = 10000 }; /* all are recorded */
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"steps\",\"count\":10000,\"batch\":1000}");
    const struct msg_result *result = harness_result(harness, 1);
    uint32_t next = 0;
    for (size_t i = 0; i < harness->inbox_count; i++) {
        const struct msg *msg = harness->inbox[i];
        for (uint32_t b = 0; msg->kind == MSG_SAMPLES && b < msg->samples.batches_count; b++) {
            const struct msg_batch *batch = &msg->samples.batches[b];
            assert_int_equal(batch->first, next);
            next += batch->samples_count;
            assert_true(batch->samples[batch->samples_count - 1].value == next);
        }
    }
    assert_true(result->first <= next);
    assert_int_equal(result->first + result->samples_count, COUNT);
}

static void samples_that_are_acknowledged_are_not_sent_again(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_ack(harness, 1, 1, 1, false);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->first, 1);
    assert_int_equal(result->samples_count, 0);
}

#define rigged(test) cmocka_unit_test_setup_teardown(test, enter_harness, leave_harness)

static int tests(void)
{
    const struct CMUnitTest all[] = {
        rigged(a_run_that_completes_reports_its_samples_and_profile),
        rigged(a_trainer_is_kept_from_run_to_run),
        rigged(a_pipe_of_one_page_has_room_for_all_permits),
        rigged(each_slot_has_its_own_trainer),
        rigged(a_crash_names_the_signal_and_keeps_the_last_lines),
        rigged(a_crash_costs_one_run_and_the_queue_goes_on),
        rigged(a_trainer_that_exits_in_the_middle_says_so),
        rigged(endings_and_details_of_the_trainer_are_passed_on),
        rigged(nonsense_from_a_trainer_ends_it_and_its_run),
        rigged(a_run_is_halted_after_its_step),
        rigged(a_run_that_ignores_its_halt_is_killed_after_the_grace),
        rigged(a_run_that_hangs_times_out),
        rigged(a_lease_that_has_not_begun_goes_back_when_it_is_stopped),
        rigged(what_waits_behind_a_long_run_goes_back),
        rigged(runs_ahead_of_the_trainer_go_back_when_one_before_them_is_long),
        rigged(a_run_ahead_that_is_stopped_goes_back_once),
        rigged(a_crash_before_runs_ahead_is_the_one_runs_alone),
        rigged(a_worker_that_is_drained_takes_back_what_is_ahead),
        rigged(a_run_that_a_slow_trainer_has_not_begun_goes_back_with_those_behind_it),
        rigged(a_worker_with_a_slow_trainer_can_be_drained),
        rigged(a_trainer_with_a_trouble_fails_its_runs_and_pauses),
        rigged(a_trainer_that_dies_before_it_is_ready_fails_its_run),
        rigged(a_trainer_that_is_missing_is_said_in_a_sentence),
        rigged(a_trainer_that_never_gets_ready_times_out),
        rigged(a_run_whose_trainer_is_not_ready_goes_back_when_it_is_stopped),
        rigged(a_trainer_that_loads_too_much_is_ended),
        rigged(a_trainer_is_told_its_place),
        rigged(a_run_that_outgrows_its_memory_is_ended),
        rigged(a_trainer_that_grows_is_replaced_between_runs),
        rigged(many_samples_come_in_order_and_once),
        rigged(samples_that_are_acknowledged_are_not_sent_again),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
