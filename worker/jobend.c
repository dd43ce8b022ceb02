/* Programs that died of SIGTERM inside a job of Slurm's. Slurm sends it to every process of a job that it ends, and a
 * program may have died of it some milliseconds before we get ours. So the result of its run is held for a moment:
 *
 *     our SIGTERM comes      the job has ended the run
 *     the moment is over     the program ended by itself, or somebody else ended it
 *
 * The slot goes on with the next run meanwhile. */
#include "common/clock.h"
#include "worker/agent/parts.h"

#include <math.h>
#include <signal.h>

#define HELD_SECONDS 0.05

bool jobend_is_likely(const struct worker *worker, const struct proc_exit *how)
{
    enum { ENDED_IN_SHELL = 128 + SIGTERM };
    return worker->job.job && how->number == (how->by_signal ? SIGTERM : ENDED_IN_SHELL);
}

/* Reports those that were held long enough; the others are in the order in which they ended. */
static void release_held(void *context)
{
    struct worker *worker = context;
    struct list_link *link;
    double now = clock_monotonic(), wait = 0;
    worker->release = NULL;
    while ((link = list_first(&worker->held))) {
        struct run *run = LIST_ITEM(link, struct run, link);
        wait = run->held_until - now;
        if (wait > 0) {
            worker->release = loop_timer(worker->loop, wait, release_held, worker);
            return;
        }
        report_ended(worker, run);
    }
}

void jobend_hold(struct worker *worker, struct run *run)
{
    run->held_until = clock_monotonic() + HELD_SECONDS;
    list_remove(&run->link);
    list_append(&worker->held, &run->link);
    if (!worker->release)
        worker->release = loop_timer(worker->loop, HELD_SECONDS, release_held, worker);
}

void jobend_settle(struct worker *worker)
{
    struct list_link *link;
    while ((link = list_first(&worker->held))) {
        struct run *run = LIST_ITEM(link, struct run, link);
        run->ending = ENDING_PREEMPTED;
        run->detail = JOBEND_SENTENCE;
        report_ended(worker, run);
    }
    jobend_stop(worker);
}

void jobend_stop(struct worker *worker)
{
    loop_remove(worker->release);
    worker->release = NULL;
}
