/* Runs of a person's own program: what they are given, print, write and cost. */
#include "common/mem.h"
#include "common/phases.h"
#include "tests/worker_scripts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void what_it_prints_is_read_and_kept(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    const struct msg_result *result =
        scripts_run(harness, "echo epoch=1 value=3; echo epoch=2 value=2 other: 9; echo oh >&2");
    harness_assert_ending(result, ENDING_COMPLETED);
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
    const struct msg_result *result = scripts_run(
        harness, "echo ${args} ${params.lr} ${trial.id} $GANNET_PARAM_opt $GANNET_TRIAL $GANNET_ATTEMPT $GANNET_SEED "
                 "$GANNET_EXPERIMENT $OMP_NUM_THREADS; cat ${args_json_file} $GANNET_PARAMS_FILE; echo; echo value=1");
    harness_assert_ending(result, ENDING_COMPLETED);
    assert_string_equal(harness_file(harness, "trials/000001/stdout", &text),
                        "--lr=0.5 --opt=adam 0.5 1 adam 1 1 7 e 4\n"
                        "{\"lr\":0.5,\"opt\":\"adam\"}{\"lr\":0.5,\"opt\":\"adam\"}\nvalue=1\n");
    buf_fini(&text);
}

static void a_later_attempt_has_files_of_its_own(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    scripts_start(harness, "echo attempt $GANNET_ATTEMPT value=1");
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_lease(harness, 1, 2, "{}");
    assert_int_equal(harness_result(harness, 1)->attempt, 2);
    assert_string_equal(harness_file(harness, "trials/000001/stdout", &text), "attempt 1 value=1\n");
    assert_string_equal(harness_file(harness, "trials/000001/stdout.2", &text), "attempt 2 value=1\n");
    buf_fini(&text);
}

static bool is_there(const struct harness *harness, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/trials/000001/%s", harness->scratch, name);
    return access(path, F_OK) == 0;
}

static void later_attempts_leave_no_file_without_anything_in_it(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    scripts_start(harness, "cat $GANNET_PARAMS_FILE; exit 75");
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        harness_lease(harness, 1, attempt, "{\"lr\":0.5}");
        harness_result(harness, 1);
    }
    assert_string_equal(harness_file(harness, "trials/000001/stdout.3", &text), "{\"lr\":0.5}");
    assert_string_equal(harness_file(harness, "trials/000001/params.json", &text), "{\"lr\":0.5}");
    assert_true(is_there(harness, "stderr"));
    assert_false(is_there(harness, "stderr.2") || is_there(harness, "stderr.3"));
    assert_false(is_there(harness, "params.json.2") || is_there(harness, "params.json.3"));
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
    scripts_start(harness, "echo value=1");
    put_pipe(harness, name);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_NOT_STARTED);
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
    scripts_start(harness, "echo value=1");
    buf_format(&kept, "%s/kept", harness->scratch);
    write_file(buf_str(&kept), "precious", 0600);
    make_place(harness, "stderr", &path);
    assert_int_equal(symlink(buf_str(&kept), buf_str(&path)), 0);
    harness_lease(harness, 1, 1, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_NOT_STARTED);
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

static void samples_come_while_it_runs(void **state)
{
    struct harness *harness = *state;
    scripts_start(harness, "echo value=5; while [ ! -e go ]; do sleep 0.02; done; echo value=4");
    harness_lease(harness, 1, 1, "{}");
    const struct msg *msg = harness_wait(harness, MSG_SAMPLES);
    assert_true(msg->samples.batches[0].samples[0].value == 5);
    scripts_let_go(harness);
    assert_true(harness_value(harness_result(harness, 1), "value") == 4);
}

/* --- a file of its own --- */

static void metrics_come_from_a_file_that_it_writes(void **state)
{
    struct harness *harness = *state;
    harness->task.metrics_file = "logs/metrics.jsonl";
    scripts_start(harness,
                  "cd trials/000001; echo value=9; mkdir logs; f=logs/metrics.jsonl; echo '{step: 1, value: 5}' >$f; "
                  "while [ ! -e ../../go ]; do sleep 0.02; done; echo '{step: 2, value: 4, other: 3}' >>$f");
    harness_lease(harness, 1, 1, "{}");
    const struct msg *msg = harness_wait(harness, MSG_SAMPLES);
    assert_true(msg->samples.batches[0].samples[0].value == 5);
    scripts_let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 4);
    assert_true(harness_value(result, "other") == 3);
}

static void a_file_that_is_written_anew_is_read_anew(void **state)
{
    struct harness *harness = *state;
    harness->task.metrics_file = "m";
    scripts_start(
        harness,
        "cd trials/000001; echo value=5 step=1 and more text than later >m; while [ ! -e ../../go ]; do sleep 0.02; "
        "done; echo value=4 step=2 >m; echo value=3 step=3 >n; mv n m");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES);
    scripts_let_go(harness);
    assert_true(harness_value(harness_result(harness, 1), "value") == 3);
}

