/* How runs of a person's own program end: by themselves, by their limits, at their last step, and what they leave
 * behind. */
#include "common/phases.h"
#include "tests/worker_scripts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The number in a file of the run directory, once it is there. */
static pid_t pid_in(struct harness *harness, const char *name)
{
    struct buf text = {0};
    harness_wait_file(harness, name);
    while (!strchr(harness_file(harness, name, &text), '\n'))
        harness_settle(harness);
    pid_t pid = (pid_t)strtol(buf_str(&text), NULL, 10);
    buf_fini(&text);
    assert_true(pid > 1);
    return pid;
}

/* --- how it ends --- */

static void an_exit_status_is_told(void **state)
{
    const struct msg_result *result = scripts_run(*state, "echo value=1; echo no >&2; exit 3");
    harness_assert_ending(result, ENDING_EXITED);
    assert_string_equal(result->detail, "exit status 3");
    assert_string_equal(result->tail, "no");
}

static void a_signal_is_named(void **state)
{
    const struct msg_result *result = scripts_run(*state, "kill -SEGV $$");
    harness_assert_ending(result, ENDING_CRASHED);
    assert_string_equal(result->detail, "killed by SIGSEGV");
}

static void a_signal_behind_a_shell_is_named(void **state)
{
    const struct msg_result *result = scripts_run(*state, "sh -c 'kill -ABRT $$'; exit $?");
    harness_assert_ending(result, ENDING_EXITED);
    assert_has(result->detail, "exit status 134 (a command of its shell ended by SIGABRT)");
}

static void without_a_value_it_is_said_what_there_was(void **state)
{
    const struct msg_result *result = scripts_run(*state, "echo val_loss=1 acc: 2");
    harness_assert_ending(result, ENDING_NO_VALUE);
    assert_has(result->detail, "printed no value of 'value'");
    assert_has(result->detail, "it printed val_loss, acc");
}

static void a_value_that_is_not_a_number_is_passed_on(void **state)
{
    const struct msg_result *result = scripts_run(*state, "echo value=nan");
    harness_assert_ending(result, ENDING_COMPLETED); /* the coordinator judges it */
    double value = harness_value(result, "value");
    assert_true(value != value);
}

static void a_program_that_is_missing_can_not_start(void **state)
{
    struct harness *harness = *state;
    harness->task.command = "[\"./no-such-program\"]";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "no-such-program' can't be run here: No such file");
}

static void a_placeholder_that_is_none_is_a_bad_configuration(void **state)
{
    struct harness *harness = *state;
    harness->task.command = "[\"true\",\"${params.momentum}\"]";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_BAD_CONFIG);
    assert_has(result->detail, "${params.momentum}");
}

/* --- stopping --- */

static void a_program_is_asked_to_end_and_its_values_count(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "trap 'echo value=2; exit 5' TERM; echo value=1; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_STOPPED_EARLY);
    assert_true(harness_value(result, "value") == 2);
}

static void a_program_that_ignores_sigterm_is_killed_after_the_grace(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 0.2;
    scripts_start(harness, "trap '' TERM; echo $$ > pid; echo value=1; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    pid_t pid = pid_in(harness, "pid");
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    harness_assert_ending(harness_result(harness, 1), ENDING_CANCELLED);
    harness_wait_gone(harness, pid);
}

static void a_program_that_takes_too_long_times_out(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "trap '' TERM; echo value=1; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness->task.grace = 0.1;
    harness->task.trial_time = 0.3;
    harness_send(harness,
                 &(struct msg){.kind = MSG_WHO, .who = {.session = 1}}); /* limits come with the next WELCOME */
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_TIMED_OUT);
    assert_true(harness_value(result, "value") == 1);
}

static void a_program_that_outgrows_its_memory_with_its_children_is_ended(void **state)
{
    struct harness *harness = *state;
    harness->task.memory = 60 << 20;
    /* Each dd has a buffer of 40 MB: one alone would fit. */
    const struct msg_result *result =
        scripts_run(harness, "for i in 1 2; do dd if=/dev/zero of=/dev/null bs=40M 2>/dev/null & done; wait");
    harness_assert_ending(result, ENDING_OUT_OF_MEMORY);
    assert_has(result->detail, "more than the 60 MiB of resources.memory");
}

/* A message that says of this trial's processes that none stands still. */
static bool is_all_moves(const struct msg *msg)
{
    return msg->kind == MSG_STALL && !msg->stall.still;
}

/* The coordinator says it in the sentence of the end. That the program goes on for its last moments is no news. */
static void what_was_said_of_a_stopped_program_stays_until_its_end(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 6;
    scripts_start(harness, "trap '' TERM; echo value=1; kill -STOP $$; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    const struct msg *said = harness_wait(harness, MSG_STALL);
    assert_int_equal(said->stall.still, 1);
    pid_t stopped = (pid_t)said->stall.process;
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    harness_settle(harness);
    kill(stopped, SIGCONT);
    harness_assert_ending(harness_result(harness, 1), ENDING_CANCELLED);
    for (size_t i = 0; i < harness->inbox_count; i++)
        assert_false(is_all_moves(harness->inbox[i]));
}

/* While the worker has no coordinator its program goes on: what was said of it holds no longer. */
static void that_a_program_goes_on_is_said_when_somebody_is_there(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "echo value=1; kill -STOP $$; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    pid_t stopped = (pid_t)harness_wait(harness, MSG_STALL)->stall.process;
    harness->mute = true;
    harness_send(harness, &(struct msg){.kind = MSG_WHO, .who = {.session = 1}});
    harness_wait(harness, MSG_HELLO);
    kill(stopped, SIGCONT);
    for (int hellos = 0; hellos < 7; hellos++) /* one a second: it was looked at meanwhile */
        harness_wait(harness, MSG_HELLO);
    harness_welcome(harness);
    assert_int_equal(harness_wait(harness, MSG_STALL)->stall.still, 0);
}

/* --- its last step --- */

static void a_program_that_has_taken_all_steps_ends_by_itself(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    scripts_start(harness,
                  "trap 'echo value=0; exit 7' TERM; echo value=5 step=3; while [ ! -e go ]; do sleep 0.02; done; "
                  "echo value=4 step=3");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    scripts_let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_COMPLETED);
    assert_string_equal(result->detail, "");
    assert_true(harness_value(result, "value") == 4);
}

