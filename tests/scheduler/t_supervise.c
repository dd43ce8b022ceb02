/* The supervisor over made-up programs: shell scripts in the place of gannet and gannet-worker. */
#include "scheduler/supervisor/supervise.h"
#include "tests/claims.h"
#include "tests/until.h"

#include "common/buf.h"
#include "common/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stage {
    void *scratch;
    struct rundir dir;
    struct loop *loop;
    struct supervisor *supervisor;
    bool ended;
    int status;
    char why[4096];
};

static int set_up(void **state)
{
    static struct stage stage;
    stage = (struct stage){0};
    if (enter_scratch(&stage.scratch))
        return -1;
    rundir_name(stage.scratch, &stage.dir);
    stage.loop = loop_create();
    *state = &stage;
    return path_make_directory(stage.dir.logs, 0700, NULL);
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    supervisor_destroy(stage->supervisor);
    loop_destroy(stage->loop);
    rundir_fini(&stage->dir);
    return leave_scratch(&stage->scratch);
}

static void ended(void *context, int status, const char *why)
{
    struct stage *stage = context;
    assert_false(stage->ended);
    stage->ended = true;
    stage->status = status;
    snprintf(stage->why, sizeof stage->why, "%s", why);
}

/* Starts the scripts; they run in the directory D. */
static void start(struct stage *stage, uint32_t workers, const char *coordinator, const char *worker)
{
    struct supervise_setup setup = {.dir = &stage->dir, .workers = workers, .programs = stage->dir.path};
    const char *const names[] = {"gannet", "gannet-worker"}, *const scripts[] = {coordinator, worker};
    struct err err = {0};
    for (int i = 0; i < 2; i++) {
        struct buf text = {0};
        buf_format(&text, "#!/bin/sh\ncd '%s'\n%s\n", stage->dir.path, scripts[i]);
        write_file(path_in(&stage->scratch, names[i]), buf_str(&text), 0700);
        buf_fini(&text);
    }
    stage->supervisor = supervisor_start(stage->loop, &setup, ended, stage, &err);
    if (!stage->supervisor)
        fail_msg("%s", err.text);
}

static void read_file(struct stage *stage, const char *name, struct buf *out)
{
    assert_int_equal(path_read(path_in(&stage->scratch, name), out, 1 << 20, NULL), 0);
}

#define assert_file_has(stage, name, part)                                                                             \
    do {                                                                                                               \
        struct buf text_ = {0};                                                                                        \
        read_file((stage), (name), &text_);                                                                            \
        assert_has(buf_str(&text_), (part));                                                                           \
        buf_fini(&text_);                                                                                              \
    } while (0)

/* Waits for the other side to be there. */
#define AWAIT(file) "while [ ! -e " file " ]; do sleep 0.01; done; "

static void an_experiment_that_ends_in_order_ends_with_status_0(void **state)
{
    struct stage *stage = *state;
    start(stage, 2, AWAIT("1of2") AWAIT("2of2") "touch end",
          "case \"$*\" in *1/2*) touch 1of2;; *2/2*) touch 2of2;; esac; " AWAIT("end"));
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 0);
    assert_string_equal(stage->why, "");
}

static void children_learn_the_run_directory_and_write_to_logs(void **state)
{
    struct stage *stage = *state;
    write_file(path_in(&stage->scratch, "logs/coordinator.log"), "of before\n", 0600);
    start(stage, 1, AWAIT("up") "echo \"$@\"; touch end", "echo \"$@\" >&2; touch up; " AWAIT("end"));
    until_true(stage->loop, &stage->ended);
    assert_file_has(stage, "logs/coordinator.log", "of before\ncoordinator --rundir /");
    assert_file_has(stage, "logs/worker-1.log", "--share 1/1");
}

static void a_killed_coordinator_is_started_again(void **state)
{
    struct stage *stage = *state;
    uint32_t coordinators, workers;
    start(stage, 1, "[ -e again ] || { touch again; kill -9 $$; }; touch end", AWAIT("end"));
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 0);
    supervisor_restarts(stage->supervisor, &coordinators, &workers);
    assert_int_equal(coordinators, 1);
    assert_int_equal(workers, 0);
}

static void a_dead_worker_is_started_again(void **state)
{
    struct stage *stage = *state;
    uint32_t coordinators, workers;
    start(stage, 1, AWAIT("end"), "[ -e again ] || { touch again; kill -9 $$; }; touch end");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 0);
    supervisor_restarts(stage->supervisor, &coordinators, &workers);
    assert_int_equal(coordinators, 0);
    assert_int_equal(workers, 1);
}

static void a_coordinator_that_says_why_it_ends_is_not_started_again(void **state)
{
    struct stage *stage = *state;
    uint32_t coordinators, workers;
    start(stage, 1, "echo 'no such strategy' >&2; exit 2", "exec sleep 1000");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 2); /* it refuses the run directory: nothing was started */
    assert_has(stage->why, "ended with status 2");
    assert_has(stage->why, "no such strategy");
    supervisor_restarts(stage->supervisor, &coordinators, &workers);
    assert_int_equal(coordinators, 0);
}