static void the_file_of_an_earlier_attempt_is_moved_aside(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    harness->task.metrics_file = "m";
    scripts_start(harness, "[ $GANNET_ATTEMPT = 1 ] || exit 0; echo value=5 >trials/000001/m; exit 3");
    harness_lease(harness, 1, 1, "{}");
    harness_assert_ending(harness_result(harness, 1), ENDING_EXITED);
    harness_lease(harness, 1, 2, "{}");
    const struct msg_result *result = harness_result(harness, 1);
    harness_assert_ending(result, ENDING_NO_VALUE);
    assert_has(result->detail, "there is no value of 'value' in its file m");
    assert_string_equal(harness_file(harness, "trials/000001/m.1", &text), "value=5\n");
    buf_fini(&text);
}

static void a_pipe_in_the_place_of_its_metrics_is_not_waited_for(void **state)
{
    struct harness *harness = *state;
    harness->task.metrics_file = "m";
    scripts_start(harness, "mkfifo trials/000001/m");
    harness_lease(harness, 1, 1, "{}");
    harness_assert_ending(harness_result(harness, 1), ENDING_NO_VALUE);
}

/* --- what it prints --- */

static void a_hundred_megabytes_of_output_are_read_to_the_end(void **state)
{
    struct harness *harness = *state;
    const struct msg_result *result =
        scripts_run(harness, "echo value=1; yes 'a line of no use' | head -c 100000000; echo; echo value=2");
    harness_assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 2);
}

static void binary_garbage_in_the_output_does_no_harm(void **state)
{
    const struct msg_result *result = scripts_run(
        *state, "head -c 300000 /dev/urandom; head -c 3000 /dev/urandom >&2; echo; echo value=1; echo last >&2");
    harness_assert_ending(result, ENDING_COMPLETED);
    assert_true(harness_value(result, "value") == 1);
    assert_has(result->tail, "last");
    for (const char *c = result->tail; *c; c++)
        assert_true((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
}

static void time_is_accounted_for(void **state)
{
    const struct msg_result *result = scripts_run(*state, "echo value=1; sleep 0.2");
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
    const struct msg_result *result = scripts_run(
        *state, "sleep 0.2; echo value=1 time.data=0.05 time.forward=0.02; echo time.data: 0.03; echo time.idle=9; "
                "echo time.data=-1 time.backward=nan; sleep 0.3");
    assert_true(seconds_of(result, PHASE_DATA) == 0.05 + 0.03);
    assert_true(seconds_of(result, PHASE_FORWARD) == 0.02);
    assert_true(seconds_of(result, PHASE_BACKWARD) == 0);
    double others = 0.05 + 0.03 + 0.02 + seconds_of(result, PHASE_LAUNCH) + seconds_of(result, PHASE_IDLE);
    assert_true(seconds_of(result, PHASE_WORK) > 0);
    assert_true(fabs(seconds_of(result, PHASE_WORK) + others - result->seconds) < 1e-3);
    for (uint32_t i = 0; i < result->samples_count; i++)
        assert_string_not_equal(result->samples[i].metric, "time.data");
}

static void the_memory_of_a_program_is_its_own(void **state)
{
    enum { LARGE = 200 << 20 };
    struct harness *harness = *state;
    char *ours = mem_resize(NULL, 1, LARGE);
    explicit_bzero(ours, LARGE); /* the worker, which is this process, is large */
    scripts_start(harness, "echo value=1; while [ ! -e go ]; do sleep 0.02; done");
    harness_lease(harness, 1, 1, "{}");
    harness_wait(harness, MSG_SAMPLES); /* whoever reads its output looks at its memory before */
    scripts_let_go(harness);
    const struct msg_result *result = harness_result(harness, 1);
    assert_true(result->peak_memory > 0);
    assert_true(result->peak_memory < LARGE / 4);
    free(ours);
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(what_it_prints_is_read_and_kept),
        HARNESS_CLAIM(it_gets_its_parameters_in_every_way),
        HARNESS_CLAIM(a_later_attempt_has_files_of_its_own),
        HARNESS_CLAIM(later_attempts_leave_no_file_without_anything_in_it),
        HARNESS_CLAIM(a_pipe_in_the_place_of_its_output_is_not_waited_for),
        HARNESS_CLAIM(a_link_in_the_place_of_its_output_is_not_followed),
        HARNESS_CLAIM(a_pipe_in_the_place_of_its_parameters_is_not_waited_for),
        HARNESS_CLAIM(samples_come_while_it_runs),
        HARNESS_CLAIM(metrics_come_from_a_file_that_it_writes),
        HARNESS_CLAIM(a_file_that_is_written_anew_is_read_anew),
        HARNESS_CLAIM(the_file_of_an_earlier_attempt_is_moved_aside),
        HARNESS_CLAIM(a_pipe_in_the_place_of_its_metrics_is_not_waited_for),
        HARNESS_CLAIM(a_hundred_megabytes_of_output_are_read_to_the_end),
        HARNESS_CLAIM(binary_garbage_in_the_output_does_no_harm),
        HARNESS_CLAIM(time_is_accounted_for),
        HARNESS_CLAIM(phases_that_it_tells_are_no_work_and_no_metrics),
        HARNESS_CLAIM(the_memory_of_a_program_is_its_own),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
