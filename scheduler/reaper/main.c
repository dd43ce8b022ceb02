/* gannet-reaper: outlives the process that started it, when that is killed, and ends what it had started.
 *
 *     gannet-reaper worker MARK    kills all that descends from a worker; removes its socket, and staged data that
 *                                  nobody uses
 *     gannet-reaper run MARK       lets a run's coordinator and workers, whom the kernel has told to end when the run
 *                                  was killed, end in order; kills what has not ended by then; removes their sockets
 *
 * Standard input ends when the process is killed; one that ends in order kills its reaper first. What descends from it
 * is known by its mark (common/proc_mark.h), so nothing else is met, and a descendant may do what it likes. */
#include "common/clock.h"
#include "common/log.h"
#include "common/proc_mark.h"
#include "common/sockets.h"
#include "common/stage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAUSE = 50000 /* microseconds between two looks */ };

/* All of it together stays below half a minute. */
static const double gone_seconds = 10;  /* for the kernel to take down a process whose files it has closed */
static const double order_seconds = 5;  /* for coordinator and workers to end in order */
static const double sweep_seconds = 2;  /* for what was killed to be gone */
static const double stage_seconds = 10; /* for what it had open to be closed: its threads end later than itself */

static void wait_for_kill(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        continue;
}

/* One that lives although its end of the pipe is closed has become another program. */
static bool is_dead(uint64_t owner)
{
    double until = clock_monotonic() + gone_seconds;
    while (proc_mark_owner_lives(owner)) {
        if (clock_monotonic() >= until)
            return false;
        usleep(PAUSE / 10);
    }
    return true;
}

static void wait_for_order(uint64_t owner)
{
    double until = clock_monotonic() + order_seconds;
    while (clock_monotonic() < until && proc_mark_count(owner))
        usleep(PAUSE);
}

/* Who ends what we belong to - a batch system, a terminal - tells everybody; we are needed until the owner is gone. Nor
 * are we to be taken for what it left behind, nor ended by a `pkill gannet` that is meant for the rest. */
static void stay_to_the_end(void)
{
    static const struct rlimit unmarked = {0, 0};
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    setrlimit(RLIMIT_LOCKS, &unmarked);
    prctl(PR_SET_NAME, "reaper");
}

/* What is left is in use by other searches, or by a process that still ends. */
static void sweep_data(void)
{
    double until = clock_monotonic() + stage_seconds;
    while (stage_sweep() && clock_monotonic() < until)
        usleep(PAUSE);
}

static void reap_processes(uint64_t owner, bool is_run)
{
    if (is_run)
        wait_for_order(owner);
    int killed = proc_mark_sweep(owner, sweep_seconds);
    if (killed)
        log_warning("%d process%s of a %s that was killed %s ended", killed, killed == 1 ? "" : "es",
                    is_run ? "run" : "worker", killed == 1 ? "was" : "were");
    sockets_sweep();
    sweep_data();
}

int main(int count, char **words)
{
    uint64_t owner = count == 3 ? strtoull(words[2], NULL, 10) : 0;
    if (!owner || (strcmp(words[1], "run") && strcmp(words[1], "worker"))) {
        fprintf(stderr, "gannet-reaper: is started by gannet and gannet-worker, and of no use by hand\n");
        return 2;
    }
    stay_to_the_end();
    log_open("reaper", LOG_INFO);
    wait_for_kill();
    if (is_dead(owner))
        reap_processes(owner, strcmp(words[1], "run") == 0);
    return 0;
}
