/* Placement: the next trials go to vacant slots.
 *
 * What an input costs here grows with the leases that it gives, and with the logarithm of the trials that wait and of
 * the slots that are vacant: neither are looked through. */
#include "scheduler/core/place.h"
#include "common/gang.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/elsewhere.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/suspect_gang.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>

/* Leases one trial, or makes a prediction that has to be made before that; false: there is nothing more to be done. A
 * slot is taken that has time for the trial that needs the least, if for no other one. */
static bool place_one(struct core *core)
{
    const struct fitqueue_item *least = fitqueue_smallest(&core->queue);
    double capacity = walltime_left(core);
    struct slot *slot = least && least->size <= capacity ? vacancy_find(core, least->size) : NULL;
    if (!slot)
        return false;
    capacity = fmax(least->size, fmin(capacity, walltime_left_for(core, slot->worker)));
    struct trial *trial = elsewhere_choose(core, slot, capacity);
    if (!trial)
        return true; /* there may be another slot */
    double before = trial->queue.size;
    if (!queue_renew(core, trial))
        return false;
    if (trial->queue.size <= before)
        lease_grant(core, trial, slot, trial->attempts + 1);
    return true;
}

/* The seconds that the worker with the least of them has left. */
static double least_left(const struct core *core, struct slot *const *slots, uint32_t nodes)
{
    double least = walltime_left(core);
    for (uint32_t i = 0; i < nodes; i++)
        least = fmin(least, walltime_left_for(core, slots[i]->worker));
    return least;
}

/* The same for trials that take a slot on each of several nodes. */
static bool place_gang(struct core *core)
{
    const struct fitqueue_item *least = fitqueue_smallest(&core->queue);
    struct slot *slots[GANG_NODES_MOST];
    uint32_t nodes = gang_nodes(core);
    if (!least || least->size > walltime_left(core) || gang_is_full(core) ||
        !gather_slots(core, least->size, nodes, slots))
        return false;
    double capacity = fmax(least->size, least_left(core, slots, nodes));
    struct trial *trial = LIST_ITEM(fitqueue_first(&core->queue, capacity), struct trial, queue);
    double before = trial->queue.size;
    if (!queue_renew(core, trial))
        return false;
    if (trial->queue.size <= before)
        gang_grant(core, trial, slots, nodes);
    return true;
}

static bool may_place(const struct core *core)
{
    return core->state == EXPERIMENT_RUNNING && !limits_full(core) && !outbox_is_full(core);
}

void place_all(struct core *core)
{
    elsewhere_begin(core);
    if (gang_nodes(core) > 1) {
        while (may_place(core) && !suspect_gang_waits(core) && place_gang(core))
            ;
        return;
    }
    if (may_place(core))
        suspect_place(core);
    if (may_place(core))
        large_place(core);
    while (may_place(core) && place_one(core))
        ;
    elsewhere_end(core);
}
