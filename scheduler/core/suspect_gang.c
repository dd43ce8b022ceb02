/* Suspects on several nodes: such a trial runs alone when its workers have nothing else. While one waits that could run
 * nothing else begins; once as many nodes as it needs have an empty worker it gets those, and the others go on. The
 * workers are looked through with every tick, and only then. */
#include "scheduler/core/suspect_gang.h"
#include "common/gang.h"
#include "common/hash.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

/* A slot of a worker that has time for the trial, and nothing else to do if it is to be empty; NULL: it has none. */
static struct slot *usable_slot(const struct core *core, const struct worker *worker, const struct trial *trial,
                                bool empty)
{
    bool suits = worker->fit && !worker->apart && !node_health_holds(worker) &&
                 trial->queue.size <= walltime_left_for(core, worker);
    for (uint32_t i = 0; suits && !(empty && worker->lease_count) && i < worker->slot_count; i++)
        if (!worker->slots[i]->stuck && !worker->slots[i]->waits)
            return worker->slots[i];
    return NULL;
}

/* One on each of so many nodes, or as many as there are. */
static uint32_t choose_slots(struct core *core, const struct trial *trial, bool empty, uint32_t nodes,
                             struct slot **out)
{
    struct map seen = {0};
    struct map_entry entry;
    core->counters.looks += core->workers.count;
    for (size_t at = 0; seen.count < nodes && map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        struct slot *slot = usable_slot(core, worker, trial, empty);
        uint64_t node = hash_text(worker->node);
        if (!slot || map_get(&seen, node))
            continue;
        out[seen.count] = slot;
        map_put(&seen, node, worker);
    }
    uint32_t count = (uint32_t)seen.count;
    map_fini(&seen);
    return count;
}

static void keep_one(struct core *core, struct lease *lease)
{
    struct worker *worker = lease->worker;
    if (worker->lease_count > 1)
        return;
    worker->alone = lease;
    worker->apart = true;
    for (uint32_t i = 0; i < worker->slot_count; i++)
        vacancy_refresh(core, worker->slots[i]);
}

void suspect_gang_keep(struct core *core, struct lease *first)
{
    keep_one(core, first);
    for (struct list_link *link = first->gang.parts.after; link != &first->gang.parts; link = link->after)
        keep_one(core, LIST_ITEM(link, struct lease, gang.link));
}

bool suspect_gang_waits(const struct core *core)
{
    return core->suspects.wanted && core->suspects.queue.count;
}

void suspect_gang_tick(struct core *core)
{
    struct suspects *suspects = &core->suspects;
    struct slot *slots[GANG_NODES_MOST];
    uint32_t nodes = gang_nodes(core);
    struct fitqueue_item *item = fitqueue_first(&suspects->queue, walltime_left(core));
    suspects->wanted = false;
    if (!item || core->state != EXPERIMENT_RUNNING || limits_full(core) || outbox_is_full(core))
        return;
    struct trial *trial = LIST_ITEM(item, struct trial, queue);
    double before = trial->queue.size;
    if (!queue_renew(core, trial) || trial->queue.size > before)
        return;
    suspects->wanted = choose_slots(core, trial, false, nodes, slots) == nodes;
    if (!suspects->wanted || gang_is_full(core) || choose_slots(core, trial, true, nodes, slots) < nodes)
        return;
    gang_grant(core, trial, slots, nodes);
    suspect_gang_keep(core, trial->lease);
}
