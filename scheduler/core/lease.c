/* Leases: a trial given to a slot. A lease ends in one of four ways: its run ends (result.c), it is given back
 * unstarted, its worker is lost, or its trial went on without it, and then it only keeps the slot taken until the
 * worker lets go. */
#include "scheduler/core/lease.h"
#include "common/rng.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/grow.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/workers.h"

/* A worker can make up a run whose key another one of its has; the second one then gets the next key. */
static uint64_t key_of(uint64_t worker, uint64_t trial, uint32_t attempt, uint32_t probe)
{
    uint64_t key = rng_mix(rng_mix(worker, trial), attempt);
    return probe ? rng_mix(key, probe) : key;
}

struct lease *lease_find(const struct core *core, uint64_t worker, uint64_t trial, uint32_t attempt)
{
    for (uint32_t probe = 0; probe <= core->lease_probes; probe++) {
        struct lease *lease = map_get(&core->leases, key_of(worker, trial, attempt, probe));
        if (lease && lease->worker->id == worker && lease->trial == trial && lease->attempt == attempt)
            return lease;
    }
    return NULL;
}

/* Enters the lease under the first of its keys that is free. */
static void enter_lease(struct core *core, struct lease *lease)
{
    uint32_t probe = 0;
    do
        lease->key = key_of(lease->worker->id, lease->trial, lease->attempt, probe);
    while (map_get(&core->leases, lease->key) && ++probe);
    if (probe > core->lease_probes)
        core->lease_probes = probe;
    map_put(&core->leases, lease->key, lease);
}

struct trial *lease_trial(const struct core *core, const struct lease *lease)
{
    struct trial *trial = trial_find(core, lease->trial);
    const struct lease *first = lease->gang.node ? lease->gang.first : lease;
    return trial && first && trial->lease == first ? trial : NULL;
}

/* What its run was given. A run whose trial is not known any more may have anything: while it goes on its worker has no
 * memory for others. */
static void note_given(struct core *core, struct lease *lease)
{
    const struct trial none = {.memory = growth_is_given(core->config.more_memory) ? lease->worker->memory : 0};
    const struct trial *trial = trial_find(core, lease->trial);
    lease->memory = grow_memory(core, trial ? trial : &none);
    lease->time = grow_time(core, trial ? trial : &none);
    lease->worker->large_leases += lease->memory > core->config.memory;
}

struct lease *lease_add(struct core *core, struct slot *slot, uint64_t trial, uint32_t attempt)
{
    struct lease *lease = pool_take(&core->spare_leases, sizeof *lease);
    lease->trial = trial;
    lease->attempt = attempt;
    lease->worker = slot->worker;
    lease->slot = slot;
    lease->since = core->now;
    gang_init(lease);
    core->counters.leases++;
    if (!slot->lease_count++) {
        slot->head_since = core->now;
        core->busy++;
    }
    list_append(&slot->leases, &lease->link);
    if (slot->worker->lease_count++)
        slot->worker->alone = NULL;
    enter_lease(core, lease);
    note_given(core, lease);
    vacancy_refresh(core, slot);
    large_changed(core, slot->worker, false);
    return lease;
}

struct lease *lease_grant(struct core *core, struct trial *trial, struct slot *slot, uint32_t attempt)
{
    const struct event *event = outbox_event(core, &(struct event){.kind = EVENT_LEASED,
                                                                   .trial = trial->number,
                                                                   .attempt = attempt,
                                                                   .worker = slot->worker->id,
                                                                   .lease = {.slot = slot->index,
                                                                             .resumed = trial->reached,
                                                                             .memory = grow_written_memory(core, trial),
                                                                             .time = grow_written_time(core, trial)}});
    trial->lease = lease_add(core, slot, trial->number, attempt);
    trial_give(trial, attempt, slot->worker->id, 0);
    trial_update(core, trial, event);
    return trial->lease;
}

void lease_clear_claims(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        for (struct list_link *link = worker->slots[i]->leases.after; link != &worker->slots[i]->leases;
             link = link->after)
            LIST_ITEM(link, struct lease, link)->claimed = false;
}

/* Others may begin there again. */
static void end_apart(struct core *core, struct worker *worker)
{
    bool was_apart = worker->apart;
    worker->apart = false;
    for (uint32_t i = 0; was_apart && i < worker->slot_count; i++)
        vacancy_refresh(core, worker->slots[i]);
}

