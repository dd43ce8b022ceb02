/* When a child that dies is started again, and when it is given up. */
#include "scheduler/supervisor/child.h"
#include "tests/claims.h"
#include "tests/until.h"

#include <signal.h>
#include <stdio.h>

enum { DEATHS = 6 };

struct stage {
    void *scratch;
    struct loop *loop;
    struct child *child;
    uint64_t progress, step; /* how far the experiment has come, and by how much at each look */
    uint32_t deaths;
    uint32_t awaited; /* so many restarts */
    uint32_t most;    /* deaths that a person puts up with; 0: DEATHS */
    double waits;     /* seconds that the next start has time */
    bool grows;       /* pauses do without end */
    bool gone;
    char why[4096];
};

static int set_up(void **state)
{
    static struct stage stage;
    stage = (struct stage){0};
    *state = &stage;
    stage.loop = loop_create();
    return enter_scratch(&stage.scratch);
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    child_destroy(stage->child);
    loop_destroy(stage->loop);
    return leave_scratch(&stage->scratch);
}

static uint64_t progress(void *context)
{
    struct stage *stage = context;
    return stage->progress += stage->step;
}

/* A person would have had enough at the sixth. */
static bool again(void *context, struct child *child, int pid, const struct proc_exit *how)
{
    (void)pid, (void)how;
    struct stage *stage = context;
    if (stage->waits > 0)
        child_delay(child, stage->waits);
    return ++stage->deaths < (stage->most ? stage->most : DEATHS);
}

static void gone(void *context, struct child *child, const char *why)
{
    (void)child;
    struct stage *stage = context;
    stage->gone = true;
    snprintf(stage->why, sizeof stage->why, "%s", why ? why : "");
}

static void start(struct stage *stage, const char *const *argv, double steady)
{
    struct child_setup setup = {.loop = stage->loop,
                                .argv = argv,
                                .mark = "GANNET_TEST=1",
                                .log = path_in(&stage->scratch, "log"),
                                .progress = progress,
                                .steady = steady,
                                .pause = 0.001,
                                .pause_most = stage->grows ? 0 : 0.002,
                                .most_deaths = 3,
                                .again = again,
                                .gone = gone,
                                .context = stage};
    struct err err = {0};
    stage->child = child_start(&setup, &err);
    if (!stage->child)
        fail_msg("%s", err.text);
}

/* Lets a child that dies at once die until it is gone: it is given up at the third death on the way to that. */
static void let_die(struct stage *stage, double steady)
{
    static const char *const argv[] = {"false", NULL};
    start(stage, argv, steady);
    until_true(stage->loop, &stage->gone);
}

static void one_that_dies_over_and_over_is_given_up(void **state)
{
    struct stage *stage = *state;
    let_die(stage, 0);
    assert_int_equal(stage->deaths, 3);
    assert_has(stage->why, "3 times without a trial having ended");
}

static void so_is_one_that_did_not_live_long_enough(void **state)
{
    struct stage *stage = *state;
    let_die(stage, 1000);
    assert_int_equal(stage->deaths, 3);
}

static void one_whose_experiment_comes_forward_is_tried_on(void **state)
{
    struct stage *stage = *state;
    stage->step = 1;
    let_die(stage, 0);
    assert_int_equal(stage->deaths, DEATHS);
}

static void so_is_one_that_others_bring_forward_meanwhile(void **state)
{
    struct stage *stage = *state;
    stage->step = 1;
    let_die(stage, 1000);
    assert_int_equal(stage->deaths, DEATHS);
    assert_int_equal(child_restarts(stage->child), DEATHS - 1);
}

static void see(void *context)
{
    *(bool *)context = true;
}

/* A worker that is refused because its node does no good is in no hurry, however long the trials elsewhere take. */
static void one_that_is_to_wait_is_not_started_over_and_over(void **state)
{
    static const char *const argv[] = {"false", NULL};
    struct stage *stage = *state;
    bool seen = false;
    stage->waits = 1000;
    start(stage, argv, 0);
    loop_timer(stage->loop, 0.5, see, &seen);
    until_true(stage->loop, &seen);
    assert_in_range(stage->deaths, 0, 1);
    assert_false(stage->gone);
}

static void nor_for_longer_than_it_is_told(void **state)
{
    static const char *const argv[] = {"false", NULL};
    struct stage *stage = *state;
    stage->waits = 0.001;
    stage->grows = true;
    start(stage, argv, 0);
    until_true(stage->loop, &stage->gone);
    assert_int_equal(stage->deaths, DEATHS);
}

static void but_without_progress_it_is_given_up_in_the_end(void **state)
{
    struct stage *stage = *state;
    stage->waits = 0.001;
    stage->most = 100;
    let_die(stage, 0);
    assert_int_equal(stage->deaths, 30);
    assert_has(stage->why, "30 times without a trial having ended");
}

static void nor_is_it_given_up_while_the_experiment_comes_forward(void **state)
{
    struct stage *stage = *state;
    stage->waits = 0.001;
    stage->step = 1;
    stage->most = 100;
    let_die(stage, 0);
    assert_int_equal(stage->deaths, 100);
}

static bool has_restarted(void *context)
{
    struct stage *stage = context;
    return child_restarts(stage->child) == stage->awaited && child_pid(stage->child);
}

static void one_that_is_stopped_is_killed_and_started_again_but_not_for_ever(void **state)
{
    static const char *const argv[] = {"sleep", "1000", NULL};
    struct stage *stage = *state;
    start(stage, argv, 0);
    for (; stage->awaited < 3; stage->awaited++) {
        until(stage->loop, has_restarted, stage);
        child_signal(stage->child, SIGSTOP);
        child_kill(stage->child, 0, "it had been silent");
    }
    until_true(stage->loop, &stage->gone);
    assert_has(stage->why, "sleep was killed: it had been silent, 3 times without a trial having ended");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(one_that_dies_over_and_over_is_given_up),
        STAGED(so_is_one_that_did_not_live_long_enough),
        STAGED(one_whose_experiment_comes_forward_is_tried_on),
        STAGED(one_that_is_stopped_is_killed_and_started_again_but_not_for_ever),
        STAGED(one_that_is_to_wait_is_not_started_over_and_over),
        STAGED(nor_for_longer_than_it_is_told),
        STAGED(nor_is_it_given_up_while_the_experiment_comes_forward),
        STAGED(but_without_progress_it_is_given_up_in_the_end),
        STAGED(so_is_one_that_others_bring_forward_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
