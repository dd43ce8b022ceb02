/* OFFER and HEARTBEAT: a worker says which runs it has, and that is compared with the leases recorded here.
 *
 * OFFER, when it connects: its slots, and the runs that it still has from before.
 *
 *     the worker has it, and so do we             it goes on
 *     the worker has it, its trial waits          the run was given up for lost: it is taken up again,
 *                                                 unless its end is recorded, and the acknowledgement was lost;
 *                                                 or it was one of several nodes: then it is told to stop
 *     the worker has it, its trial went on        it is told to stop; the slot stays taken until it says so
 *     we have it (and sent it), the worker not    the lease never arrived: back to the queue
 *     we have it and did not send it yet          it is sent now, if the slot has room
 *
 * After a restart the worker may have other slots than before: a run that it has counts in the slot that it names now,
 * which gets nothing else meanwhile.
 *
 * HEARTBEAT: a connection loses nothing, but connections break; whatever message was lost is made good:
 *
 *     it has a run that we don't know              STOP_RUN: its lease was given back, or lost, long ago
 *     its result came, and is not on disk yet      nothing: the acknowledgement follows
 *     it has a run that it was told to stop        STOP_RUN again
 *     it lacks a lease that was sent long ago      the lease did not arrive: back to the queue
 *     it has not said OFFER                        WHO
 *     the experiment ends                          DRAIN again
 */
#include "scheduler/core/reconcile.h"
#include "common/mem.h"
#include "scheduler/core/act.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdlib.h>

/* --- OFFER --- */

static bool is_sane(const struct msg_offer *offer)
{
    for (uint32_t i = 0; i < offer->slots_count; i++)
        if (offer->slots[i].index != i)
            return false;
    return true;
}

static void write_slots(struct core *core, const struct worker *worker, const struct msg_offer *offer)
{
    struct event_slots offered = {.slots = offer->slots, .slots_count = offer->slots_count};
    outbox_event(core, &(struct event){.kind = EVENT_SLOTS, .worker = worker->id, .offered = offered});
}

static uint32_t counted_and_sent(const struct core *core, const struct slot *slot)
{
    uint32_t count = 0;
    for (const struct list_link *link = slot->leases.after; link != &slot->leases; link = link->after) {
        const struct lease *lease = LIST_ITEM(link, struct lease, link);
        count += lease->sent && lease_trial(core, lease);
    }
    return count;
}

/* A run that does not count: its slot is taken until it ends. */
static struct lease *add_foreign(struct core *core, struct slot *slot, const struct trial *trial,
                                 const struct msg_held *held)
{
    struct lease *lease = lease_add(core, slot, held->trial, held->attempt);
    lease->gang.node = trial ? trial_part(trial, held->attempt, slot->worker->id) : 0;
    return lease;
}

static void claim_offered(struct core *core, struct worker *worker, const struct msg_held *held, uint32_t slots)
{
    struct slot *slot = worker->slots[held->slot % slots];
    struct lease *lease = lease_find(core, worker->id, held->trial, held->attempt);
    struct trial *trial = trial_find(core, held->trial);
    bool was_leased = held->trial && held->trial < core->next_trial && (!trial || held->attempt <= trial->attempts);
    if (!lease && !was_leased) {
        core->refused++;
        return;
    }
    bool too_late = core->leaving || core->state == EXPERIMENT_ENDED;
    if (!lease && too_late) { /* what was given up is not taken up again */
        if (!held->ended)
            dispatch_stop(core, worker, held->trial, held->attempt, walltime_ending(core));
        return;
    }
    bool waits = trial && trial->state == TRIAL_WAITING && !trial->cancel && held->attempt > trial->ended_attempt &&
                 trial_was_given(trial, held->attempt, worker->id);
    waits = waits && !trial_had_parts(trial, held->attempt) && gang_nodes(core) == 1;
    if (!lease && waits && counted_and_sent(core, slot) <= worker->credit)
        lease = lease_grant(core, trial, slot, held->attempt);
    else if (!lease)
        lease = add_foreign(core, slot, trial, held);
    lease_move(core, lease, slot);
    lease->sent = lease->claimed = true;
    lease->sent_at = core->now;
    if (!lease_trial(core, lease) && !held->ended && lease->gang.leave_by <= core->now)
        dispatch_stop(core, worker, held->trial, held->attempt, ENDING_CANCELLED);
    else if (lease_trial(core, lease) && trial->stop)
        lease_stop(core, lease, ENDING_STOPPED_EARLY);
    else if (lease->gang.spoiled && lease_trial(core, lease))
        lease_stop(core, lease, ENDING_CANCELLED);
}