static void a_program_that_fails_after_its_last_step_has_failed(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    scripts_start(harness, "echo value=5 step=3; while [ ! -e go ]; do sleep 0.02; done; exit 4");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    scripts_let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_EXITED);
    assert_string_equal(result->detail, "exit status 4");
}

static void a_program_that_goes_on_after_its_last_step_is_stopped(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    harness->task.grace = 0.4;
    scripts_start(harness, "trap '' TERM; echo value=5 step=3; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_STOPPED_EARLY);
    assert_has(result->detail, "did not end by itself within 400ms (trial.grace)");
}

static void a_program_that_reports_steps_beyond_its_last_is_stopped_at_once(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    harness->task.grace = 3600;
    scripts_start(
        harness,
        "echo value=5 step=3; while [ ! -e go ]; do sleep 0.02; done; for i in 4 5; do echo value=$i step=$i; done; "
        "sleep 1000");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    scripts_let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_STOPPED_EARLY);
    assert_has(result->detail, "it had taken all 3 steps of early_stop.max_steps and went on");
}

/* It is not run again for the steps that it has. */
static void the_end_of_its_job_after_its_last_step_completes_or_stops_it(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    scripts_start(harness, "trap 'exit $((GANNET_TRIAL - 1))' TERM; echo value=5 step=3; while :; do sleep 0.05; done");
    for (uint64_t trial = 1; trial <= 2; trial++) {
        harness_lease(harness, trial, 1, "{}");
        harness_wait(harness, MSG_SAMPLES);
        harness_stop_run(harness, trial, ENDING_WALLTIME);
        const struct msg_result *result = harness_result(harness, trial);
        harness_assert_ending(result, trial == 1 ? ENDING_COMPLETED : ENDING_STOPPED_EARLY);
    }
}

/* --- what it leaves behind --- */

static void children_in_its_group_end_with_it(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "sleep 1000 & echo $! > child; echo value=1");
    harness_lease(harness, 1, 1, "{}");
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    harness_wait_gone(harness, pid_in(harness, "child"));
}

static void daemons_in_sessions_of_their_own_end_with_it(void **state)
{
    struct harness *harness = *state;
    scripts_start(
        harness,
        "setsid sh -c 'echo $$ > daemon; setsid sh -c \\\"echo \\\\$\\\\$ > second; sleep 1000\\\" & sleep 1000' "
        "& while [ ! -s second ]; do sleep 0.02; done; echo value=1");
    harness_lease(harness, 1, 1, "{}");
    pid_t first = pid_in(harness, "daemon"), second = pid_in(harness, "second");
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    harness_wait_gone(harness, first);
    harness_wait_gone(harness, second);
}

static void a_daemon_lives_as_long_as_its_run(void **state)
{
    struct harness *harness = *state;
    /* Its parent is gone at once, so it is adopted by the worker while the run goes on. */
    scripts_start(
        harness,
        "(setsid sh -c 'echo $$ > daemon; sleep 1000' &); while [ ! -e go ]; do sleep 0.02; done; echo value=1");
    harness_lease(harness, 1, 1, "{}");
    pid_t daemon = pid_in(harness, "daemon");
    harness_settle(harness);
    assert_true(harness_lives(daemon));
    scripts_let_go(harness);
    harness_assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    harness_wait_gone(harness, daemon);
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(an_exit_status_is_told),
        HARNESS_CLAIM(a_signal_is_named),
        HARNESS_CLAIM(a_signal_behind_a_shell_is_named),
        HARNESS_CLAIM(without_a_value_it_is_said_what_there_was),
        HARNESS_CLAIM(a_value_that_is_not_a_number_is_passed_on),
        HARNESS_CLAIM(a_program_that_is_missing_can_not_start),
        HARNESS_CLAIM(a_placeholder_that_is_none_is_a_bad_configuration),
        HARNESS_CLAIM(a_program_is_asked_to_end_and_its_values_count),
        HARNESS_CLAIM(a_program_that_ignores_sigterm_is_killed_after_the_grace),
        HARNESS_CLAIM(a_program_that_takes_too_long_times_out),
        HARNESS_CLAIM(what_was_said_of_a_stopped_program_stays_until_its_end),
        HARNESS_CLAIM(that_a_program_goes_on_is_said_when_somebody_is_there),
        HARNESS_CLAIM(a_program_that_outgrows_its_memory_with_its_children_is_ended),
        HARNESS_CLAIM(a_program_that_has_taken_all_steps_ends_by_itself),
        HARNESS_CLAIM(a_program_that_fails_after_its_last_step_has_failed),
        HARNESS_CLAIM(a_program_that_goes_on_after_its_last_step_is_stopped),
        HARNESS_CLAIM(a_program_that_reports_steps_beyond_its_last_is_stopped_at_once),
        HARNESS_CLAIM(the_end_of_its_job_after_its_last_step_completes_or_stops_it),
        HARNESS_CLAIM(children_in_its_group_end_with_it),
        HARNESS_CLAIM(daemons_in_sessions_of_their_own_end_with_it),
        HARNESS_CLAIM(a_daemon_lives_as_long_as_its_run),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
