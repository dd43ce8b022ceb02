/* Child processes: what can't start, and what a child is given. */
#include "common/proc.h"
#include "tests/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLAIM_IN(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

/* --- what can't start --- */

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void nothing(void *context)
{
    (void)context;
}

static void expect_refused(struct loop *loop, struct proc_setup setup, const char *name, const char *sentence)
{
    struct child child = {.loop = loop};
    const char *argv[] = {name, NULL};
    setup.argv = argv;
    loop_remove(loop_signal(loop, SIGCHLD, nothing, NULL)); /* the loop's own descriptor is opened now */
    for (int i = 0; i < 2; i++) {                           /* told by a pipe, then in the memory that both have */
        int before = open_descriptors() + !loop_children(loop)->has_null;
        child.err.text[0] = '\0';
        assert_null(proc_start(loop, &setup, child_exited, &child, &child.err));
        assert_string_equal(child.err.text, sentence);
        assert_int_equal(open_descriptors(), before);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
    }
}

static void a_program_that_is_not_there_is_named(void **state)
{
    expect_refused(*state, child_plain, "/nowhere/train", "can't start '/nowhere/train': No such file or directory");
    expect_refused(*state, child_plain, "./train", "can't start './train': No such file or directory");
    expect_refused(*state, child_plain, "no-such-program",
                   "can't start 'no-such-program': there is no such program in PATH");
    expect_refused(*state, child_plain, "", "can't start '': there is no such program in PATH");
}

static void what_is_no_program_is_named(void **state)
{
    struct loop *loop = loop_create();
    struct proc_setup setup = child_plain;
    setup.directory = *state;
    write_file(path_in(state, "locked"), "#!/bin/sh\n", 0600);
    write_file(path_in(state, "garbage"), "what is this\n", 0700);
    if (geteuid())
        expect_refused(loop, setup, "./locked", "can't start './locked': Permission denied");
    expect_refused(loop, setup, "./garbage",
                   "can't start './garbage': it is no program; a script needs a first line such as #!/bin/sh");
    loop_destroy(loop);
}

static void a_directory_that_is_not_there_is_named(void **state)
{
    struct proc_setup setup = child_plain;
    setup.directory = "/nowhere";
    expect_refused(*state, setup, "sh", "can't start 'sh' in the directory '/nowhere': No such file or directory");
}

static void cores_that_are_not_there_are_refused(void **state)
{
    struct proc_setup setup = child_plain;
    cpu_set_t none;
    CPU_ZERO(&none);
    setup.cpus = &none;
    setup.cpus_size = sizeof none;
    expect_refused(*state, setup, "sh", "can't start 'sh': it could not be bound to its cores: Invalid argument");
}

static int refuse_to_prepare(void *context)
{
    errno = *(const int *)context;
    return -1;
}

static void a_preparation_that_fails_gives_its_reason(void **state)
{
    int why = EPERM;
    struct proc_setup setup = child_plain;
    setup.prepare = refuse_to_prepare;
    setup.context = &why;
    expect_refused(*state, setup, "sh", "can't start 'sh': it could not be prepared: Operation not permitted");
}

static void a_descriptor_that_is_not_open_is_refused(void **state)
{
    struct proc_setup setup = child_plain;
    setup.fd0 = 200;
    expect_refused(*state, setup, "sh",
                   "can't start 'sh': its input and output could not be set up: Bad file descriptor");
}

/* --- what a child is given --- */

static void arguments_and_directory_arrive(void **state)
{
    struct proc_setup setup = child_plain;
    struct child child;
    const char *argv[] = {"sh", "-c", "pwd; printf '<%s>' \"$@\"", "sh", "a b", "", "$x", NULL};
    setup.argv = argv;
    setup.directory = "/usr";
    assert_string_equal(child_run(&child, *state, setup), "/usr\n<a b><><$x>");
}

static void the_environment_is_ours_with_changes(void **state)
{
    struct proc_setup setup = child_plain;
    const char *env[] = {"ONE=1", "TWO=22", "ONE=one", NULL};
    setenv("TWO", "2", 1);
    setenv("TWOFOLD", "4", 1);
    setup.env = env;
    assert_string_equal(child_run_shell(*state, setup, "echo $ONE $TWO $TWOFOLD"), "one 22 4\n");
    assert_string_equal(getenv("TWO"), "2");
}

static void a_program_is_looked_up_in_its_own_path(void **state)
{
    struct loop *loop = loop_create();
    struct child child;
    char path[600];
    write_file(path_in(state, "mine"), "#!/bin/sh\necho found\n", 0700);
    snprintf(path, sizeof path, "PATH=/nowhere::%s:/usr/bin:/bin", (char *)*state);
    const char *argv[] = {"mine", NULL}, *env[] = {path, NULL};
    struct proc_setup setup = child_plain;
    setup.argv = argv;
    setup.env = env;
    assert_string_equal(child_run(&child, loop, setup), "found\n");
    loop_destroy(loop);
}

static void only_the_given_descriptors_are_open(void **state)
{
    int loose = open("/dev/zero", O_RDONLY); /* would be inherited */
    int high = fcntl(loose, F_DUPFD, 150);
    const char *said = child_run_shell(*state, child_plain, "read x || echo nothing to read; exec ls /proc/self/fd");
    assert_string_equal(said, "nothing to read\n0\n1\n2\n3\n"); /* 3 is the listing's own */
    close(high);
    close(loose);
}

