/* Runs on a trainer: every way they end, and what becomes of the trainer. */
#include "common/endings.h"
#include "common/phases.h"
#include "tests/worker_harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void a_run_that_completes_reports_its_samples_and_profile(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"value\":0.25}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_COMPLETED);
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
    harness_assert_ending(result, ENDING_CRASHED);
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
    harness_assert_ending(harness_result(harness, 2), ENDING_CRASHED);
    double second = harness_value(harness_result(harness, 3), "pid");
    assert_true(second != first);
    assert_true(harness_value(harness_result(harness, 4), "pid") == second);
}

/* Its permit is in the pipe still: the trainer had not begun it. */
static void a_run_whose_trainer_died_before_it_began_is_begun_by_the_next(void **state)
{
    struct harness *harness = *state;
    char times[256], params[512];
    snprintf(times, sizeof times, "%s/times", harness->scratch);
    harness_start(harness);
    snprintf(params, sizeof params, "{\"do\":\"shy\",\"number\":2,\"times\":\"%s\"}", times);
    harness_lease(harness, 1, 1, params);
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    unlink(times);
    snprintf(params, sizeof params, "{\"do\":\"shy\",\"number\":1000,\"times\":\"%s\"}", times);
    harness_lease(harness, 2, 1, params); /* but not for ever */
    harness_assert_ending(harness_result(harness, 2), ENDING_CRASHED);
}

static void a_trainer_that_exits_in_the_middle_says_so(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"exit\",\"number\":3}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_EXITED);
    assert_has(result->detail, "exit status 3");
    harness_lease(harness, 2, 1, "{\"do\":\"exit\",\"number\":0}");
    harness_assert_ending(harness_result(harness, 2), ENDING_EXITED);
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
        harness_assert_ending(result, endings[i]);
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
        harness_assert_ending(result, ENDING_CRASHED);
        assert_has(result->detail, "broke the rules");
    }
    harness_lease(harness, 9, 1, "{}");
    harness_assert_ending(harness_result(harness, 9), ENDING_COMPLETED);
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
    harness_assert_ending(harness_result(harness, 1), ENDING_STOPPED_EARLY);
    harness_lease(harness, 2, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 2, ENDING_CANCELLED);
    harness_stop_run(harness, 2, ENDING_CANCELLED);
    harness_assert_ending(harness_result(harness, 2), ENDING_CANCELLED);
}

static void a_run_that_ignores_its_halt_is_killed_after_the_grace(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 0.1;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"hang\"}");
    harness_settle(harness);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_assert_ending(harness_result(harness, 1), ENDING_STOPPED_EARLY);
    harness_lease(harness, 2, 1, "{}");
    harness_assert_ending(harness_result(harness, 2), ENDING_COMPLETED);
}

static void a_run_that_hangs_times_out(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 0.1;
    harness->task.trial_time = 0.3;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"hang\"}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_TIMED_OUT);
    assert_has(result->detail, "limits.trial_time");
    harness_lease(harness, 2, 1, "{}");
    harness_assert_ending(harness_result(harness, 2), ENDING_COMPLETED);
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
    harness_assert_ending(harness_result(harness, 1), ENDING_CANCELLED);
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
    harness_assert_ending(harness_result(harness, 2), ENDING_COMPLETED);
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
        harness_assert_ending(result, ENDING_NOT_STARTED);
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
    harness_assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "exit status 3; the trainer was not ready yet");
}

static void a_trainer_that_is_missing_is_said_in_a_sentence(void **state)
{
    struct harness *harness = *state;
    harness->trainer[0] = "/no/such/trainer";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "/no/such/trainer': No such file");
}

static void a_trainer_that_never_gets_ready_times_out(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "{\"setup\":\"hang\"}";
    harness->task.trial_time = 0.2;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_assert_ending(harness_result(harness, 1), ENDING_TIMED_OUT);
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
    harness_assert_ending(harness_result(harness, 1), ENDING_OUT_OF_MEMORY);
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
    harness_assert_ending(result, ENDING_OUT_OF_MEMORY);
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

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(a_run_that_completes_reports_its_samples_and_profile),
        HARNESS_CLAIM(a_trainer_is_kept_from_run_to_run),
        HARNESS_CLAIM(a_pipe_of_one_page_has_room_for_all_permits),
        HARNESS_CLAIM(each_slot_has_its_own_trainer),
        HARNESS_CLAIM(a_crash_names_the_signal_and_keeps_the_last_lines),
        HARNESS_CLAIM(a_crash_costs_one_run_and_the_queue_goes_on),
        HARNESS_CLAIM(a_run_whose_trainer_died_before_it_began_is_begun_by_the_next),
        HARNESS_CLAIM(a_trainer_that_exits_in_the_middle_says_so),
        HARNESS_CLAIM(endings_and_details_of_the_trainer_are_passed_on),
        HARNESS_CLAIM(nonsense_from_a_trainer_ends_it_and_its_run),
        HARNESS_CLAIM(a_run_is_halted_after_its_step),
        HARNESS_CLAIM(a_run_that_ignores_its_halt_is_killed_after_the_grace),
        HARNESS_CLAIM(a_run_that_hangs_times_out),
        HARNESS_CLAIM(a_lease_that_has_not_begun_goes_back_when_it_is_stopped),
        HARNESS_CLAIM(what_waits_behind_a_long_run_goes_back),
        HARNESS_CLAIM(a_trainer_with_a_trouble_fails_its_runs_and_pauses),
        HARNESS_CLAIM(a_trainer_that_dies_before_it_is_ready_fails_its_run),
        HARNESS_CLAIM(a_trainer_that_is_missing_is_said_in_a_sentence),
        HARNESS_CLAIM(a_trainer_that_never_gets_ready_times_out),
        HARNESS_CLAIM(a_run_whose_trainer_is_not_ready_goes_back_when_it_is_stopped),
        HARNESS_CLAIM(a_trainer_that_loads_too_much_is_ended),
        HARNESS_CLAIM(a_trainer_is_told_its_place),
        HARNESS_CLAIM(a_run_that_outgrows_its_memory_is_ended),
        HARNESS_CLAIM(a_trainer_that_grows_is_replaced_between_runs),
        HARNESS_CLAIM(many_samples_come_in_order_and_once),
        HARNESS_CLAIM(samples_that_are_acknowledged_are_not_sent_again),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
