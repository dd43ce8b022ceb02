/* Runs of a person's own program: every way they end, whatever they print and leave behind. */
#include "common/endings.h"
#include "common/mem.h"
#include "common/phases.h"
#include "tests/worker_harness.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Starts the harness with a script for /bin/sh. */
static void start(struct harness *harness, const char *script)
{
    char *command = mem_format("[\"/bin/sh\",\"-c\",\"%s\"]", script);
    harness->task.command = command;
    harness_start(harness);
    harness->task.command = NULL;
    free(command);
}

static const struct msg_result *run(struct harness *harness, const char *script)
{
    start(harness, script);
    harness_lease(harness, 1, 1, "{\"lr\":0.5,\"opt\":\"adam\"}");
    return harness_result(harness, 1);
}

static void assert_ending(const struct msg_result *result, enum ending ending)
{
    if (result->ending != ending)
        fail_msg("%s: %s, not %s", ending_name((enum ending)result->ending), result->detail, ending_name(ending));
}

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

static void what_it_prints_is_read_and_kept(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    const struct msg_result *result = run(harness, "echo epoch=1 value=3; echo epoch=2 value=2 other: 9; echo oh >&2");
    assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 2);
    assert_true(harness_value(result, "other") == 9);
    assert_string_equal(result->tail, "oh");
    assert_string_equal(harness_file(harness, "trials/000001/stdout", &text),
                        "epoch=1 value=3\nepoch=2 value=2 other: 9\n");
    assert_string_equal(harness_file(harness, "trials/000001/stderr", &text), "oh\n");
    buf_fini(&text);
}

static void it_gets_its_parameters_in_every_way(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    const struct msg_result *result = run(
        harness, "echo ${args} ${params.lr} ${trial.id} $GANNET_PARAM_opt $GANNET_TRIAL $GANNET_ATTEMPT $GANNET_SEED "
                 "$GANNET_EXPERIMENT $OMP_NUM_THREADS; cat ${args_json_file} $GANNET_PARAMS_FILE; echo; echo value=1");
    assert_ending(result, ENDING_COMPLETED);
    assert_string_equal(harness_file(harness, "trials/000001/stdout", &text),
                        "--lr=0.5 --opt=adam 0.5 1 adam 1 1 7 e 4\n"
                        "{\"lr\":0.5,\"opt\":\"adam\"}{\"lr\":0.5,\"opt\":\"adam\"}\nvalue=1\n");
    buf_fini(&text);
}

static void a_later_attempt_has_files_of_its_own(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    start(harness, "echo attempt $GANNET_ATTEMPT value=1");
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_lease(harness, 1, 2, "{}");
    assert_int_equal(harness_result(harness, 1)->attempt, 2);
    assert_string_equal(harness_file(harness, "trials/000001/stdout", &text), "attempt 1 value=1\n");
    assert_string_equal(harness_file(harness, "trials/000001/stdout.2", &text), "attempt 2 value=1\n");
    buf_fini(&text);
}

/* The place of a trial's file, in a directory that is made. */
static void make_place(const struct harness *harness, const char *name, struct buf *path)
{
    buf_format(path, "%s/trials", harness->scratch);
    mkdir(buf_str(path), 0700);
    buf_format(path, "/000001");
    mkdir(buf_str(path), 0700);
    buf_format(path, "/%s", name);
}

/* Puts a pipe that nobody reads or writes where the trial's file is to be. */
static void put_pipe(const struct harness *harness, const char *name)
{
    struct buf path = {0};
    make_place(harness, name, &path);
    assert_int_equal(mkfifo(buf_str(&path), 0600), 0);
    buf_fini(&path);
}

static void assert_pipe_is_refused(struct harness *harness, const char *name)
{
    start(harness, "echo value=1");
    put_pipe(harness, name);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, name);
}

static void a_pipe_in_the_place_of_its_output_is_not_waited_for(void **state)
{
    assert_pipe_is_refused(*state, "stdout");
}

