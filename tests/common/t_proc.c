/* Child processes: how they end, what is told of that, and that nothing of them stays. */
#include "common/proc.h"
#include "tests/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 200 << 20 }; /* bytes */

static void a_process_lives_until_it_ends_reaped_or_not(void **state)
{
    (void)state;
    siginfo_t info;
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    assert_true(proc_lives(getpid()));
    assert_true(proc_lives(child));
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_false(proc_lives(child)); /* a zombie */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(proc_lives(child));
    assert_false(proc_lives(0));
    assert_false(proc_lives(-1));
}

static void the_exit_status_is_reported(void **state)
{
    struct child child;
    assert_true(child_launch_shell(&child, *state, "exit 7"));
    child_wait(&child);
    assert_false(child.how.by_signal);
    assert_int_equal(child.how.number, 7);
    assert_int_equal(child.ends, 1);
    child_finish(&child);
}

static void the_signal_is_reported(void **state)
{
    struct child child;
    assert_true(child_launch_shell(&child, *state, "kill -SEGV $$"));
    child_wait(&child);
    assert_true(child.how.by_signal);
    assert_int_equal(child.how.number, SIGSEGV);
    child_finish(&child);
}

static void processor_time_is_counted(void **state)
{
    struct child child;
    assert_true(child_launch_shell(&child, *state, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
    child_wait(&child);
    assert_true(child.how.user + child.how.system > 0);
    child_finish(&child);
}

static void the_memory_of_a_large_child_is_reported(void **state)
{
    struct child child;
    assert_true(child_launch_shell(&child, *state, "dd if=/dev/zero of=/dev/null bs=200M count=1 2>/dev/null"));
    child_wait(&child);
    assert_true(child.how.peak_memory >= LARGE);
    assert_true(child.how.peak_memory < 2 * LARGE);
    child_finish(&child);
}

/* Behind the claim above: our own peak stays. */
static void our_own_memory_is_not_taken_for_a_childs(void **state)
{
    struct child child;
    char said[16], *ours = malloc(LARGE);
    explicit_bzero(ours, LARGE); /* which no compiler leaves out */
    assert_true(proc_peak(getpid()) >= LARGE);
    assert_true(child_launch_shell(&child, *state, "echo ready; sleep 1000"));
    child_hear(&child, '\n', said, sizeof said);
    assert_true(proc_peak(proc_pid(child.proc)) > 0);
    assert_true(proc_peak(proc_pid(child.proc)) < LARGE / 4);
    proc_end(child.proc, 0);
    child_wait(&child);
    assert_int_equal(child.how.peak_memory, 0);
    assert_int_equal(proc_peak(proc_pid(child.proc)), 0);
    child_finish(&child);
    free(ours);
}

static void many_children_are_told_apart(void **state)
{
    enum { CHILDREN = 40 };
    struct child children[CHILDREN];
    char script[32];
    for (int i = 0; i < CHILDREN; i++) {
        snprintf(script, sizeof script, "exit %d", i);
        assert_true(child_launch_shell(&children[i], *state, script));
    }
    for (int i = 0; i < CHILDREN; i++) {
        child_wait(&children[i]);
        assert_int_equal(children[i].how.number, i);
    }
    for (int i = 0; i < CHILDREN; i++) {
        assert_int_equal(children[i].ends, 1);
        child_finish(&children[i]);
    }
}

/* Until it is a zombie, so that SIGCHLD is there. */
static void await_zombie(const struct child *child)
{
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)proc_pid(child->proc), &info, WEXITED | WNOWAIT), 0);
}

/* A thread that asks a program something has a loop beside that of its process: who looks at its own child first leaves
 * the other loop's to it. */
static void a_child_apart_takes_no_other_loops_news(void **state)
{
    struct loop *beside = loop_create();
    struct proc_setup apart = child_plain;
    apart.argv = (const char *const[]){"/bin/sh", "-c", "exit 3", NULL};
    apart.apart = true;
    struct child own, other;
    assert_true(child_launch_shell(&own, *state, "exit 2"));
    assert_true(child_launch(&other, beside, apart));
    await_zombie(&own);
    await_zombie(&other);
    child_wait(&other);
    child_wait(&own);
    assert_int_equal(own.how.number, 2);
    assert_int_equal(other.how.number, 3);
    assert_int_equal(own.ends, 1);
    assert_int_equal(other.ends, 1);
    child_finish(&other);
    child_finish(&own);
    loop_destroy(beside);
}