void lease_free(struct core *core, struct lease *lease)
{
    struct slot *slot = lease->slot;
    if (slot->leases.after == &lease->link) {
        slot->head_since = core->now;
        slot->stuck = slot->gave_back = false;
    }
    list_remove(&lease->link);
    core->counters.leases++;
    if (!--lease->worker->lease_count)
        end_apart(core, lease->worker);
    bool was_large = lease->memory > core->config.memory;
    lease->worker->large_leases -= was_large;
    if (lease->worker->alone == lease)
        lease->worker->alone = NULL;
    if (!--slot->lease_count)
        core->busy--;
    map_remove(&core->leases, lease->key);
    standstill_forget(core, lease);
    gang_fini(lease);
    pool_give(&core->spare_leases, lease);
    vacancy_refresh(core, slot);
    large_changed(core, slot->worker, was_large);
}

void lease_move(struct core *core, struct lease *lease, struct slot *to)
{
    struct slot *from = lease->slot;
    if (from == to)
        return;
    list_remove(&lease->link);
    list_append(&to->leases, &lease->link);
    lease->slot = to;
    core->busy -= !--from->lease_count;
    from->stuck = from->gave_back = false;
    from->head_since = core->now;
    if (!to->lease_count++) {
        to->head_since = core->now;
        core->busy++;
    }
    vacancy_refresh(core, from);
    vacancy_refresh(core, to);
    large_changed(core, to->worker, false);
}

/* The attempt as a whole, of which this was one node's. */
static void return_attempt(struct core *core, struct trial *trial, struct lease *lease)
{
    struct lease *first = trial->lease;
    struct event returned = {.kind = EVENT_RETURNED,
                             .trial = trial->number,
                             .attempt = first->attempt,
                             .worker = first->worker->id,
                             .lease = {.slot = first->slot->index}};
    trial_update(core, trial, outbox_event(core, &returned));
    gang_dissolve(core, first, lease);
}

void lease_return(struct core *core, struct lease *lease)
{
    struct trial *trial = lease_trial(core, lease);
    if (trial && lease->gang.spoiled && lease->sent) /* it had not begun when it was stopped for another node's end */
        lease_give_up(core, lease, lease->gang.ending, lease->gang.why);
    else if (trial && lease->gang.node && trial->begun)
        gang_give_up(core, lease, ENDING_LOST, "it did not take its part of the run");
    else if (trial)
        return_attempt(core, trial, lease);
    else if (!lease->gang.node)
        gang_dissolve(core, lease, lease);
    lease_free(core, lease);
}

void lease_give_up(struct core *core, struct lease *lease, enum ending ending, const char *why)
{
    struct trial *trial = lease_trial(core, lease);
    const struct gang_place *gang = &lease->gang;
    if (trial && gang->node)
        gang_give_up(core, lease, ending, why);
    if (!trial || gang->node)
        return;
    if (ending_retry(ending) == RETRY_FREE && !gang->spoiled)
        suspect_note_loss(core, lease, trial);
    ending = gang->spoiled ? gang->ending : ending;
    why = gang->spoiled ? gang->why : why;
    struct event_run run = {.slot = lease->slot->index,
                            .ending = ending,
                            .given_up = true,
                            .detail = why,
                            .started = lease->since + core->config.wall_offset,
                            .seconds = core->now - lease->since};
    outbox_event(core, &(struct event){.kind = EVENT_RUN_ENDED,
                                       .trial = trial->number,
                                       .attempt = lease->attempt,
                                       .worker = lease->worker->id,
                                       .run = run});
    trial->lease = NULL;
    struct outcome outcome = {.detail = why,
                              .seconds = core->now - lease->since,
                              .tail = gang->tail,
                              .node = gang->spoiled ? gang->where : NULL};
    trial_retry_or_end(core, trial, ending, &outcome);
    gang_dissolve(core, lease, lease);
}

void lease_lose(struct core *core, struct lease *lease, enum ending ending, const char *why)
{
    if (!lease->sent) {
        lease_return(core, lease);
        return;
    }
    if (lease->gang.node)
        gang_lose(core, lease, ending, why);
    else
        lease_give_up(core, lease, ending, why);
    lease_free(core, lease);
}

void lease_stop(struct core *core, struct lease *lease, enum ending ending)
{
    struct lease *first = gang_first(lease);
    if (!first)
        first = lease;
    if (first->sent)
        gang_stop(core, first, ending);
    else
        lease_return(core, first);
}
