/* The mark in the limits: whose descendant a process is, and that a sweep meets nobody else. */
#include "common/proc_mark.h"
#include "tests/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tells the test a number. */
static void tell(int fd, uint64_t number)
{
    if (write(fd, &number, sizeof number) != (ssize_t)sizeof number)
        _exit(1);
}

static uint64_t hear(int fd)
{
    uint64_t number;
    assert_int_equal(read(fd, &number, sizeof number), sizeof number);
    return number;
}

/* An owner, its mark, and a descendant of it without an environment, in a session of its own, whose parent is gone. */
struct family {
    pid_t owner, stray;
    uint64_t mark;
    int fd;
};

static _Noreturn void hide(int fd)
{
    clearenv();
    setsid();
    if (fork())
        _exit(0);
    tell(fd, (uint64_t)getpid());
    close(fd);
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(1);
}

static _Noreturn void own(int fd, enum proc_mark_kind kind)
{
    tell(fd, proc_mark_take(kind));
    pid_t child = fork();
    if (child == 0)
        hide(fd);
    waitpid(child, NULL, 0);
    for (;;)
        pause();
}

static struct family start_family(enum proc_mark_kind kind)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct family family = {.owner = fork(), .fd = ends[0]};
    if (family.owner == 0)
        own(ends[1], kind);
    close(ends[1]);
    family.mark = hear(ends[0]);
    family.stray = (pid_t)hear(ends[0]);
    return family;
}

static void kill_owner(const struct family *family)
{
    kill(family->owner, SIGKILL);
    waitpid(family->owner, NULL, 0);
}

static void end_family(const struct family *family)
{
    kill(family->owner, SIGKILL);
    waitpid(family->owner, NULL, 0);
    kill(family->stray, SIGKILL);
    child_expect_dead(family->stray);
    close(family->fd);
}

static void a_sweep_finds_what_has_hidden_itself_and_nothing_else(void **state)
{
    (void)state; /* a dead worker's would be swept by any worker that starts on this machine */
    struct family ours = start_family(PROC_MARK_RUN), others = start_family(PROC_MARK_RUN);
    assert_true(ours.mark && others.mark && ours.mark != others.mark);
    assert_true(proc_mark_owner_lives(ours.mark));
    assert_int_equal(proc_mark_count(ours.mark), 2);
    kill_owner(&ours);
    assert_false(proc_mark_owner_lives(ours.mark));
    assert_int_equal(proc_mark_sweep(ours.mark, 60), 1);
    child_expect_dead(ours.stray);
    assert_int_equal(proc_mark_count(ours.mark), 0);
    assert_int_equal(proc_mark_count(others.mark), 2);
    end_family(&ours);
    end_family(&others);
}

static void what_a_dead_worker_left_is_nobodys_and_what_a_living_one_has_is_not(void **state)
{
    (void)state;
    struct family dead = start_family(PROC_MARK_WORKER), living = start_family(PROC_MARK_WORKER);
    kill_owner(&dead);
    proc_mark_sweep_orphans();
    child_expect_dead(dead.stray);
    assert_false(child_is_dead(living.stray));
    end_family(&dead);
    end_family(&living);
}

static void what_a_dead_run_started_may_be_ending_in_order(void **state)
{
    (void)state;
    struct family run = start_family(PROC_MARK_RUN);
    assert_false(proc_mark_lost_run(run.stray));
    kill_owner(&run);
    assert_true(proc_mark_lost_run(run.stray));
    proc_mark_sweep_orphans();
    assert_false(child_is_dead(run.stray));
    end_family(&run);
}

static void another_process_with_the_number_of_an_owner_is_not_the_owner(void **state)
{
    (void)state;
    struct family family = start_family(PROC_MARK_WORKER);
    uint64_t earlier = family.mark - (UINT64_C(1) << 22); /* started a tick before */
    assert_true(proc_mark_owner_lives(family.mark));
    assert_false(proc_mark_owner_lives(earlier));
    assert_int_equal(proc_mark_sweep(earlier, 60), 0);
    assert_false(child_is_dead(family.stray));
    assert_int_equal(proc_mark_sweep(0, 60), 0);
    assert_int_equal(proc_mark_sweep(4711, 60), 0);
    end_family(&family);
}

/* Runs in a child, whose limits are its own: the first thing that is not so. */
static int check_nesting(void)
{
    struct rlimit limit;
    uint64_t run = proc_mark_take(PROC_MARK_RUN);
    if (!run || proc_mark_take(PROC_MARK_RUN) != run)
        return 1;
    pid_t worker = fork();
    if (worker == 0) {
        uint64_t mark = proc_mark_take(PROC_MARK_WORKER);
        getrlimit(RLIMIT_LOCKS, &limit);
        _exit(!mark || limit.rlim_cur != mark || limit.rlim_max != run);
    }
    int status;
    waitpid(worker, &status, 0);
    return status ? 2 : 0;
}

static void a_worker_inside_a_run_has_both_marks(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(check_nesting());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_limit_that_somebody_has_set_is_left_alone(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {100, 100};
        _exit(setrlimit(RLIMIT_LOCKS, &limit) || proc_mark_take(PROC_MARK_RUN) || proc_mark_take(PROC_MARK_WORKER));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_finds_what_has_hidden_itself_and_nothing_else),
        cmocka_unit_test(what_a_dead_worker_left_is_nobodys_and_what_a_living_one_has_is_not),
        cmocka_unit_test(what_a_dead_run_started_may_be_ending_in_order),
        cmocka_unit_test(another_process_with_the_number_of_an_owner_is_not_the_owner),
        cmocka_unit_test(a_worker_inside_a_run_has_both_marks),
        cmocka_unit_test(a_limit_that_somebody_has_set_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
