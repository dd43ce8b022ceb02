/* Processes and their children in /proc. */
#include "worker/program/process_tree.h"
#include "common/proc.h"
#include "tests/claims.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ended(void *context, const struct proc_exit *how)
{
    (void)how;
    loop_stop(context);
}

/* A shell with a child, both waiting; *state is the scratch directory. */
static struct proc *start_family(void **state, struct loop *loop)
{
    struct err err = {""};
    const char *argv[] = {"/bin/sh", "-c", "sleep 1000 & sleep 1000", NULL};
    const char *env[] = {"PROCESS_TREE_TEST=a family", "PROCESS_TREE_EMPTY=", NULL};
    struct proc_setup setup = {
        .argv = argv, .env = env, .directory = *state, .fd0 = -1, .fd1 = -1, .fd2 = -1, .fd3 = -1};
    struct proc *proc = proc_start(loop, &setup, ended, loop, &err);
    if (!proc)
        fail_msg("%s", err.text);
    return proc;
}

static size_t count_tree(pid_t pid)
{
    struct process_tree tree = {0};
    process_tree_tree(pid, &tree);
    size_t count = tree.count;
    process_tree_fini(&tree);
    return count;
}

static void a_tree_has_children_and_their_memory(void **state)
{
    struct loop *loop = loop_create();
    struct proc *proc = start_family(state, loop);
    struct buf value = {0};
    pid_t pid = proc_pid(proc);
    while (count_tree(pid) < 3)
        continue; /* until the shell has started them */
    struct process_tree children = {0};
    process_tree_children(getpid(), &children);
    assert_int_equal(children.count, 1);
    assert_int_equal(children.pids[0], pid);
    assert_true(process_tree_memory(pid, false) > 100000);
    assert_true(process_tree_memory(pid, true) > 0);
    assert_true(process_tree_memory(pid, true) <= process_tree_memory(pid, false));
    assert_true(process_tree_peak(pid) >= proc_peak(pid) && proc_peak(pid) > 0);
    assert_true(process_tree_env(pid, "PROCESS_TREE_TEST=", &value));
    assert_string_equal(buf_str(&value), "a family");
    assert_true(process_tree_env(pid, "PROCESS_TREE_EMPTY=", &value));
    assert_string_equal(buf_str(&value), "");
    assert_false(process_tree_env(pid, "PROCESS_TREE_NONE=", &value));
    process_tree_fini(&children);
    buf_fini(&value);
    proc_destroy(proc);
    loop_destroy(loop);
}

static void a_process_of_a_tree_that_is_stopped_is_found(void **state)
{
    struct loop *loop = loop_create();
    struct proc *proc = start_family(state, loop);
    struct process_tree tree = {0};
    pid_t pid = proc_pid(proc);
    while (count_tree(pid) < 3)
        continue; /* until the shell has started them */
    assert_int_equal(process_tree_stopped(pid), 0);
    process_tree_tree(pid, &tree);
    pid_t child = tree.pids[2];
    kill(child, SIGSTOP);
    while (process_tree_stopped(pid) != child)
        continue; /* until the signal has come */
    kill(child, SIGCONT);
    while (process_tree_stopped(pid))
        continue;
    process_tree_fini(&tree);
    proc_destroy(proc);
    loop_destroy(loop);
}

static void a_process_that_is_gone_has_nothing(void **state)
{
    (void)state;
    enum { NOBODY = 4194304 }; /* above the highest number that Linux gives */
    struct buf value = {0};
    assert_int_equal(count_tree(NOBODY), 1);
    assert_true(process_tree_memory(NOBODY, true) == 0);
    assert_true(process_tree_peak(NOBODY) == 0);
    assert_false(process_tree_env(NOBODY, "PATH=", &value));
    buf_fini(&value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tree_has_children_and_their_memory, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_process_of_a_tree_that_is_stopped_is_found, enter_scratch, leave_scratch),
        cmocka_unit_test(a_process_that_is_gone_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