static void the_end_is_told_to_who_was_started_with_sigchld_ignored(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    struct loop *loop = loop_create();
    struct child child;
    assert_true(child_launch_shell(&child, loop, "exit 4"));
    child_wait(&child);
    assert_int_equal(child.how.number, 4);
    assert_false(child.how.by_signal);
    child_finish(&child);
    loop_destroy(loop);
}

static void a_child_apart_that_runs_is_killed_when_it_is_destroyed(void **state)
{
    struct proc_setup apart = child_plain;
    apart.argv = (const char *const[]){"/bin/sh", "-c", "while :; do sleep 1; done", NULL};
    apart.apart = true;
    struct child child;
    assert_true(child_launch(&child, *state, apart));
    pid_t pid = proc_pid(child.proc);
    child_finish(&child);
    child_expect_dead(pid);
}

/* --- how children end --- */

static void a_child_may_end_well_after_sigterm(void **state)
{
    struct child child;
    char said[16];
    assert_true(child_launch_shell(&child, *state, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"));
    child_hear(&child, '\n', said, sizeof said);
    proc_end(child.proc, (double)CHILD_PATIENCE);
    child_wait(&child);
    assert_false(child.how.by_signal);
    assert_int_equal(child.how.number, 3);
    child_finish(&child);
}

static void a_child_that_ignores_sigterm_is_killed(void **state)
{
    struct child child;
    char said[16];
    assert_true(child_launch_shell(&child, *state, "trap '' TERM; echo ready; while :; do sleep 0.05; done"));
    child_hear(&child, '\n', said, sizeof said);
    proc_end(child.proc, 1000);
    proc_end(child.proc, 0.1); /* shortens the grace */
    child_wait(&child);
    assert_true(child.how.by_signal);
    assert_int_equal(child.how.number, SIGKILL);
    child_finish(&child);
}

static void a_stopped_child_hears_sigterm_too(void **state)
{
    struct child child;
    assert_true(child_launch_shell(&child, *state, "kill -STOP $$; sleep 1000"));
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)proc_pid(child.proc), &info, WSTOPPED | WNOWAIT), 0);
    proc_end(child.proc, (double)CHILD_PATIENCE);
    child_wait(&child);
    assert_int_equal(child.how.number, SIGTERM);
    child_finish(&child);
}

static void grandchildren_end_with_their_parent(void **state)
{
    struct child child;
    char said[32];
    assert_true(child_launch_shell(&child, *state, "sleep 1000 >/dev/null & echo $!"));
    child_hear(&child, '\n', said, sizeof said);
    child_wait(&child);
    assert_int_equal(child.how.number, 0);
    assert_true(child_is_dead((pid_t)atoi(said)));
    child_finish(&child);
}

/* A process with much memory takes milliseconds to die. */
static void the_end_is_told_when_the_whole_group_is_gone(void **state)
{
    struct child child;
    char said[32];
    assert_true(child_launch_shell(&child, *state, "dd if=/dev/zero of=/dev/null bs=200M & echo $!; wait"));
    child_hear(&child, '\n', said, sizeof said);
    pid_t large = (pid_t)atoi(said);
    while (proc_peak(large) < LARGE)
        usleep(1000);
    kill(proc_pid(child.proc), SIGKILL); /* the shell alone */
    child_wait(&child);
    assert_true(child_is_dead(large));
    child_finish(&child);
}

