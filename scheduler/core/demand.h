/* How many trials could run at the same time, and what there is for them: for whoever sees to it that there are
 * workers. */
#ifndef GANNET_SCHEDULER_CORE_DEMAND_H
#define GANNET_SCHEDULER_CORE_DEMAND_H

#include "scheduler/core/core.h"

#define DEMAND_ANY UINT64_MAX /* trials without a limit */

struct demand_worker {
    struct node_job job;
    const char *node; /* lives until the next input of the core */
    uint32_t slots;
    bool busy; /* it has something to run */
};

struct demand {
    enum experiment_state state;
    enum reason reason;
    uint64_t wanted; /* trials that run, wait or could be asked for, at most limits.max_concurrent */
    uint32_t slots;  /* of all workers that take trials; without time for those that wait: the busy ones */
    struct demand_worker *workers; /* those of jobs that are connected */
    uint32_t worker_count;
    struct buf refused; /* nodes of jobs whose workers are refused for now (node_fault.h), with commas between them */
};

void core_demand(const struct core *core, struct demand *out);
void demand_fini(struct demand *demand);

#endif