static void a_link_in_the_place_of_its_output_is_not_followed(void **state)
{
    struct harness *harness = *state;
    struct buf path = {0}, kept = {0}, text = {0};
    start(harness, "echo value=1");
    buf_format(&kept, "%s/kept", harness->scratch);
    write_file(buf_str(&kept), "precious", 0600);
    make_place(harness, "stderr", &path);
    assert_int_equal(symlink(buf_str(&kept), buf_str(&path)), 0);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "it is a link");
    assert_string_equal(harness_file(harness, "kept", &text), "precious");
    buf_fini(&path);
    buf_fini(&kept);
    buf_fini(&text);
}

static void a_pipe_in_the_place_of_its_parameters_is_not_waited_for(void **state)
{
    assert_pipe_is_refused(*state, "params.json");
}

/* What programs here wait for. */
static void let_go(const struct harness *harness)
{
    struct buf path = {0};
    buf_format(&path, "%s/go", harness->scratch);
    write_file(buf_str(&path), "", 0600);
    buf_fini(&path);
}

static void samples_come_while_it_runs(void **state)
{
    struct harness *harness = *state;
    start(harness, "echo value=5; while [ ! -e go ]; do sleep 0.02; done; echo value=4");
    harness_lease(harness, 1, 1, "{}");
    const struct msg *msg = harness_wait(harness, MSG_SAMPLES);
    assert_true(msg->samples.batches[0].samples[0].value == 5);
    let_go(harness);
    assert_true(harness_value(harness_result(harness, 1), "value") == 4);
}

/* --- a file of its own --- */

static void metrics_come_from_a_file_that_it_writes(void **state)
{
    struct harness *harness = *state;
    harness->task.metrics_file = "logs/metrics.jsonl";
    start(harness, "cd trials/000001; echo value=9; mkdir logs; f=logs/metrics.jsonl; echo '{step: 1, value: 5}' >$f; "
                   "while [ ! -e ../../go ]; do sleep 0.02; done; echo '{step: 2, value: 4, other: 3}' >>$f");
    harness_lease(harness, 1, 1, "{}");
    const struct msg *msg = harness_wait(harness, MSG_SAMPLES);
    assert_true(msg->samples.batches[0].samples[0].value == 5);
    let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 4);
    assert_true(harness_value(result, "other") == 3);
}

static void a_file_that_is_written_anew_is_read_anew(void **state)
{
    struct harness *harness = *state;
    harness->task.metrics_file = "m";
    start(harness,
          "cd trials/000001; echo value=5 step=1 and more text than later >m; while [ ! -e ../../go ]; do sleep 0.02; "
          "done; echo value=4 step=2 >m; echo value=3 step=3 >n; mv n m");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    let_go(harness);
    assert_true(harness_value(harness_result(harness, 1), "value") == 3);
}

static void the_file_of_an_earlier_attempt_is_moved_aside(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    harness->task.metrics_file = "m";
    start(harness, "[ $GANNET_ATTEMPT = 1 ] || exit 0; echo value=5 >trials/000001/m; exit 3");
    harness_lease(harness, 1, 1, "{}");
    assert_ending(harness_result(harness, 1), ENDING_EXITED);
    harness_lease(harness, 1, 2, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_NO_VALUE);
    assert_has(result->detail, "there is no value of 'value' in its file m");
    assert_string_equal(harness_file(harness, "trials/000001/m.1", &text), "value=5\n");
    buf_fini(&text);
}

static void a_pipe_in_the_place_of_its_metrics_is_not_waited_for(void **state)
{
    struct harness *harness = *state;
    harness->task.metrics_file = "m";
    start(harness, "mkfifo trials/000001/m");
    harness_lease(harness, 1, 1, "{}");
    assert_ending(harness_result(harness, 1), ENDING_NO_VALUE);
}

/* --- how it ends --- */

static void an_exit_status_is_told(void **state)
{
    const struct msg_result *result = run(*state, "echo value=1; echo no >&2; exit 3");
    assert_ending(result, ENDING_EXITED);
    assert_string_equal(result->detail, "exit status 3");
    assert_string_equal(result->tail, "no");
}

static void a_signal_is_named(void **state)
{
    const struct msg_result *result = run(*state, "kill -SEGV $$");
    assert_ending(result, ENDING_CRASHED);
    assert_string_equal(result->detail, "killed by SIGSEGV");
}

