/* Child processes: started with everything set before the program runs, watched by a loop, and ended with all they
 * started.
 *
 * States: running -> (proc_end: SIGTERM to its group, SIGKILL after the grace) -> exited. The child leads its own
 * process group and session, and gets SIGKILL when we die (PR_SET_PDEATHSIG, with the race against our death closed by
 * a check of the parent; it is tied to the thread that called proc_start, so that is the main one). Descriptors above 2
 * are closed in it but the one passed as fd 3; signals are at their defaults and none is blocked (what we ignore is
 * asked of the kernel once a loop, so a process ignores signals before it starts its first child). When the child ends,
 * the rest of its group is killed, and the end is told when nothing of it runs any more. Nobody else may reap our
 * children with waitpid(-1).
 *
 * SIGCHLD comes once for a process, to the loop that reads it first, so one loop alone knows its children by it.
 * Children of another (a thread that asks a program something) are started `apart`. */
#ifndef GANNET_COMMON_PROC_H
#define GANNET_COMMON_PROC_H

#include "common/err.h"
#include "common/loop.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

struct proc;

/* How a child is to start. */
struct proc_setup {
    const char *const *argv; /* NULL at the end; argv[0] is looked up in PATH when it has no slash */
    const char *const *env;  /* "NAME=value" added to (or replacing in) our environment; NULL at the end; may be NULL */
    const char *directory;   /* to start in; NULL: ours */
    int fd0, fd1, fd2, fd3;  /* become its 0, 1, 2 and 3; -1: /dev/null (for fd3: none). Stay open in our process. */
    const cpu_set_t *cpus;   /* its cores; NULL: ours */
    size_t cpus_size;        /* bytes of *cpus */
    /* Called in the child between fork and exec for what is not in this list (memory binding): 0, or -1 with errno.
     * System calls only: the child still shares our memory. Optional. */
    int (*prepare)(void *context);
    void *context;
    int parent_death_signal; /* 0: SIGKILL */
    bool apart; /* its end is not known by SIGCHLD: so this loop may be one beside another that has children */
    /* Called from the loop, with the context of `exited`, when the child has ended and before it is reaped: the
     * kernel's counts of it are still there. Optional. */
    void (*ended)(void *context, pid_t pid);
};

/* How a child ended. */
struct proc_exit {
    bool by_signal;
    int number;          /* the exit status, or the signal */
    double user, system; /* processor seconds, its waited-for children included */
    /* Bytes that it or one of its waited-for children had resident at most; 0 when that was less than we had ourselves:
     * Linux counts the memory in that a process has before it becomes another program, and at first it has ours. */
    unsigned long long peak_memory;
    bool left_others;   /* processes of its group were still there, and were killed */
    struct rusage used; /* all that the kernel says, its waited-for children included */
};

/* Starts a child and watches it on the loop; `exited` is called once when it has ended and was reaped, and its group is
 * gone (never within proc_start). NULL with a sentence saying what of the setup failed in the child ("can't start
 * './train': No such file ..."). */
struct proc *proc_start(struct loop *loop, const struct proc_setup *setup,
                        void (*exited)(void *context, const struct proc_exit *how), void *context, struct err *err);

pid_t proc_pid(const struct proc *proc);

/* SIGTERM to its process group, SIGKILL `grace` seconds later if it is still there; grace 0: SIGKILL at once. May be
 * repeated to shorten the grace. */
void proc_end(struct proc *proc, double grace);

/* Sends a signal to its process group; nothing when it is gone. */
void proc_signal(struct proc *proc, int signal);

/* Looks whether it has ended, as the loop does when it hears of an end: what is told then may be told within this call.
 */
void proc_look(struct proc *proc);

/* Whether it has ended and was reaped: of its group something may still be there, and its end not be told yet. */
bool proc_is_gone(const struct proc *proc);

/* Bytes resident now (statm), 0 when it is gone. */
unsigned long long proc_memory(const struct proc *proc);

/* Bytes that a process, anybody's, has had resident at most since it runs its present program; 0 when it is gone. */
unsigned long long proc_peak(pid_t pid);

/* Forgets the child: kills its group if it still runs and reaps it here. NULL is fine. To be called after `exited` too.
 */
void proc_destroy(struct proc *proc);

/* Forgets the child as it is: one that the kernel does not let go of would be waited for in proc_destroy. */
void proc_abandon(struct proc *proc);

/* Whether a process of this number runs, anybody's. One that has ended and was only not reaped yet does not: its parent
 * may be slow about that, or never do it, as the first process of many containers. */
bool proc_lives(pid_t pid);

/* The sweep: kills (SIGKILL) every process of this user whose environment has `mark` ("GANNET_OWNER=...") and that is
 * not this process; the number killed. For what grandchildren left behind when their parents were killed. */
int proc_sweep(const char *mark);

/* The same for those marked ones whose variable `owner` ("NAME=") is the number of a process that is gone. */
int proc_sweep_orphans(const char *mark, const char *owner);

#endif
