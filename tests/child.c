/* Children under test; see child.h. */
#include "tests/child.h"
#include "common/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct proc_setup child_plain = {.fd0 = -1, .fd1 = -1, .fd2 = 2, .fd3 = -1};

void child_exited(void *context, const struct proc_exit *how)
{
    struct child *child = context;
    child->how = *how;
    child->ends++;
    loop_stop(child->loop);
}

static void too_late(void *context)
{
    (void)context;
    fprintf(stderr, "a child did not end in %d s\n", CHILD_PATIENCE);
    abort();
}

bool child_launch(struct child *child, struct loop *loop, struct proc_setup setup)
{
    int ends[2];
    *child = (struct child){.loop = loop};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    if (setup.fd1 < 0)
        setup.fd1 = ends[1];
    child->out = ends[0];
    child->proc = proc_start(loop, &setup, child_exited, child, &child->err);
    close(ends[1]);
    assert_int_equal(child->ends, 0);
    return child->proc;
}

bool child_launch_shell(struct child *child, struct loop *loop, const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct proc_setup setup = child_plain;
    setup.argv = argv;
    return child_launch(child, loop, setup);
}

void child_hear(struct child *child, char stop_at, char *text, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && read(child->out, text + length, 1) == 1 && text[length++] != stop_at)
        continue;
    text[length] = '\0';
}

void child_wait(struct child *child)
{
    struct loop_watch *patience = loop_timer(child->loop, (double)CHILD_PATIENCE, too_late, NULL);
    while (!child->ends)
        assert_int_equal(loop_run(child->loop, &child->err), 0);
    loop_remove(patience);
}

void child_finish(struct child *child)
{
    close(child->out);
    proc_destroy(child->proc);
}

const char *child_run(struct child *child, struct loop *loop, struct proc_setup setup)
{
    static char said[8192];
    assert_true(child_launch(child, loop, setup));
    child_hear(child, '\0', said, sizeof said);
    child_wait(child);
    child_finish(child);
    return said;
}

const char *child_run_shell(struct loop *loop, struct proc_setup setup, const char *script)
{
    struct child child;
    const char *argv[] = {"sh", "-c", script, NULL};
    setup.argv = argv;
    return child_run(&child, loop, setup);
}

bool child_is_dead(pid_t pid)
{
    return !proc_lives(pid);
}

void child_expect_dead(pid_t pid)
{
    for (double end = clock_monotonic() + (double)CHILD_PATIENCE; !child_is_dead(pid) && clock_monotonic() < end;)
        usleep(1000);
    assert_true(child_is_dead(pid));
}

int child_enter_loop(void **state)
{
    *state = loop_create();
    return 0;
}

int child_leave_loop(void **state)
{
    loop_destroy(*state);
    return 0;
}