static void a_signal_behind_a_shell_is_named(void **state)
{
    const struct msg_result *result = run(*state, "sh -c 'kill -ABRT $$'; exit $?");
    assert_ending(result, ENDING_EXITED);
    assert_has(result->detail, "exit status 134 (a command of its shell ended by SIGABRT)");
}

static void without_a_value_it_is_said_what_there_was(void **state)
{
    const struct msg_result *result = run(*state, "echo val_loss=1 acc: 2");
    assert_ending(result, ENDING_NO_VALUE);
    assert_has(result->detail, "printed no value of 'value'");
    assert_has(result->detail, "it printed val_loss, acc");
}

static void a_value_that_is_not_a_number_is_passed_on(void **state)
{
    const struct msg_result *result = run(*state, "echo value=nan");
    assert_ending(result, ENDING_COMPLETED); /* the coordinator judges it */
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
    assert_ending(result, ENDING_NOT_STARTED);
    assert_has(result->detail, "no-such-program' can't be run here: No such file");
}

static void a_placeholder_that_is_none_is_a_bad_configuration(void **state)
{
    struct harness *harness = *state;
    harness->task.command = "[\"true\",\"${params.momentum}\"]";
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_BAD_CONFIG);
    assert_has(result->detail, "${params.momentum}");
}

/* --- stopping --- */

static void a_program_is_asked_to_end_and_its_values_count(void **state)
{
    struct harness *harness = *state;
    start(harness, "trap 'echo value=2; exit 5' TERM; echo value=1; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_STOPPED_EARLY);
    assert_true(harness_value(result, "value") == 2);
}

static void a_program_that_ignores_sigterm_is_killed_after_the_grace(void **state)
{
    struct harness *harness = *state;
    harness->task.grace = 0.2;
    start(harness, "trap '' TERM; echo $$ > pid; echo value=1; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    pid_t pid = pid_in(harness, "pid");
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    assert_ending(harness_result(harness, 1), ENDING_CANCELLED);
    harness_wait_gone(harness, pid);
}

static void a_program_that_takes_too_long_times_out(void **state)
{
    struct harness *harness = *state;
    start(harness, "trap '' TERM; echo value=1; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness->task.grace = 0.1;
    harness->task.trial_time = 0.3;
    harness_send(harness,
                 &(struct msg){.kind = MSG_WHO, .who = {.session = 1}}); /* limits come with the next WELCOME */
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_TIMED_OUT);
    assert_true(harness_value(result, "value") == 1);
}

static void a_program_that_outgrows_its_memory_with_its_children_is_ended(void **state)
{
    struct harness *harness = *state;
    harness->task.memory = 60 << 20;
    /* Each dd has a buffer of 40 MB: one alone would fit. */
    const struct msg_result *result =
        run(harness, "for i in 1 2; do dd if=/dev/zero of=/dev/null bs=40M 2>/dev/null & done; wait");
    assert_ending(result, ENDING_OUT_OF_MEMORY);
    assert_has(result->detail, "more than the 60 MiB of resources.memory");
}

/* --- its last step --- */

static void a_program_that_has_taken_all_steps_ends_by_itself(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    start(harness, "trap 'echo value=0; exit 7' TERM; echo value=5 step=3; while [ ! -e go ]; do sleep 0.02; done; "
                   "echo value=4 step=3");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_COMPLETED);
    assert_string_equal(result->detail, "");
    assert_true(harness_value(result, "value") == 4);
}

static void a_program_that_fails_after_its_last_step_has_failed(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    start(harness, "echo value=5 step=3; while [ ! -e go ]; do sleep 0.02; done; exit 4");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_EXITED);
    assert_string_equal(result->detail, "exit status 4");
}

