/* From a setup to a running program; see proc_launch.h.
 *
 * The child is made by vfork: it borrows our memory until exec, so starting it costs the same whatever our size (a real
 * fork of a process of 1 GB takes 67 ms). The price: between vfork and exec only system calls may be made, and
 * everything they need is made ready by us before. What fails there is told through a pipe that closes at exec; once a
 * child was seen to have our memory it is told there, which saves five system calls. (To valgrind and ThreadSanitizer
 * vfork is a fork.) */
#include "common/proc_launch.h"
#include "common/buf.h"
#include "common/dump.h"
#include "common/mem.h"
#include "common/path_search.h"
#include "common/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors 0-3 are the child's own, 4 is the pipe for what fails. */
enum { OWN_FDS = 4, TROUBLE_FD = 4 };

/* What can fail in the child. */
enum launch_step { STEP_NONE, STEP_PARENT, STEP_DIRECTORY, STEP_DESCRIPTORS, STEP_CPUS, STEP_PREPARE, STEP_EXEC };

struct trouble {
    enum launch_step step;
    int why; /* errno */
};

/* Everything the child needs, made before it exists. */
struct launch_plan {
    const struct proc_setup *setup;
    char *program; /* the file to run */
    const char **env;
    unsigned long long altered; /* signals, as proc_launch has them */
    bool restore_dumps;         /* ours are forbidden: the program gets `dumps`, as we had it */
    struct rlimit dumps;
    pid_t parent;
    int null;                    /* /dev/null, or -1 */
    int trouble_in, trouble_out; /* the ends of the pipe; the child writes to the second; -1: there is none */
    /* What the child says of itself when its memory is ours. */
    volatile bool is_shared;
    volatile struct trouble trouble;
};

/* --- in the child: system calls only --- */

static _Noreturn void report_failure(struct launch_plan *plan, int fd, enum launch_step step)
{
    struct trouble trouble = {step, errno};
    plan->trouble = trouble;
    bool told = plan->is_shared && fd < 0;
    _exit(told || write(fd, &trouble, sizeof trouble) == (ssize_t)sizeof trouble ? 127 : 126);
}