/* What the worker did not claim it does not have; and what it took up again may leave no room for what was to be sent,
 * nor does a slot that is offered no more. */
static void settle_slot(struct core *core, struct slot *slot, uint32_t slots)
{
    for (struct list_link *link = slot->leases.after, *next; link != &slot->leases; link = next) {
        next = link->after;
        struct lease *lease = LIST_ITEM(link, struct lease, link);
        struct trial *trial = lease_trial(core, lease);
        bool never_came = lease->sent && !lease->claimed;
        bool no_room = !lease->sent && (slot->index >= slots || slot->lease_count > 1 + slot->worker->credit);
        if (never_came || no_room)
            lease_return(core, lease);
        else if (!lease->sent && trial)
            act_on_trial(core, trial);
        else if (!lease->sent)
            lease_free(core, lease);
    }
}

void reconcile_offer(struct core *core, struct worker *worker, const struct msg_offer *offer)
{
    enum { MOST_CREDIT = 1024 };
    if (!is_sane(offer)) {
        core->refused++;
        conduct_set_aside(core, worker, "its OFFER makes no sense: its slots are not numbered from 0");
        return;
    }
    worker->credit = offer->credit < MOST_CREDIT ? offer->credit : MOST_CREDIT;
    for (uint32_t i = 0; i < offer->slots_count; i++) {
        struct slot *slot = workers_slot(core, worker, i);
        free(slot->waits); /* it says so again */
        slot->waits = NULL;
        slot->port = (uint16_t)offer->slots[i].port;
        free(slot->meeting);
        slot->meeting = mem_text(offer->slots[i].meeting);
    }
    write_slots(core, worker, offer);
    lease_clear_claims(worker);
    for (uint32_t i = 0; i < offer->held_count; i++)
        claim_offered(core, worker, &offer->held[i], offer->slots_count);
    worker->offered = true;
    core->no_slots[0] = '\0';
    for (uint32_t i = 0; i < worker->slot_count; i++)
        settle_slot(core, worker->slots[i], offer->slots_count);
    workers_trim(core, worker, offer->slots_count);
    workers_fitness(core, worker);
    workers_drain(core, worker);
}

/* --- HEARTBEAT --- */

/* Whether its result has come, and its acknowledgement waits for the disk. */
static bool has_ended(const struct core *core, const struct worker *worker, const struct msg_run_id *run)
{
    const struct trial *trial = trial_find(core, run->trial);
    return trial && run->attempt <= trial->ended_attempt && trial_was_given(trial, run->attempt, worker->id);
}

/* Whether there is a lease for it, or its end is known. */
static bool claim_running(struct core *core, struct worker *worker, const struct msg_run_id *run)
{
    struct lease *lease = lease_find(core, worker->id, run->trial, run->attempt);
    if (!lease && has_ended(core, worker, run))
        return true;
    if (lease)
        lease->claimed = true;
    bool full = outbox_is_full(core); /* of tens of thousands of runs those left over are stopped at later heartbeats */
    if (!lease && !full)
        dispatch_stop(core, worker, run->trial, run->attempt, ENDING_CANCELLED);
    else if (lease && lease->stopping && !full)
        dispatch_stop(core, worker, run->trial, run->attempt, lease->stop_with);
    return lease != NULL;
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

void reconcile_heartbeat(struct core *core, struct worker *worker, const struct msg_heartbeat *heartbeat)
{
    if (!worker->offered) {
        dispatch_who(core, worker->peer);
        return;
    }
    dispatch_heard(core, worker, heartbeat->wall);
    bool tells = isfinite(heartbeat->wall) && heartbeat->wall > 0;
    worker->ahead = tells ? heartbeat->wall - (core->now + core->config.wall_offset) : NAN;
    workers_drain(core, worker);
    lease_clear_claims(worker);
    bool known = true;
    for (uint32_t i = 0; i < heartbeat->held_count; i++)
        known &= claim_running(core, worker, &heartbeat->held[i]);
    /* A heartbeat of before that lease may have a run whose end is acknowledged by now. */
    if (!known && worker->alone && worker->alone->claimed)
        worker->alone = NULL;
    for (uint32_t i = 0; i < worker->slot_count; i++)
        return_missing(core, worker->slots[i]);
}