static void a_program_that_goes_on_after_its_last_step_is_stopped(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    harness->task.grace = 0.4;
    start(harness, "trap '' TERM; echo value=5 step=3; while :; do sleep 0.05; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_STOPPED_EARLY);
    assert_has(result->detail, "did not end by itself within 400ms (trial.grace)");
}

static void a_program_that_reports_steps_beyond_its_last_is_stopped_at_once(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    harness->task.grace = 3600;
    start(harness,
          "echo value=5 step=3; while [ ! -e go ]; do sleep 0.02; done; for i in 4 5; do echo value=$i step=$i; done; "
          "sleep 1000");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_ending(result, ENDING_STOPPED_EARLY);
    assert_has(result->detail, "it had taken all 3 steps of early_stop.max_steps and went on");
}

/* It is not run again for the steps that it has. */
static void the_end_of_its_job_after_its_last_step_completes_or_stops_it(void **state)
{
    struct harness *harness = *state;
    harness->task.max_steps = 3;
    start(harness, "trap 'exit $((GANNET_TRIAL - 1))' TERM; echo value=5 step=3; while :; do sleep 0.05; done");
    for (uint64_t trial = 1; trial <= 2; trial++) {
        harness_lease(harness, trial, 1, "{}");
        harness_wait(harness, MSG_SAMPLES);
        harness_stop_run(harness, trial, ENDING_WALLTIME);
        const struct msg_result *result = harness_result(harness, trial);
        assert_ending(result, trial == 1 ? ENDING_COMPLETED : ENDING_STOPPED_EARLY);
    }
}

/* --- what it leaves behind --- */

static void children_in_its_group_end_with_it(void **state)
{
    struct harness *harness = *state;
    start(harness, "sleep 1000 & echo $! > child; echo value=1");
    harness_lease(harness, 1, 1, "{}");
    assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    harness_wait_gone(harness, pid_in(harness, "child"));
}

static void daemons_in_sessions_of_their_own_end_with_it(void **state)
{
    struct harness *harness = *state;
    start(harness,
          "setsid sh -c 'echo $$ > daemon; setsid sh -c \\\"echo \\\\$\\\\$ > second; sleep 1000\\\" & sleep 1000' "
          "& while [ ! -s second ]; do sleep 0.02; done; echo value=1");
    harness_lease(harness, 1, 1, "{}");
    pid_t first = pid_in(harness, "daemon"), second = pid_in(harness, "second");
    assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    harness_wait_gone(harness, first);
    harness_wait_gone(harness, second);
}

static void a_daemon_lives_as_long_as_its_run(void **state)
{
    struct harness *harness = *state;
    /* Its parent is gone at once, so it is adopted by the worker while the run goes on. */
    start(harness,
          "(setsid sh -c 'echo $$ > daemon; sleep 1000' &); while [ ! -e go ]; do sleep 0.02; done; echo value=1");
    harness_lease(harness, 1, 1, "{}");
    pid_t daemon = pid_in(harness, "daemon");
    harness_settle(harness);
    assert_true(harness_lives(daemon));
    let_go(harness);
    assert_ending(harness_result(harness, 1), ENDING_COMPLETED);
    harness_wait_gone(harness, daemon);
}

/* --- what it prints --- */

static void a_hundred_megabytes_of_output_are_read_to_the_end(void **state)
{
    struct harness *harness = *state;
    const struct msg_result *result =
        run(harness, "echo value=1; yes 'a line of no use' | head -c 100000000; echo; echo value=2");
    assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 2);
}