/* Every signal that has a handler or is ignored gets its default again. The kernel is called itself, as in proc.c. */
static void reset_signals(unsigned long long altered)
{
    static const long defaults[8] = {(long)SIG_DFL}; /* at least as large as the kernel's struct sigaction; no flags */
    enum { MASK_SIZE = 8 };
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        if (altered & 1ULL << (number - 1))
            syscall(SYS_rt_sigaction, number, defaults, NULL, MASK_SIZE);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Reads /proc/self/fd the way opendir does, which would allocate. */
static void close_listed(int first)
{
    struct {
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    } * entry;
    _Alignas(8) char entries[2048];
    int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (bool closed = true; closed && directory >= 0;) {
        closed = false; /* closing disturbs the listing: again from the start, until there is nothing to close */
        lseek(directory, 0, SEEK_SET);
        for (long length; (length = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;)
            for (long at = 0; at < length; at += entry->length) {
                entry = (void *)(entries + at);
                int fd = 0;
                for (const char *c = entry->name; *c >= '0' && *c <= '9'; c++)
                    fd = fd * 10 + (*c - '0');
                if (fd >= first && fd != directory && close(fd) == 0)
                    closed = true;
            }
    }
}

static void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    close_listed(first); /* before Linux 5.9 */
}

/* Puts the descriptors to their places: first all above them, so that none is overwritten before it is copied. */
static int place_descriptors(const struct launch_plan *plan)
{
    const struct proc_setup *setup = plan->setup;
    int from[OWN_FDS] = {setup->fd0, setup->fd1, setup->fd2, setup->fd3};
    for (int i = 0; i < OWN_FDS; i++) {
        if (from[i] >= OWN_FDS)
            continue;
        if (from[i] >= 0)
            from[i] = fcntl(from[i], F_DUPFD, TROUBLE_FD + 1);
        else if (i < 3)
            from[i] = plan->null > TROUBLE_FD ? plan->null : open("/dev/null", O_RDWR);
        else
            continue;
        if (from[i] < 0)
            return -1;
    }
    for (int i = 0; i < OWN_FDS; i++)
        if (from[i] < 0)
            close(i);
        else if (from[i] != i && dup2(from[i], i) < 0)
            return -1;
    return 0;
}

/* Dies with its parent; 0 when that is alive still. */
static int tie_to_parent(const struct launch_plan *plan)
{
    int signal = plan->setup->parent_death_signal ? plan->setup->parent_death_signal : SIGKILL;
    if (prctl(PR_SET_PDEATHSIG, signal))
        return -1;
    errno = ESRCH;
    return getppid() == plan->parent ? 0 : -1;
}

static _Noreturn void run_program(struct launch_plan *plan)
{
    const struct proc_setup *setup = plan->setup;
    int trouble = plan->trouble_out;
    plan->is_shared = true;
    setsid();
    if (tie_to_parent(plan))
        report_failure(plan, trouble, STEP_PARENT);
    if (setup->directory && chdir(setup->directory))
        report_failure(plan, trouble, STEP_DIRECTORY);
    if (place_descriptors(plan) || (trouble >= 0 && dup3(trouble, TROUBLE_FD, O_CLOEXEC) < 0))
        report_failure(plan, trouble, STEP_DESCRIPTORS);
    trouble = trouble >= 0 ? TROUBLE_FD : -1;
    close_from(trouble >= 0 ? TROUBLE_FD + 1 : TROUBLE_FD);
    if (setup->cpus && sched_setaffinity(0, setup->cpus_size, setup->cpus))
        report_failure(plan, trouble, STEP_CPUS);
    if (setup->prepare && setup->prepare(setup->context))
        report_failure(plan, trouble, STEP_PREPARE);
    reset_signals(plan->altered);
    if (plan->restore_dumps)
        setrlimit(RLIMIT_CORE, &plan->dumps);
    execve(plan->program, (char *const *)(uintptr_t)setup->argv, (char *const *)(uintptr_t)plan->env);
    report_failure(plan, trouble, STEP_EXEC);
}

/* The child runs on our stack until exec: nothing here may be undone by what it does below this call. */
__attribute__((noinline)) static pid_t split(struct launch_plan *plan)
{
    pid_t child = vfork();
    if (child == 0)
        run_program(plan);
    return child;
}

/* --- in the parent --- */

static size_t name_length(const char *entry)
{
    return strcspn(entry, "=");
}

/* Our environment with the setup's entries put in; the array is the caller's, the texts stay where they are. A start
 * compares a thousand names, most of which have another length. */
static const char **merge_env(const char *const *more)
{
    size_t count = 0, theirs = 0;
    while (environ[count])
        count++;
    while (more && more[theirs])
        theirs++;
    const char **env = MEM_ARRAY(const char *, count + theirs + 1);
    size_t *lengths = MEM_ARRAY(size_t, count + theirs + 1);
    for (size_t i = 0; i < count; i++) {
        env[i] = environ[i];
        lengths[i] = name_length(environ[i]);
    }
    for (size_t i = 0; i < theirs; i++) {
        size_t at = 0, length = name_length(more[i]);
        while (at < count && (lengths[at] != length || memcmp(env[at], more[i], length) != 0))
            at++;
        env[at] = more[i];
        lengths[at] = length;
        count += at == count;
    }
    free(lengths);
    return env;
}

/* Looks a bare name up in the PATH that the child will have; as it is when it has a slash. NULL: not found. */
static char *find_program(const char *name, const char *const *env)
{
    const char *path = texts_variable(env, "PATH");
    if (strchr(name, '/'))
        return mem_text(name);
    return path_search(name, path ? path : PATH_SEARCH_USUAL);
}

static int explain_failure(const struct launch_plan *plan, const struct trouble *trouble, struct err *err)
{
    const struct proc_setup *setup = plan->setup;
    const char *name = setup->argv[0];
    errno = trouble->why;
    switch (trouble->step) {
    case STEP_NONE:
        break;
    case STEP_PARENT:
        return err_errno(err, "can't start '%s': it could not be tied to this process", name);
    case STEP_DIRECTORY:
        return err_errno(err, "can't start '%s' in the directory '%s'", name, setup->directory);
    case STEP_DESCRIPTORS:
        return err_errno(err, "can't start '%s': its input and output could not be set up", name);
    case STEP_CPUS:
        return err_errno(err, "can't start '%s': it could not be bound to its cores", name);
    case STEP_PREPARE:
        return err_errno(err, "can't start '%s': it could not be prepared", name);
    case STEP_EXEC:
        if (trouble->why == ENOEXEC)
            return err_set(err, "can't start '%s': it is no program; a script needs a first line such as #!/bin/sh",
                           name);
        return err_errno(err, "can't start '%s'", name);
    }
    return -1;
}

/* What the child said: in our memory, or by the pipe, until exec or its end closes that. 0 when it said nothing. */
static int listen_to(const struct launch_plan *plan, struct trouble *trouble)
{
    ssize_t length;
    *trouble = plan->trouble;
    if (plan->is_shared)
        return trouble->step == STEP_NONE ? 0 : -1;
    do
        length = read(plan->trouble_in, trouble, sizeof *trouble);
    while (length < 0 && errno == EINTR);
    return length == (ssize_t)sizeof *trouble ? -1 : 0;
}

/* All signals are blocked in between: no handler of ours may run in the child, on our memory. */
static pid_t split_quietly(struct launch_plan *plan)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = split(plan);
    int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return child;
}

