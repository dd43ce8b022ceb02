/* What workers are wanted for; see demand.h. */
#include "scheduler/core/demand.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <stdlib.h>

/* Trials that early stopping paused are not waited for: most of them never go on. */
static uint64_t open_trials(const struct core *core)
{
    uint64_t here = core->live[TRIAL_WAITING] + core->live[TRIAL_RUNNING];
    uint64_t begun = trial_states_ended(core->tally.ended) + core->live[TRIAL_PAUSED];
    uint64_t limit = core->config.max_trials ? core->config.max_trials + core->tally.added : DEMAND_ANY;
    uint64_t left = limit > begun ? limit - begun : 0;
    return core->no_more && here < left ? here : left;
}

static uint32_t count_busy(const struct worker *worker)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < worker->slot_count; i++)
        busy += worker->slots[i]->lease_count > 0;
    return busy;
}

/* Where there is no time left for any trial that waits, what runs is all that it does for the search. */
static uint32_t count_slots(const struct core *core, const struct worker *worker)
{
    if (walltime_is_near_for(core, worker))
        return 0;
    return walltime_has_time(core, worker) ? worker->slot_count : count_busy(worker);
}

void core_demand(const struct core *core, struct demand *out)
{
    uint64_t open = core->state == EXPERIMENT_RUNNING ? open_trials(core) : 0, most = core->config.max_concurrent;
    uint64_t outlasting = walltime_outlasting(core);
    open = open > outlasting ? open - outlasting : 0;
    open = most && most < open ? most : open;
    uint64_t nodes = core->config.nodes > 1 ? core->config.nodes : 1;
    open = open > DEMAND_ANY / nodes ? DEMAND_ANY : open * nodes;
    *out = (struct demand){.state = core->state, .reason = core->reason, .wanted = open};
    out->workers = MEM_ARRAY(struct demand_worker, core->workers.count + 1);
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        const struct worker *worker = entry.value;
        if (!worker->peer || worker->aside)
            continue;
        out->slots += count_slots(core, worker);
        if (worker->job.job)
            out->workers[out->worker_count++] =
                (struct demand_worker){worker->job, worker->node, worker->slot_count, count_busy(worker) > 0};
    }
    node_health_list_refused(core, &out->refused);
}

void demand_fini(struct demand *demand)
{
    free(demand->workers);
    buf_fini(&demand->refused);
    *demand = (struct demand){0};
}
