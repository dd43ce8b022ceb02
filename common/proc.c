/* Child processes under a loop; see proc.h.
 *
 * A child that ended is looked at first and reaped last: while it is not reaped its number, and that of its group, can
 * not be given to another process, so the signal to the rest of its group meets nobody else. Its end is told when that
 * rest is gone as well: a process that was killed may first finish the system call it is in, and write a file. */
#include "common/proc.h"
#include "common/mem.h"
#include "common/proc_launch.h"
#include "common/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_PAUSE   1e-3 /* seconds; each is twice the one before, so all of them are about a second */
#define LONGEST_PAUSE 1.0

struct proc {
    struct loop *loop;
    pid_t pid;                               /* also the number of its group */
    bool gone;                               /* reaped */
    void (*ended)(void *context, pid_t pid); /* or NULL */
    void (*exited)(void *context, const struct proc_exit *how);
    void *context;
    struct loop_watch *child_signal; /* apart: of the descriptor, or of the time until it is looked at again */
    int descriptor;                  /* apart: becomes readable with its end; -1: there is none */
    struct loop_watch *grace;        /* until SIGKILL; NULL: not set */
    struct proc_exit how;            /* gone: how it ended */
    struct loop_watch *rest;         /* gone: when the rest of its group is looked at next */
    double pause;                    /* gone: seconds from that look to the one after it */
};

/* --- who runs --- */

/* Whether a process of this group runs. One that has ended and was not reaped yet does not. */
static bool group_lives(pid_t group)
{
    bool lives = false;
    if (kill(-group, 0))
        return false; /* the usual case, and the only cheap one */
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && !lives && (entry = readdir(processes));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        lives = proc_stat_read(pid).group == group && proc_lives(pid);
    }
    if (processes)
        closedir(processes);
    return lives;
}

/* --- children --- */