static void a_coordinator_that_fails_otherwise_ends_with_status_1(void **state)
{
    struct stage *stage = *state;
    start(stage, 1, "exit 3", "exec sleep 1000");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 1);
}

static void one_that_could_not_write_its_store_is_put_into_words_without_its_log(void **state)
{
    struct stage *stage = *state;
    uint32_t coordinators, workers;
    start(stage, 1, "exit 74", "exec sleep 1000");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 1);
    assert_has(stage->why, "could not be written");
    assert_has(stage->why, "--resume");
    supervisor_restarts(stage->supervisor, &coordinators, &workers);
    assert_int_equal(coordinators, 0);
}

static void a_coordinator_that_dies_over_and_over_is_given_up_with_its_last_words(void **state)
{
    struct stage *stage = *state;
    uint32_t coordinators, workers;
    start(stage, 1, "echo 'the last words'; kill -SEGV $$", "exec sleep 1000");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 1);
    assert_has(stage->why, "5 times without a trial having ended");
    assert_has(stage->why, "the last words");
    supervisor_restarts(stage->supervisor, &coordinators, &workers);
    assert_int_equal(coordinators, 4);
}

static void without_any_worker_left_the_coordinator_is_ended(void **state)
{
    struct stage *stage = *state;
    start(stage, 1, "trap 'touch stopped; exit 0' TERM; while :; do sleep 0.01; done",
          "echo 'a trial wants 8 GPUs, this node has none'; exit 1");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 1);
    assert_has(stage->why, "a trial wants 8 GPUs");
    assert_true(path_exists(path_in(&stage->scratch, "stopped")));
}

static void workers_that_left_are_fatal_only_when_the_experiment_goes_on(void **state)
{
    struct stage *stage = *state;
    start(stage, 1, AWAIT("left") "sleep 0.1; exit 0", "touch left");
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 0);
    assert_string_equal(stage->why, "");
}

/* Whether the process whose number is in that file of the run directory is gone; one that nobody reaps counts as gone.
 */
static bool is_gone(struct stage *stage, const char *name)
{
    struct buf text = {0}, status = {0};
    char path[64];
    read_file(stage, name, &text);
    snprintf(path, sizeof path, "/proc/%d/stat", atoi(buf_str(&text)));
    bool gone = path_read(path, &status, 4096, NULL) || strstr(buf_str(&status), ") Z ");
    buf_fini(&text);
    buf_fini(&status);
    return gone;
}

static bool left_is_gone(void *context)
{
    return is_gone(context, "left");
}

static void nothing_that_a_killed_worker_started_is_left(void **state)
{
    struct stage *stage = *state;
    start(
        stage, 1, AWAIT("again") "touch end",
        "[ -e again ] || { setsid sleep 1000 & echo $! >left.tmp; mv left.tmp left; touch again; kill -9 $$; }; " AWAIT(
            "end"));
    until_true(stage->loop, &stage->ended);
    until(stage->loop, left_is_gone, stage);
}

static bool both_are_up(void *context)
{
    struct stage *stage = context;
    return path_exists(path_in(&stage->scratch, "pid1")) && path_exists(path_in(&stage->scratch, "pid2"));
}

static void a_kill_ends_everything_at_once(void **state)
{
    struct stage *stage = *state;
    start(stage, 1, "trap '' TERM; echo $$ >1; mv 1 pid1; while :; do sleep 0.01; done",
          "trap '' TERM; echo $$ >2; mv 2 pid2; while :; do sleep 0.01; done");
    until(stage->loop, both_are_up, stage);
    supervisor_kill(stage->supervisor);
    until_true(stage->loop, &stage->ended);
    assert_int_equal(stage->status, 1);
    assert_true(is_gone(stage, "pid1"));
    assert_true(is_gone(stage, "pid2"));
}

static void a_missing_program_is_an_error_at_once(void **state)
{
    struct stage *stage = *state;
    struct supervise_setup setup = {.dir = &stage->dir, .programs = "/nowhere"};
    struct err err = {0};
    assert_null(supervisor_start(stage->loop, &setup, ended, stage, &err));
    assert_has(err.text, "/nowhere/gannet");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(an_experiment_that_ends_in_order_ends_with_status_0),
        STAGED(children_learn_the_run_directory_and_write_to_logs),
        STAGED(a_killed_coordinator_is_started_again),
        STAGED(a_dead_worker_is_started_again),
        STAGED(a_coordinator_that_fails_otherwise_ends_with_status_1),
        STAGED(a_coordinator_that_says_why_it_ends_is_not_started_again),
        STAGED(one_that_could_not_write_its_store_is_put_into_words_without_its_log),
        STAGED(a_coordinator_that_dies_over_and_over_is_given_up_with_its_last_words),
        STAGED(without_any_worker_left_the_coordinator_is_ended),
        STAGED(workers_that_left_are_fatal_only_when_the_experiment_goes_on),
        STAGED(nothing_that_a_killed_worker_started_is_left),
        STAGED(a_kill_ends_everything_at_once),
        STAGED(a_missing_program_is_an_error_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