static void close_end(int fd)
{
    if (fd >= 0)
        close(fd);
}

static pid_t launch_child(struct launch_plan *plan, struct err *err)
{
    struct trouble trouble;
    pid_t child = split_quietly(plan);
    if (child < 0)
        err_write_errno(err, "can't start '%s'", plan->setup->argv[0]);
    close_end(plan->trouble_out);
    if (child > 0 && listen_to(plan, &trouble)) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
        child = explain_failure(plan, &trouble, err);
    }
    close_end(plan->trouble_in);
    return child;
}

/* The writing end lies above the child's own descriptors, whatever is closed in us. */
static int open_pipe(struct launch_plan *plan, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(err, "can't start '%s'", plan->setup->argv[0]);
    plan->trouble_in = ends[0];
    plan->trouble_out = ends[1];
    if (ends[1] > TROUBLE_FD)
        return 0;
    plan->trouble_out = fcntl(ends[1], F_DUPFD_CLOEXEC, TROUBLE_FD + 1);
    int why = errno;
    close(ends[1]);
    if (plan->trouble_out >= 0)
        return 0;
    close(ends[0]);
    errno = why;
    return err_errno(err, "can't start '%s'", plan->setup->argv[0]);
}

/* Opens /dev/null above the child's own descriptors, once for all children; -1: each opens it itself. */
static void open_null(struct loop_children *lasting)
{
    int fd = lasting->has_null ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    lasting->null = fcntl(fd, F_DUPFD_CLOEXEC, TROUBLE_FD + 1);
    lasting->has_null = lasting->null >= 0;
    close(fd);
}

pid_t proc_launch(const struct proc_setup *setup, struct loop_children *lasting, struct err *err)
{
    open_null(lasting);
    struct launch_plan plan = {.setup = setup,
                               .altered = lasting->altered,
                               .parent = getpid(),
                               .env = merge_env(setup->env),
                               .null = lasting->has_null ? lasting->null : -1,
                               .trouble_in = -1,
                               .trouble_out = -1};
    plan.restore_dumps = dump_limit_before(&plan.dumps);
    plan.program = find_program(setup->argv[0], plan.env);
    pid_t child = -1;
    if (!plan.program)
        err_write(err, "can't start '%s': there is no such program in PATH", setup->argv[0]);
    else if (lasting->have_memory || open_pipe(&plan, err) == 0)
        child = launch_child(&plan, err);
    lasting->have_memory |= plan.is_shared;
    free(plan.program);
    free(plan.env);
    return child;
}
