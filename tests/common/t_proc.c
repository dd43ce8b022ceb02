/* Child processes: how they start, what they are given, how they end, and that nothing of them stays. */
#include "common/buf.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/proc.h"
#include "tests/claims.h"

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

enum { PATIENCE = 30 }; /* seconds after which a test that waits has failed */

static struct err err;

/* One child and what became of it. */
struct child {
    struct loop *loop;
    struct proc *proc;
    int ends; /* how often `exited` was called */
    struct proc_exit how;
    int out; /* what it says: the reading end of its standard output; -1: none */
};

static void exited(void *context, const struct proc_exit *how)
{
    struct child *child = context;
    child->how = *how;
    child->ends++;
    loop_stop(child->loop);
}

static void too_late(void *context)
{
    (void)context;
    fprintf(stderr, "a child did not end in %d s\n", PATIENCE);
    abort();
}

static const struct proc_setup plain = {.fd0 = -1, .fd1 = -1, .fd2 = 2, .fd3 = -1};

/* Starts a child whose standard output we read. */
static bool start(struct child *child, struct loop *loop, struct proc_setup setup)
{
    int ends[2];
    *child = (struct child){.loop = loop};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    if (setup.fd1 < 0)
        setup.fd1 = ends[1];
    child->out = ends[0];
    child->proc = proc_start(loop, &setup, exited, child, &err);
    close(ends[1]);
    assert_int_equal(child->ends, 0);
    return child->proc;
}

static bool start_shell(struct child *child, struct loop *loop, const char *script)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct proc_setup setup = plain;
    setup.argv = argv;
    return start(child, loop, setup);
}

/* Reads until `stop_at` was said, or the end. */
static void hear(struct child *child, char stop_at, char *text, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && read(child->out, text + length, 1) == 1 && text[length++] != stop_at)
        continue;
    text[length] = '\0';
}

static void wait_for_end(struct child *child)
{
    struct loop_watch *patience = loop_timer(child->loop, PATIENCE, too_late, NULL);
    while (!child->ends)
        assert_int_equal(loop_run(child->loop, &err), 0);
    loop_remove(patience);
}

static void finish(struct child *child)
{
    close(child->out);
    proc_destroy(child->proc);
}

/* Runs a shell script to its end; what it said. */
static const char *run_setup(struct loop *loop, struct proc_setup setup, struct child *child)
{
    static char said[8192];
    assert_true(start(child, loop, setup));
    hear(child, '\0', said, sizeof said);
    wait_for_end(child);
    finish(child);
    return said;
}

static const char *run_shell(struct loop *loop, struct proc_setup setup, const char *script)
{
    struct child child;
    const char *argv[] = {"sh", "-c", script, NULL};
    setup.argv = argv;
    return run_setup(loop, setup, &child);
}

/* Whether a process runs no more: it is not there, or only its entry waits to be reaped by whoever inherited it. */
static bool is_dead(pid_t pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state == 'Z' || state == 'X';
}

static void expect_dead(pid_t pid)
{
    for (double end = clock_monotonic() + PATIENCE; !is_dead(pid) && clock_monotonic() < end;)
        usleep(1000);
    assert_true(is_dead(pid));
}

static void the_exit_status_is_reported(void **state)
{
    struct child child;
    assert_true(start_shell(&child, *state, "exit 7"));
    wait_for_end(&child);
    assert_false(child.how.by_signal);
    assert_int_equal(child.how.number, 7);
    assert_int_equal(child.ends, 1);
    assert_true(child.how.peak_memory > 0);
    finish(&child);
}

static void the_signal_is_reported(void **state)
{
    struct child child;
    assert_true(start_shell(&child, *state, "kill -SEGV $$"));
    wait_for_end(&child);
    assert_true(child.how.by_signal);
    assert_int_equal(child.how.number, SIGSEGV);
    finish(&child);
}

