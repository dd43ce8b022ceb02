/* A child whose process the kernel does not let go of: this program defines the functions of proc.h itself. */
#include "scheduler/supervisor/child.h"
#include "tests/claims.h"
#include "tests/until.h"

#include <stdio.h>

/* The made-up processes: they are killed, and stay. */
struct proc {
    int pid;
};

struct stage {
    void *scratch;
    struct loop *loop;
    struct child *child;
    bool gone;
    char why[4096];
};

static struct proc processes[8];
static int started, abandoned, killed;

struct proc *proc_start(struct loop *loop, const struct proc_setup *setup,
                        void (*exited)(void *context, const struct proc_exit *how), void *context, struct err *err)
{
    (void)loop, (void)setup, (void)exited, (void)context, (void)err;
    processes[started].pid = 1000000000 + started;
    return &processes[started++];
}

pid_t proc_pid(const struct proc *proc)
{
    return proc->pid;
}

void proc_end(struct proc *proc, double grace)
{
    (void)proc, (void)grace;
    killed++;
}

void proc_abandon(struct proc *proc)
{
    (void)proc;
    abandoned++;
}

void proc_destroy(struct proc *proc)
{
    assert_null(proc); /* it would wait for ever */
}

static uint64_t progress(void *context)
{
    (void)context;
    return 0;
}

static bool again(void *context, struct child *child, int pid, const struct proc_exit *how)
{
    (void)context, (void)child, (void)pid;
    assert_true(how->by_signal);
    return true;
}

static void gone(void *context, struct child *child, const char *why)
{
    (void)child;
    struct stage *stage = context;
    stage->gone = true;
    snprintf(stage->why, sizeof stage->why, "%s", why ? why : "");
}

static int set_up(void **state)
{
    static struct stage stage;
    static const char *const argv[] = {"stuck", NULL};
    stage = (struct stage){.loop = loop_create()};
    started = abandoned = killed = 0;
    *state = &stage;
    if (enter_scratch(&stage.scratch))
        return -1;
    struct child_setup setup = {.loop = stage.loop,
                                .argv = argv,
                                .mark = "GANNET_TEST=1",
                                .log = path_in(&stage.scratch, "log"),
                                .progress = progress,
                                .pause = 0.001,
                                .hold = 0.001,
                                .most_deaths = 3,
                                .again = again,
                                .gone = gone,
                                .context = &stage};
    stage.child = child_start(&setup, NULL);
    return stage.child ? 0 : -1;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    child_destroy(stage->child);
    loop_destroy(stage->loop);
    return leave_scratch(&stage->scratch);
}

static bool has_restarted(void *context)
{
    const struct stage *stage = context;
    return child_pid(stage->child) && (int)child_restarts(stage->child) == killed;
}

static void one_that_can_not_be_killed_is_replaced_but_not_for_ever(void **state)
{
    struct stage *stage = *state;
    for (int i = 0; i < 3; i++) {
        until(stage->loop, has_restarted, stage);
        child_kill(stage->child, 0, "it had been silent");
    }
    until_true(stage->loop, &stage->gone);
    assert_int_equal(started, 3);
    assert_int_equal(abandoned, 3);
    assert_has(stage->why, "was killed: it had been silent, 3 times without a trial having ended");
}

static void its_end_is_not_waited_for_either(void **state)
{
    struct stage *stage = *state;
    child_end(stage->child, 0.001);
    until_true(stage->loop, &stage->gone);
    assert_int_equal(started, 1);
    assert_int_equal(abandoned, 1);
    assert_string_equal(stage->why, "");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(one_that_can_not_be_killed_is_replaced_but_not_for_ever),
        STAGED(its_end_is_not_waited_for_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