static void binary_garbage_in_the_output_does_no_harm(void **state)
{
    const struct msg_result *result =
        run(*state, "head -c 300000 /dev/urandom; head -c 3000 /dev/urandom >&2; echo; echo value=1; echo last >&2");
    assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 1);
    assert_has(result->tail, "last");
    for (const char *c = result->tail; *c; c++)
        assert_true((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
}

static void time_is_accounted_for(void **state)
{
    const struct msg_result *result = run(*state, "echo value=1; sleep 0.2");
    double sum = 0, work = 0;
    for (uint32_t i = 0; i < result->phases_count; i++) {
        sum += result->phases[i].seconds;
        if (result->phases[i].phase == PHASE_WORK)
            work = result->phases[i].seconds;
    }
    assert_true(work > 0);
    assert_true(sum <= result->seconds * 1.01 + 1e-6);
}

static double seconds_of(const struct msg_result *result, enum phase phase)
{
    for (uint32_t i = 0; i < result->phases_count; i++)
        if (result->phases[i].phase == phase)
            return result->phases[i].seconds;
    return 0;
}

static void phases_that_it_tells_are_no_work_and_no_metrics(void **state)
{
    const struct msg_result *result = run(
        *state, "echo value=1 time.data=0.05 time.forward=0.02; echo time.data: 0.03; echo time.idle=9 time.data=-1; "
                "echo time.backward=nan; sleep 0.3");
    assert_true(seconds_of(result, PHASE_DATA) == 0.05 + 0.03);
    assert_true(seconds_of(result, PHASE_FORWARD) == 0.02);
    assert_true(seconds_of(result, PHASE_BACKWARD) == 0);
    assert_true(seconds_of(result, PHASE_WORK) > 0.19);
    assert_true(seconds_of(result, PHASE_WORK) < result->seconds - 0.09);
    for (uint32_t i = 0; i < result->samples_count; i++)
        assert_string_not_equal(result->samples[i].metric, "time.data");
}

static void the_memory_of_a_program_is_its_own(void **state)
{
    enum { LARGE = 200 << 20 };
    struct harness *harness = *state;
    char *ours = mem_resize(NULL, 1, LARGE);
    explicit_bzero(ours, LARGE); /* the worker, which is this process, is large */
    start(harness, "echo value=1; while [ ! -e go ]; do sleep 0.02; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES); /* whoever reads its output looks at its memory before */
    let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_true(result->peak_memory > 0);
    assert_true(result->peak_memory < LARGE / 4);
    free(ours);
}

#define rigged(test) cmocka_unit_test_setup_teardown(test, enter_harness, leave_harness)

static int tests(void)
{
    const struct CMUnitTest all[] = {
        rigged(what_it_prints_is_read_and_kept),
        rigged(it_gets_its_parameters_in_every_way),
        rigged(a_later_attempt_has_files_of_its_own),
        rigged(a_pipe_in_the_place_of_its_output_is_not_waited_for),
        rigged(a_link_in_the_place_of_its_output_is_not_followed),
        rigged(a_pipe_in_the_place_of_its_parameters_is_not_waited_for),
        rigged(samples_come_while_it_runs),
        rigged(metrics_come_from_a_file_that_it_writes),
        rigged(a_file_that_is_written_anew_is_read_anew),
        rigged(the_file_of_an_earlier_attempt_is_moved_aside),
        rigged(a_pipe_in_the_place_of_its_metrics_is_not_waited_for),
        rigged(an_exit_status_is_told),
        rigged(a_signal_is_named),
        rigged(a_signal_behind_a_shell_is_named),
        rigged(without_a_value_it_is_said_what_there_was),
        rigged(a_value_that_is_not_a_number_is_passed_on),
        rigged(a_program_that_is_missing_can_not_start),
        rigged(a_placeholder_that_is_none_is_a_bad_configuration),
        rigged(a_program_is_asked_to_end_and_its_values_count),
        rigged(a_program_that_ignores_sigterm_is_killed_after_the_grace),
        rigged(a_program_that_takes_too_long_times_out),
        rigged(a_program_that_outgrows_its_memory_with_its_children_is_ended),
        rigged(a_program_that_has_taken_all_steps_ends_by_itself),
        rigged(a_program_that_fails_after_its_last_step_has_failed),
        rigged(a_program_that_goes_on_after_its_last_step_is_stopped),
        rigged(a_program_that_reports_steps_beyond_its_last_is_stopped_at_once),
        rigged(the_end_of_its_job_after_its_last_step_completes_or_stops_it),
        rigged(children_in_its_group_end_with_it),
        rigged(daemons_in_sessions_of_their_own_end_with_it),
        rigged(a_daemon_lives_as_long_as_its_run),
        rigged(a_hundred_megabytes_of_output_are_read_to_the_end),
        rigged(binary_garbage_in_the_output_does_no_harm),
        rigged(time_is_accounted_for),
        rigged(phases_that_it_tells_are_no_work_and_no_metrics),
        rigged(the_memory_of_a_program_is_its_own),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