static void processor_time_is_counted(void **state)
{
    struct child child;
    assert_true(start_shell(&child, *state, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
    wait_for_end(&child);
    assert_true(child.how.user + child.how.system > 0);
    finish(&child);
}

static void many_children_are_told_apart(void **state)
{
    enum { CHILDREN = 40 };
    struct child children[CHILDREN];
    char script[32];
    for (int i = 0; i < CHILDREN; i++) {
        snprintf(script, sizeof script, "exit %d", i);
        assert_true(start_shell(&children[i], *state, script));
    }
    for (int i = 0; i < CHILDREN; i++) {
        wait_for_end(&children[i]);
        assert_int_equal(children[i].how.number, i);
    }
    for (int i = 0; i < CHILDREN; i++) {
        assert_int_equal(children[i].ends, 1);
        finish(&children[i]);
    }
}

/* --- what can't start --- */

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void expect_refused(struct loop *loop, struct proc_setup setup, const char *name, const char *sentence)
{
    struct child child = {.loop = loop};
    const char *argv[] = {name, NULL};
    setup.argv = argv;
    loop_remove(loop_signal(loop, SIGCHLD, too_late, NULL)); /* the loop's own descriptor is opened now */
    int before = open_descriptors();
    assert_null(proc_start(loop, &setup, exited, &child, &err));
    assert_string_equal(err.text, sentence);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    expect_refused(*state, plain, "/nowhere/train", "can't start '/nowhere/train': No such file or directory");
    expect_refused(*state, plain, "./train", "can't start './train': No such file or directory");
    expect_refused(*state, plain, "no-such-program", "can't start 'no-such-program': there is no such program in PATH");
    expect_refused(*state, plain, "", "can't start '': there is no such program in PATH");
}

static void what_is_no_program_is_named(void **state)
{
    struct loop *loop = loop_create();
    struct proc_setup setup = plain;
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
    struct proc_setup setup = plain;
    setup.directory = "/nowhere";
    expect_refused(*state, setup, "sh", "can't start 'sh' in the directory '/nowhere': No such file or directory");
}

static void cores_that_are_not_there_are_refused(void **state)
{
    struct proc_setup setup = plain;
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
    struct proc_setup setup = plain;
    setup.prepare = refuse_to_prepare;
    setup.context = &why;
    expect_refused(*state, setup, "sh", "can't start 'sh': it could not be prepared: Operation not permitted");
}

static void a_descriptor_that_is_not_open_is_refused(void **state)
{
    struct proc_setup setup = plain;
    setup.fd0 = 200;
    expect_refused(*state, setup, "sh",
                   "can't start 'sh': its input and output could not be set up: Bad file descriptor");
}

/* --- what a child is given --- */

static void arguments_and_directory_arrive(void **state)
{
    struct proc_setup setup = plain;
    struct child child;
    const char *argv[] = {"sh", "-c", "pwd; printf '<%s>' \"$@\"", "sh", "a b", "", "$x", NULL};
    setup.argv = argv;
    setup.directory = "/usr";
    assert_string_equal(run_setup(*state, setup, &child), "/usr\n<a b><><$x>");
}

static void the_environment_is_ours_with_changes(void **state)
{
    struct proc_setup setup = plain;
    const char *env[] = {"ONE=1", "TWO=22", "ONE=one", NULL};
    setenv("TWO", "2", 1);
    setenv("TWOFOLD", "4", 1);
    setup.env = env;
    assert_string_equal(run_shell(*state, setup, "echo $ONE $TWO $TWOFOLD"), "one 22 4\n");
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
    struct proc_setup setup = plain;
    setup.argv = argv;
    setup.env = env;
    assert_string_equal(run_setup(loop, setup, &child), "found\n");
    loop_destroy(loop);
}

static void only_the_given_descriptors_are_open(void **state)
{
    int loose = open("/dev/zero", O_RDONLY); /* would be inherited */
    int high = fcntl(loose, F_DUPFD, 150);
    const char *said = run_shell(*state, plain, "read x || echo nothing to read; exec ls /proc/self/fd");
    assert_string_equal(said, "nothing to read\n0\n1\n2\n3\n"); /* 3 is the listing's own */
    close(high);
    close(loose);
}

/* The descriptors given stand crosswise in each other's places. */
static void descriptors_in_each_others_places_arrive_right(void **state)
{
    struct child child;
    struct proc_setup setup = plain;
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
    bool started = start(&child, *state, setup);
    for (int i = 0; i < 4; i++)
        if (kept[i] >= 0)
            dup2(kept[i], i);
        else
            close(i);
    assert_true(started);
    wait_for_end(&child);
    finish(&child);
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
    struct proc_setup setup = plain;
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
    assert_string_equal(run_shell(*state, setup, "grep Cpus_allowed_list /proc/self/status"), expected);
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
    struct proc_setup setup = plain;
    mode_t before = umask(022);
    setup.prepare = close_to_others;
    assert_string_equal(run_shell(*state, setup, "umask"), "0077\n");
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
    assert_string_equal(run_shell(*state, plain, "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'"),
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
    assert_true(start_shell(&child, *state, "sleep 1000"));
    pid_t pid = proc_pid(child.proc);
    assert_int_equal(getsid(pid), pid);
    assert_int_equal(getpgid(pid), pid);
    assert_true(proc_memory(child.proc) > 0);
    proc_end(child.proc, 0);
    wait_for_end(&child);
    assert_int_equal(proc_memory(child.proc), 0);
    finish(&child);
}

/* --- how children end --- */

static void a_child_may_end_well_after_sigterm(void **state)
{
    struct child child;
    char said[16];
    assert_true(start_shell(&child, *state, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"));
    hear(&child, '\n', said, sizeof said);
    proc_end(child.proc, PATIENCE);
    wait_for_end(&child);
    assert_false(child.how.by_signal);
    assert_int_equal(child.how.number, 3);
    finish(&child);
}

static void a_child_that_ignores_sigterm_is_killed(void **state)
{
    struct child child;
    char said[16];
    assert_true(start_shell(&child, *state, "trap '' TERM; echo ready; while :; do sleep 0.05; done"));
    hear(&child, '\n', said, sizeof said);
    proc_end(child.proc, 1000);
    proc_end(child.proc, 0.1); /* shortens the grace */
    wait_for_end(&child);
    assert_true(child.how.by_signal);
    assert_int_equal(child.how.number, SIGKILL);
    finish(&child);
}

static void a_stopped_child_hears_sigterm_too(void **state)
{
    struct child child;
    assert_true(start_shell(&child, *state, "kill -STOP $$; sleep 1000"));
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)proc_pid(child.proc), &info, WSTOPPED | WNOWAIT), 0);
    proc_end(child.proc, PATIENCE);
    wait_for_end(&child);
    assert_int_equal(child.how.number, SIGTERM);
    finish(&child);
}

static void grandchildren_end_with_their_parent(void **state)
{
    struct child child;
    char said[32];
    assert_true(start_shell(&child, *state, "sleep 1000 >/dev/null & echo $!"));
    hear(&child, '\n', said, sizeof said);
    wait_for_end(&child);
    assert_int_equal(child.how.number, 0);
    expect_dead((pid_t)atoi(said));
    finish(&child);
}

static void destroying_kills_and_reaps(void **state)
{
    struct child child;
    char said[32];
    assert_true(start_shell(&child, *state, "trap '' TERM; sleep 1000 & echo $!; wait"));
    hear(&child, '\n', said, sizeof said);
    pid_t pid = proc_pid(child.proc);
    finish(&child);
    assert_int_equal(child.ends, 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    expect_dead((pid_t)atoi(said));
    proc_destroy(NULL);
}

static void destroy_in_exited(void *context, const struct proc_exit *how)
{
    struct child *child = context;
    exited(context, how);
    proc_destroy(child->proc);
    child->proc = NULL;
}

static void a_child_may_be_destroyed_when_its_end_is_told(void **state)
{
    struct child child = {.loop = *state, .out = -1};
    const char *argv[] = {"true", NULL};
    struct proc_setup setup = plain;
    setup.argv = argv;
    child.proc = proc_start(*state, &setup, destroy_in_exited, &child, &err);
    assert_non_null(child.proc);
    wait_for_end(&child);
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
        start_shell(&child, loop_create(), "trap '' TERM HUP INT; while :; do sleep 1; done");
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
    expect_dead(start_and_die());
}

static void the_sweep_kills_what_carries_the_mark(void **state)
{
    struct child marked, other;
    char mark[64], said[32];
    snprintf(mark, sizeof mark, "GANNET_OWNER=test:%d", (int)getpid());
    const char *env[] = {mark, NULL};
    const char *argv[] = {"sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & wait", NULL};
    struct proc_setup setup = plain;
    setup.argv = argv;
    setup.env = env;
    assert_true(start(&marked, *state, setup)); /* its grandchild leaves the group */
    assert_true(start_shell(&other, *state, "echo ready; exec sleep 1000"));
    hear(&marked, '\n', said, sizeof said);
    proc_end(marked.proc, 0);
    wait_for_end(&marked);
    pid_t stray = (pid_t)atoi(said);
    assert_false(is_dead(stray));
    assert_int_equal(proc_sweep("GANNET_OWNER=test"), 0); /* the whole text counts */
    assert_int_equal(proc_sweep(mark), 1);
    expect_dead(stray);
    assert_int_equal(proc_sweep(mark), 0);
    assert_false(is_dead(proc_pid(other.proc)));
    finish(&marked);
    finish(&other);
}

static int fresh_loop(void **state)
{
    *state = loop_create();
    return 0;
}

static int drop_loop(void **state)
{
    loop_destroy(*state);
    return 0;
}

#define CLAIM(name)    cmocka_unit_test_setup_teardown(name, fresh_loop, drop_loop)
#define CLAIM_IN(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_lives_until_it_ends_reaped_or_not),
        CLAIM(the_exit_status_is_reported),
        CLAIM(the_signal_is_reported),
        CLAIM(processor_time_is_counted),
        CLAIM(many_children_are_told_apart),
        CLAIM(a_program_that_is_not_there_is_named),
        CLAIM_IN(what_is_no_program_is_named),
        CLAIM(a_directory_that_is_not_there_is_named),
        CLAIM(cores_that_are_not_there_are_refused),
        CLAIM(a_preparation_that_fails_gives_its_reason),
        CLAIM(a_descriptor_that_is_not_open_is_refused),
        CLAIM(arguments_and_directory_arrive),
        CLAIM(the_environment_is_ours_with_changes),
        CLAIM_IN(a_program_is_looked_up_in_its_own_path),
        CLAIM(only_the_given_descriptors_are_open),
        CLAIM(descriptors_in_each_others_places_arrive_right),
        CLAIM(a_child_runs_on_its_cores),
        CLAIM(the_preparation_happens_in_the_child),
        CLAIM(a_child_finds_signals_at_their_defaults),
        CLAIM(a_child_leads_its_session_and_group),
        CLAIM(a_child_may_end_well_after_sigterm),
        CLAIM(a_child_that_ignores_sigterm_is_killed),
        CLAIM(a_stopped_child_hears_sigterm_too),
        CLAIM(grandchildren_end_with_their_parent),
        CLAIM(destroying_kills_and_reaps),
        CLAIM(a_child_may_be_destroyed_when_its_end_is_told),
        CLAIM(a_child_dies_with_us),
        CLAIM(the_sweep_kills_what_carries_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
