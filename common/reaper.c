/* Our reaper; see reaper.h.
 *
 * It reads from a pipe into which nothing is ever written. The other end is open in this process alone, so the pipe
 * ends when we do, however that is; when we end in order we kill the reaper first. */
#include "common/reaper.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/proc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define RETRY_PAUSE 1.0 /* seconds, after one that lived no longer: something here does not let it live */

struct reaper {
    struct loop *loop;
    char *program;
    char *mark;               /* ours, in decimal digits */
    const char *role;         /* the word that tells it what we are */
    struct proc *proc;        /* NULL: it does not run */
    struct loop_watch *retry; /* until it is started again */
    int pipe;                 /* our end; -1: it does not run */
    double started;
    bool warned; /* that it can't be started */
};

static void note_end(void *context, const struct proc_exit *how);

/* What its parents tell their children by the environment does not make it one that is swept. */
static int launch_process(struct reaper *reaper, int theirs, struct err *err)
{
    const char *argv[] = {reaper->program, reaper->role, reaper->mark, NULL};
    const char *env[] = {"GANNET_SUPERVISOR=", "GANNET_OWNER=", "GANNET_WORKER=", NULL};
    struct proc_setup setup = {.argv = argv,
                               .env = env,
                               .directory = "/",
                               .fd0 = theirs,
                               .fd1 = -1,
                               .fd2 = STDERR_FILENO,
                               .fd3 = -1,
                               .parent_death_signal = SIGCHLD /* which does nothing to it: it is to outlive us */};
    reaper->started = clock_monotonic();
    reaper->proc = proc_start(reaper->loop, &setup, note_end, reaper, err);
    return reaper->proc ? 0 : -1;
}

static int try_start(struct reaper *reaper, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(err, "can't start '%s'", reaper->program);
    int result = launch_process(reaper, ends[0], err);
    close(ends[0]);
    if (result)
        close(ends[1]);
    else
        reaper->pipe = ends[1];
    return result;
}

static void start_again(void *context)
{
    struct reaper *reaper = context;
    struct err err;
    reaper->retry = NULL;
    if (try_start(reaper, &err) == 0)
        return;
    if (!reaper->warned)
        log_warning("%s; if this process is killed, programs of its trials may go on until the next one starts here",
                    err.text);
    reaper->warned = true;
    reaper->retry = loop_timer(reaper->loop, 60 * RETRY_PAUSE, start_again, reaper);
}

/* Somebody has killed it. */
static void note_end(void *context, const struct proc_exit *how)
{
    (void)how;
    struct reaper *reaper = context;
    proc_destroy(reaper->proc);
    close(reaper->pipe);
    reaper->proc = NULL;
    reaper->pipe = -1;
    bool lasted = clock_monotonic() - reaper->started >= RETRY_PAUSE;
    reaper->retry = loop_timer(reaper->loop, lasted ? 0 : RETRY_PAUSE, start_again, reaper);
}

struct reaper *reaper_start(struct loop *loop, const char *program, enum proc_mark_kind kind)
{
    uint64_t mark = proc_mark_take(kind);
    if (!mark) {
        log_warning("there is no room for a mark in the limit of file locks (ulimit -x): if this process is killed, "
                    "programs of its trials that cleared their environment may go on");
        return NULL;
    }
    struct reaper *reaper = MEM_NEW(struct reaper);
    *reaper = (struct reaper){.loop = loop,
                              .program = mem_text(program),
                              .mark = mem_format("%" PRIu64, mark),
                              .role = kind == PROC_MARK_RUN ? "run" : "worker",
                              .pipe = -1};
    start_again(reaper);
    return reaper;
}

bool reaper_is(const struct reaper *reaper, pid_t pid)
{
    return reaper && reaper->proc && proc_pid(reaper->proc) == pid;
}

void reaper_dismiss(struct reaper *reaper)
{
    if (!reaper)
        return;
    loop_remove(reaper->retry);
    proc_destroy(reaper->proc);
    if (reaper->pipe >= 0)
        close(reaper->pipe);
    free(reaper->program);
    free(reaper->mark);
    free(reaper);
}
