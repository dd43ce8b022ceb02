/* Which workers can't have outlived the last session; see reap.h. */
#include "scheduler/coordinator/reap.h"

#include "common/clock.h"
#include "common/node.h"
#include "common/proc.h"

#include <string.h>

/* This process, as workers are compared with it. */
struct here {
    char node[NODE_SIZE];
    struct node_job job;
    bool requeued;
};

/* Why a worker is gone, and how its runs ended; NULL: it may live. */
static const char *find_death(const struct here *here, const struct memory_worker *worker, enum ending *ending)
{
    bool of_job = here->job.job && worker->job.job == here->job.job && worker->job.element == here->job.element;
    *ending = worker->job_ended ? worker->ending : ENDING_LOST;
    if (of_job && here->requeued) {
        if (*ending == ENDING_LOST)
            *ending = ENDING_PREEMPTED;
        return "its job was put back into the queue";
    }
    if (worker->job_ended && !of_job)
        return "its job ended before the restart";
    *ending = ENDING_LOST;
    if (!worker->pid)
        return "it was asked for by a loop (gannet ask), which never told";
    bool of_node = strcmp(worker->node, here->node) == 0;
    return of_node && !proc_lives((pid_t)worker->pid) ? "its process was gone at the restart" : NULL;
}

void reap_workers(struct core *core, const struct memory *memory, bool requeued)
{
    struct here here = {.job = node_job(), .requeued = requeued};
    node_name(here.node);
    for (uint32_t i = 0; i < memory->worker_count; i++) {
        enum ending ending;
        const char *why = find_death(&here, &memory->workers[i], &ending);
        if (why)
            core_worker_dead(core, clock_monotonic(), memory->workers[i].worker, ending, why);
    }
}