/* The descriptors given stand crosswise in each other's places. */
static void descriptors_in_each_others_places_arrive_right(void **state)
{
    struct child child;
    struct proc_setup setup = child_plain;
    char said[64];
    int kept[4], pairs[4][2];
    for (int i = 0; i < 4; i++) {
        kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 50);
        assert_int_equal(pipe2(pairs[i], O_CLOEXEC), 0);
        pairs[i][0] = fcntl(pairs[i][0], F_DUPFD_CLOEXEC, 60);
        pairs[i][1] = fcntl(pairs[i][1], F_DUPFD_CLOEXEC, 60);
    }
    assert_int_equal(write(pairs[0][1], "in\n", 3), 3);
    dup2(pairs[1][1], 0); /* its output lies at 0, its errors at 1, its third at 2, its input at 3 */
    dup2(pairs[2][1], 1);
    dup2(pairs[3][1], 2);
    dup2(pairs[0][0], 3);
    const char *argv[] = {"sh", "-c", "read x; echo $x; echo err >&2; echo three >&3", NULL};
    setup = (struct proc_setup){.argv = argv, .fd0 = 3, .fd1 = 0, .fd2 = 1, .fd3 = 2};
    bool started = child_launch(&child, *state, setup);
    for (int i = 0; i < 4; i++)
        if (kept[i] >= 0)
            dup2(kept[i], i);
        else
            close(i);
    assert_true(started);
    child_wait(&child);
    child_finish(&child);
    for (int i = 1; i < 4; i++) {
        ssize_t length = read(pairs[i][0], said, sizeof said - 1);
        said[length > 0 ? length : 0] = '\0';
        assert_string_equal(said, i == 1 ? "in\n" : i == 2 ? "err\n" : "three\n");
    }
    for (int fd = 50; fd < 100; fd++)
        close(fd);
}

static void a_child_runs_on_its_cores(void **state)
{
    struct proc_setup setup = child_plain;
    cpu_set_t ours, one;
    size_t last = 0;
    char expected[64];
    assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &ours))
            last = i;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    setup.cpus = &one;
    setup.cpus_size = sizeof one;
    snprintf(expected, sizeof expected, "Cpus_allowed_list:\t%zu\n", last);
    assert_string_equal(child_run_shell(*state, setup, "grep Cpus_allowed_list /proc/self/status"), expected);
    cpu_set_t after;
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&ours, &after));
}

static int close_to_others(void *context)
{
    (void)context;
    umask(077);
    return 0;
}

static void the_preparation_happens_in_the_child(void **state)
{
    struct proc_setup setup = child_plain;
    mode_t before = umask(022);
    setup.prepare = close_to_others;
    assert_string_equal(child_run_shell(*state, setup, "umask"), "0077\n");
    assert_int_equal(umask(before), 022);
}

/* Ignores a signal, also one that the library keeps for itself, as whoever started us may have done; or no more. */
static void ignore_in_kernel(int number, bool ignored)
{
    long action[8] = {ignored ? (long)SIG_IGN : (long)SIG_DFL};
    assert_int_equal(syscall(SYS_rt_sigaction, number, action, NULL, 8), 0);
}

static void a_child_finds_signals_at_their_defaults(void **state)
{
    enum { THREADS_OWN = 32 };
    sigset_t set, before;
    ignore_in_kernel(THREADS_OWN, true);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, &before);
    assert_string_equal(
        child_run_shell(*state, child_plain, "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'"),
        "SigBlk:0000000000000000SigIgn:0000000000000000");
    ignore_in_kernel(THREADS_OWN, false);
    sigset_t after;
    sigprocmask(SIG_SETMASK, &before, &after);
    assert_true(sigismember(&after, SIGUSR1));
    signal(SIGPIPE, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static void a_child_leads_its_session_and_group(void **state)
{
    struct child child;
    assert_true(child_launch_shell(&child, *state, "sleep 1000"));
    pid_t pid = proc_pid(child.proc);
    assert_int_equal(getsid(pid), pid);
    assert_int_equal(getpgid(pid), pid);
    assert_true(proc_memory(child.proc) > 0);
    proc_end(child.proc, 0);
    child_wait(&child);
    assert_int_equal(proc_memory(child.proc), 0);
    child_finish(&child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM_ON_LOOP(a_program_that_is_not_there_is_named),
        CLAIM_IN(what_is_no_program_is_named),
        CLAIM_ON_LOOP(a_directory_that_is_not_there_is_named),
        CLAIM_ON_LOOP(cores_that_are_not_there_are_refused),
        CLAIM_ON_LOOP(a_preparation_that_fails_gives_its_reason),
        CLAIM_ON_LOOP(a_descriptor_that_is_not_open_is_refused),
        CLAIM_ON_LOOP(arguments_and_directory_arrive),
        CLAIM_ON_LOOP(the_environment_is_ours_with_changes),
        CLAIM_IN(a_program_is_looked_up_in_its_own_path),
        CLAIM_ON_LOOP(only_the_given_descriptors_are_open),
        CLAIM_ON_LOOP(descriptors_in_each_others_places_arrive_right),
        CLAIM_ON_LOOP(a_child_runs_on_its_cores),
        CLAIM_ON_LOOP(the_preparation_happens_in_the_child),
        CLAIM_ON_LOOP(a_child_finds_signals_at_their_defaults),
        CLAIM_ON_LOOP(a_child_leads_its_session_and_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