static void destroying_kills_and_reaps(void **state)
{
    struct child child;
    char said[32];
    assert_true(child_launch_shell(&child, *state, "trap '' TERM; sleep 1000 & echo $!; wait"));
    child_hear(&child, '\n', said, sizeof said);
    pid_t pid = proc_pid(child.proc);
    child_finish(&child);
    assert_int_equal(child.ends, 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    child_expect_dead((pid_t)atoi(said));
    proc_destroy(NULL);
}

static void destroy_in_exited(void *context, const struct proc_exit *how)
{
    struct child *child = context;
    child_exited(context, how);
    proc_destroy(child->proc);
    child->proc = NULL;
}

static void a_child_may_be_destroyed_when_its_end_is_told(void **state)
{
    struct child child = {.loop = *state, .out = -1};
    const char *argv[] = {"true", NULL};
    struct proc_setup setup = child_plain;
    setup.argv = argv;
    child.proc = proc_start(*state, &setup, destroy_in_exited, &child, &child.err);
    assert_non_null(child.proc);
    child_wait(&child);
    assert_null(child.proc);
}

/* A process of ours that starts a child and is killed. */
static pid_t start_and_die(void)
{
    int ends[2];
    pid_t grandchild = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t middle = fork();
    if (middle == 0) {
        struct child child;
        child_launch_shell(&child, loop_create(), "trap '' TERM HUP INT; while :; do sleep 1; done");
        grandchild = proc_pid(child.proc);
        _exit(write(ends[1], &grandchild, sizeof grandchild) == (ssize_t)sizeof grandchild && pause() ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &grandchild, sizeof grandchild), sizeof grandchild);
    kill(middle, SIGKILL);
    waitpid(middle, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    return grandchild;
}

static void a_child_dies_with_us(void **state)
{
    (void)state;
    child_expect_dead(start_and_die());
}

static void the_sweep_kills_what_carries_the_mark(void **state)
{
    struct child marked, other;
    char mark[64], said[32];
    snprintf(mark, sizeof mark, "GANNET_OWNER=test:%d", (int)getpid());
    const char *env[] = {mark, NULL};
    const char *argv[] = {"sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & wait", NULL};
    struct proc_setup setup = child_plain;
    setup.argv = argv;
    setup.env = env;
    assert_true(child_launch(&marked, *state, setup)); /* its grandchild leaves the group */
    assert_true(child_launch_shell(&other, *state, "echo ready; exec sleep 1000"));
    child_hear(&marked, '\n', said, sizeof said);
    proc_end(marked.proc, 0);
    child_wait(&marked);
    pid_t stray = (pid_t)atoi(said);
    assert_false(child_is_dead(stray));
    assert_int_equal(proc_sweep("GANNET_OWNER=test"), 0); /* the whole text counts */
    assert_int_equal(proc_sweep(mark), 1);
    child_expect_dead(stray);
    assert_int_equal(proc_sweep(mark), 0);
    assert_false(child_is_dead(proc_pid(other.proc)));
    child_finish(&marked);
    child_finish(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_lives_until_it_ends_reaped_or_not),
        CLAIM_ON_LOOP(the_exit_status_is_reported),
        CLAIM_ON_LOOP(the_signal_is_reported),
        CLAIM_ON_LOOP(processor_time_is_counted),
        CLAIM_ON_LOOP(the_memory_of_a_large_child_is_reported),
        CLAIM_ON_LOOP(our_own_memory_is_not_taken_for_a_childs),
        CLAIM_ON_LOOP(many_children_are_told_apart),
        CLAIM_ON_LOOP(a_child_apart_takes_no_other_loops_news),
        cmocka_unit_test(the_end_is_told_to_who_was_started_with_sigchld_ignored),
        CLAIM_ON_LOOP(a_child_apart_that_runs_is_killed_when_it_is_destroyed),
        CLAIM_ON_LOOP(a_child_may_end_well_after_sigterm),
        CLAIM_ON_LOOP(a_child_that_ignores_sigterm_is_killed),
        CLAIM_ON_LOOP(a_stopped_child_hears_sigterm_too),
        CLAIM_ON_LOOP(grandchildren_end_with_their_parent),
        CLAIM_ON_LOOP(the_end_is_told_when_the_whole_group_is_gone),
        CLAIM_ON_LOOP(destroying_kills_and_reaps),
        CLAIM_ON_LOOP(a_child_may_be_destroyed_when_its_end_is_told),
        CLAIM_ON_LOOP(a_child_dies_with_us),
        CLAIM_ON_LOOP(the_sweep_kills_what_carries_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
