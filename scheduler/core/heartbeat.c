/* HEARTBEAT: the worker lives, and says which runs it has. A connection loses nothing, but connections break; so the
 * books are compared at every heartbeat, and whatever message was lost is made good:
 *
 *     it has a run that we don't know              STOP_RUN: its lease was given back, or lost, long ago
 *     it has a run that it was told to stop        STOP_RUN again
 *     it lacks a lease that was sent long ago      the lease did not arrive: back to the queue
 *     it has not said OFFER                        WHO
 *     the experiment ends                          DRAIN again
 */
#include "scheduler/core/parts.h"

static void claim(struct core *core, struct worker *worker, const struct msg_run_id *run)
{
    struct lease *lease = lease_find(core, worker->id, run->trial, run->attempt);
    if (lease)
        lease->claimed = true;
    if (!lease)
        dispatch_stop(core, worker, run->trial, run->attempt, ENDING_CANCELLED);
    else if (lease->stopping)
        dispatch_stop(core, worker, run->trial, run->attempt, lease->stop_with);
}

/* Long enough ago that the lease must have come before the worker wrote this heartbeat. */
static bool is_missing(const struct core *core, const struct lease *lease)
{
    return lease->sent && !lease->claimed && core->now - lease->sent_at > 2 * core->config.heartbeat;
}

static void return_missing(struct core *core, struct slot *slot)
{
    for (struct list_link *link = slot->leases.after, *next; link != &slot->leases; link = next) {
        next = link->after;
        struct lease *lease = LIST_ITEM(link, struct lease, link);
        if (is_missing(core, lease))
            lease_return(core, lease);
    }
}

void heartbeat_take(struct core *core, struct worker *worker, const struct msg_heartbeat *heartbeat)
{
    if (!worker->offered) {
        dispatch_who(core, worker->peer);
        return;
    }
    dispatch_heard(core, worker, heartbeat->wall);
    limits_drain(core, worker);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        lease_unclaim(worker->slots[i]);
    for (uint32_t i = 0; i < heartbeat->held_count; i++)
        claim(core, worker, &heartbeat->held[i]);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        return_missing(core, worker->slots[i]);
}
