/* The ends of ranks; see rank_gang.h. A thread of rank 0 sleeps until one of them ends, so that rank 0 is told in the
 * middle of a step too, and while it waits for the very rank that is gone. */
#include "worker/trainer/gang_parts.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_RANK = 70 /* EX_SOFTWARE: it ended as if all were well */ };

static uint32_t find_rank(const struct rank_gang *gang, pid_t pid)
{
    uint32_t rank = 1;
    while (rank < gang->local.ranks && gang->pids[rank] != pid)
        rank++;
    return rank + gang->node * gang->local.ranks;
}

/* SIGTERM is the worker's, who sends it to all ranks alike and needs no explanation. */
static void explain_end(const struct rank_gang *gang, uint32_t rank, int status)
{
    char text[160];
    int length;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
        return;
    if (WIFSIGNALED(status))
        length = snprintf(text, sizeof text, "gannet-trainer: rank %u of %u was killed by signal %d (%s)\n", rank,
                          gang->nodes * gang->local.ranks, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        length =
            snprintf(text, sizeof text, "gannet-trainer: rank %u of %u exited with status %d in the middle of a run\n",
                     rank, gang->nodes * gang->local.ranks, WEXITSTATUS(status));
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        return;
}

/* As the rank ended; a core file of the rank says more than one of this process. */
static _Noreturn void end_likewise(int status)
{
    if (WIFSIGNALED(status)) {
        sigset_t one;
        struct rlimit none = {0};
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(status), SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, WTERMSIG(status));
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_RANK);
}

static void *await_ends(void *context)
{
    struct rank_gang *gang = context;
    for (uint32_t left = gang->local.ranks - 1; left;) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid <= 0)
            continue;
        left--;
        if (status == 0 && atomic_load(&gang->is_closing))
            continue;
        explain_end(gang, find_rank(gang, pid), status);
        end_likewise(status);
    }
    return NULL;
}

int gang_watch(struct rank_gang *gang, struct err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&gang->watcher, NULL, await_ends, gang);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    gang->is_watched = !failed;
    return failed ? err_set(err, "can't start a thread that watches the ranks: %s", strerror(failed)) : 0;
}