static void stop_watching(struct proc *proc)
{
    loop_remove(proc->child_signal);
    loop_remove(proc->grace);
    proc->child_signal = proc->grace = NULL;
    if (proc->descriptor >= 0)
        close(proc->descriptor);
    proc->descriptor = -1;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* What the kernel measured, when the child came above what it had from us. The kernel's counts are not exact to the
 * page: it sums up those of the processors now and then. What we had at most only grows, so a child that stays below
 * what we had when we last looked needs no other look. */
static unsigned long long peak_of(const struct proc *proc, const struct rusage *used)
{
    enum { INEXACT = 1 << 20 };
    struct loop_children *children = loop_children(proc->loop);
    unsigned long long peak = (unsigned long long)used->ru_maxrss * 1024;
    if (peak > children->least_memory + INEXACT)
        children->least_memory = proc_peak(getpid());
    return peak > children->least_memory + INEXACT ? peak : 0;
}

/* Ends the rest of the group, then takes the child's status; it must have ended or been killed. */
static struct proc_exit reap_child(struct proc *proc)
{
    int status = SIGKILL; /* what is said of a child that somebody else has reaped */
    struct rusage used = {0};
    kill(-proc->pid, SIGKILL);
    while (wait4(proc->pid, &status, 0, &used) < 0 && errno == EINTR)
        continue;
    proc->gone = true;
    stop_watching(proc);
    return (struct proc_exit){.by_signal = WIFSIGNALED(status),
                              .number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                              .user = seconds_of(used.ru_utime),
                              .system = seconds_of(used.ru_stime),
                              .peak_memory = peak_of(proc, &used),
                              .left_others = kill(-proc->pid, 0) == 0,
                              .used = used};
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return errno == ECHILD;
    return info.si_pid == pid;
}

/* Tells the end, or looks again in a moment. What the kernel doesn't let go of within a second (a file server that does
 * not answer) is not waited for. */
static void tell_when_alone(void *context)
{
    struct proc *proc = context;
    proc->rest = NULL;
    if (proc->pause < LONGEST_PAUSE && group_lives(proc->pid)) {
        proc->rest = loop_timer(proc->loop, proc->pause, tell_when_alone, proc);
        proc->pause *= 2;
        return;
    }
    struct proc_exit how = proc->how; /* the proc may be destroyed in the call */
    proc->exited(proc->context, &how);
}

/* Some child has changed: is it this one? */
static void look_for_exit(void *context)
{
    struct proc *proc = context;
    if (!has_ended(proc->pid))
        return;
    if (proc->ended)
        proc->ended(proc->context, proc->pid);
    proc->how = reap_child(proc);
    proc->pause = proc->how.left_others ? FIRST_PAUSE : LONGEST_PAUSE; /* else there is nobody to look for */
    tell_when_alone(proc);
}

/* Kernels before Linux 5.3 give no descriptor. */
static void look_again(void *context)
{
    static const double pause = 0.02;
    struct proc *proc = context;
    proc->child_signal = loop_timer(proc->loop, pause, look_again, proc);
    look_for_exit(proc);
}

static void watch_apart(struct proc *proc)
{
#ifdef SYS_pidfd_open
    proc->descriptor = (int)syscall(SYS_pidfd_open, proc->pid, 0);
#endif
    proc->child_signal = proc->descriptor >= 0 ? loop_read(proc->loop, proc->descriptor, look_for_exit, proc)
                                               : loop_timer(proc->loop, 0, look_again, proc);
}

/* The signals that we ignore or have handlers for. The kernel is asked itself: the library's function leaves out the
 * two signals that it keeps for its threads, which whoever started us may have ignored. */
static void find_altered_signals(struct loop_children *children)
{
    enum { MASK_SIZE = 8, WORDS = 8 /* at least as large as the kernel's struct sigaction */ };
    if (children->known)
        return;
    for (int number = 1; number < NSIG; number++) {
        long action[WORDS] = {0};
        if (syscall(SYS_rt_sigaction, number, NULL, action, MASK_SIZE) == 0 && action[0] != (long)SIG_DFL)
            children->altered |= 1ULL << (number - 1);
    }
    children->known = true;
}

struct proc *proc_start(struct loop *loop, const struct proc_setup *setup,
                        void (*exited)(void *context, const struct proc_exit *how), void *context, struct err *err)
{
    struct proc *proc = MEM_NEW(struct proc);
    proc->loop = loop;
    proc->ended = setup->ended;
    proc->exited = exited;
    proc->context = context;
    proc->descriptor = -1;
    if (!setup->apart)
        proc->child_signal = loop_signal(loop, SIGCHLD, look_for_exit, proc); /* before it can end */
    find_altered_signals(loop_children(loop));
    proc->pid = proc_launch(setup, loop_children(loop), err);
    if (proc->pid > 0 && setup->apart)
        watch_apart(proc);
    if (proc->pid > 0)
        return proc;
    stop_watching(proc);
    free(proc);
    return NULL;
}

pid_t proc_pid(const struct proc *proc)
{
    return proc->pid;
}

void proc_look(struct proc *proc)
{
    if (!proc->gone)
        look_for_exit(proc);
}

bool proc_is_gone(const struct proc *proc)
{
    return proc->gone;
}

static void kill_now(void *context)
{
    struct proc *proc = context;
    proc->grace = NULL;
    kill(-proc->pid, SIGKILL);
}

void proc_end(struct proc *proc, double grace)
{
    if (proc->gone)
        return;
    if (grace <= 0) {
        kill(-proc->pid, SIGKILL);
        return;
    }
    kill(-proc->pid, SIGTERM);
    kill(-proc->pid, SIGCONT); /* one that is stopped could not hear it */
    if (proc->grace)
        loop_move(proc->grace, grace);
    else
        proc->grace = loop_timer(proc->loop, grace, kill_now, proc);
}

void proc_signal(struct proc *proc, int signal)
{
    if (!proc->gone)
        kill(-proc->pid, signal);
}

unsigned long long proc_memory(const struct proc *proc)
{
    char path[64];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)proc->pid);
    FILE *file = proc->gone ? NULL : fopen(path, "re");
    if (file && fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

unsigned long long proc_peak(pid_t pid)
{
    char path[64], line[256];
    unsigned long long kibibytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu", &kibibytes) == 1)
            break;
    if (file)
        fclose(file);
    return kibibytes * 1024;
}

void proc_abandon(struct proc *proc)
{
    stop_watching(proc);
    loop_remove(proc->rest);
    free(proc);
}

void proc_destroy(struct proc *proc)
{
    if (!proc)
        return;
    if (!proc->gone)
        reap_child(proc);
    loop_remove(proc->rest);
    free(proc);
}
