/* Trials that need more memory than a slot has, since an attempt ran out of what it had (grow.h). Such a trial runs in
 * one slot, with that slot's cores and GPUs, and takes the rest of its memory from the worker: what no slot has, and
 * what others would have that stay empty meanwhile. A worker's memory is never promised twice:
 *
 *     capacity    the worker's memory, as it said it in HELLO; where that is not known: what its slots have together
 *     taken       what its leases were given: a slot's share each, of a large trial what that needs
 *     kept        what the first large trial needs, on the one worker that is kept for it
 *
 *     a usual trial begins in an idle slot    taken + kept + a slot's share <= capacity
 *     a large one begins in an idle slot      taken + what it needs         <= capacity
 *
 * Nobody starves: when no worker has room at present, the one with the most free is kept for the first of them: what
 * runs there may end, and nothing else begins in the memory that it needs. The others go on there and elsewhere. One
 * that no worker of this session could have ends after a while with that sentence. */
#include "scheduler/core/large.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/grow.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

void large_init(struct core *core)
{
    fitqueue_init(&core->large.queue, &core->counters.visits);
}

bool large_is(const struct core *core, const struct trial *trial)
{
    return grow_memory(core, trial) > core->config.memory;
}

void large_met(struct core *core, uint64_t memory)
{
    if (memory > core->large.most)
        core->large.most = memory;
}

/* --- memory --- */

/* A worker that may offer anything offers no more than 4096 slots, and resources.memory is below 2^63: doubles. */
static double capacity_of(const struct core *core, const struct worker *worker)
{
    double slots = (double)worker->slot_count * (double)core->config.memory;
    return worker->memory ? (double)worker->memory : slots;
}

static double taken_of(const struct core *core, const struct worker *worker)
{
    double taken = 0;
    for (uint32_t i = 0; i < worker->slot_count; i++)
        if (worker->slots[i]->lease_count) {
            const struct lease *first = LIST_ITEM(worker->slots[i]->leases.after, const struct lease, link);
            taken += (double)(first->memory > core->config.memory ? first->memory : core->config.memory);
        }
    return taken;
}

static struct trial *first_of(const struct core *core, double capacity)
{
    struct fitqueue_item *first = fitqueue_first(&core->large.queue, capacity);
    return first ? LIST_ITEM(first, struct trial, queue) : NULL;
}

static double kept_on(const struct core *core, const struct worker *worker)
{
    const struct trial *first = worker == core->large.kept ? first_of(core, INFINITY) : NULL;
    return first ? (double)grow_memory(core, first) : 0;
}

bool large_could(const struct core *core, const struct worker *worker, const struct trial *trial)
{
    return (double)grow_memory(core, trial) <= capacity_of(core, worker);
}

bool large_could_elsewhere(struct core *core, const struct trial *trial, const struct node_health *node)
{
    struct map_entry entry;
    bool could = !large_is(core, trial);
    core->counters.looks += could ? 0 : core->workers.count;
    for (size_t at = 0; !could && map_next(&core->workers, &at, &entry);) {
        const struct worker *worker = entry.value;
        could = worker->fit && worker->health != node && !node_health_holds(worker) && large_could(core, worker, trial);
    }
    return could;
}

static double free_of(const struct core *core, const struct worker *worker)
{
    return capacity_of(core, worker) - taken_of(core, worker);
}

/* Whether large trials have to do with this worker; else its slots have the memory that they offer. */
static bool concerns_worker(const struct core *core, const struct worker *worker)
{
    return worker->large_leases || worker == core->large.kept;
}

bool large_leaves_room(const struct core *core, const struct slot *slot)
{
    const struct worker *worker = slot->worker;
    if (!concerns_worker(core, worker))
        return true;
    double needed = kept_on(core, worker) + (double)core->config.memory;
    return needed <= free_of(core, worker);
}

bool large_lets_wait(const struct core *core, const struct slot *slot)
{
    return !concerns_worker(core, slot->worker);
}

static void refresh_slots(struct core *core, struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        vacancy_refresh(core, worker->slots[i]);
}

void large_changed(struct core *core, struct worker *worker, bool went)
{
    if (went || concerns_worker(core, worker))
        refresh_slots(core, worker);
}

/* --- placement --- */

static void keep_for_them(struct core *core, struct worker *worker)
{
    struct worker *before = core->large.kept;
    core->large.kept = worker;
    if (before && before != worker)
        refresh_slots(core, before);
    if (worker)
        refresh_slots(core, worker);
}

static struct slot *find_idle(const struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct slot *slot = worker->slots[i];
        if (!slot->lease_count && !slot->stuck && !slot->waits)
            return slot;
    }
    return NULL;
}

/* The first one that this worker has time for, if it has the memory at all. */
static struct trial *find_large(const struct core *core, const struct worker *worker)
{
    if (!worker->fit || worker == core->suspects.apart || node_health_holds(worker))
        return NULL;
    struct trial *trial = first_of(core, fmin(walltime_left(core), walltime_left_for(core, worker)));
    return trial && large_could(core, worker, trial) ? trial : NULL;
}

static bool may_place(const struct core *core)
{
    uint32_t most = core->config.max_concurrent;
    return core->state == EXPERIMENT_RUNNING && !limits_full(core) && !outbox_is_full(core) &&
           (!most || core->busy < most);
}

/* Leases the first of them to this worker; false: there is none, or no room for it now. */
static bool place_on(struct core *core, struct worker *worker)
{
    struct trial *trial = may_place(core) ? find_large(core, worker) : NULL;
    struct slot *slot = trial ? find_idle(worker) : NULL;
    if (!slot || free_of(core, worker) < (double)grow_memory(core, trial))
        return false;
    double before = trial->queue.size;
    if (!queue_renew(core, trial) || trial->queue.size > before)
        return false;
    lease_grant(core, trial, slot, trial->attempts + 1);
    if (worker == core->large.kept)
        keep_for_them(core, NULL);
    return true;
}

/* Uses what room there is, and keeps the worker with the most free memory for the first one that is left. */
static void look_through(struct core *core)
{
    struct map_entry entry;
    struct worker *best = NULL;
    core->large.look = false;
    for (size_t at = 0; core->large.queue.count && map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        core->counters.looks += 1 + worker->slot_count;
        while (place_on(core, worker))
            ;
        bool suits = find_large(core, worker) != NULL;
        if (suits && (!best || free_of(core, worker) > free_of(core, best)))
            best = worker;
    }
    if (!core->large.kept && core->large.queue.count && best)
        keep_for_them(core, best);
}

void large_place(struct core *core)
{
    struct worker *kept = core->large.kept;
    if (kept && !find_large(core, kept))
        keep_for_them(core, NULL);
    else if (kept)
        place_on(core, kept);
    if (core->large.look)
        look_through(core);
}

/* --- what no worker can have --- */

/* One from before a restart, or whose slots are not known yet, may be the one. */
static bool some_worker_could(const struct core *core, uint64_t memory)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        const struct worker *worker = entry.value;
        if (!worker->aside && (!worker->met || !worker->slot_count || capacity_of(core, worker) >= (double)memory))
            return true;
    }
    return false;
}

static void end_without(struct core *core, struct trial *trial)
{
    char size[32], why[160];
    snprintf(why, sizeof why, "it needs %s of memory, and no worker that is left has so much",
             units_show_size(grow_memory(core, trial), size, sizeof size));
    trial_end(core, trial, ENDING_OUT_OF_MEMORY, &(struct outcome){.detail = why});
}

/* The first large trial, or the first suspect when it is one, that none of the workers could have: those behind it wait
 * for it. NULL: there is none. */
static struct trial *find_without(const struct core *core)
{
    struct trial *firsts[] = {first_of(core, INFINITY), suspect_first(core)};
    for (size_t i = 0; i < 2; i++)
        if (firsts[i] && large_is(core, firsts[i]) && !some_worker_could(core, grow_memory(core, firsts[i])))
            return firsts[i];
    return NULL;
}

/* While no worker is there at all, others may come; a worker that broke off has as long to come back as any other. */
static void tick_without(struct core *core)
{
    struct large *large = &core->large;
    core->counters.looks += core->workers.count;
    struct trial *first = core->fit && core->state == EXPERIMENT_RUNNING ? find_without(core) : NULL;
    if (!first) {
        large->without = 0;
    } else if (large->without != first->number) {
        large->without = first->number;
        large->without_since = core->now;
    } else if (core->now - large->without_since > core->config.lost) {
        end_without(core, first);
    }
}

void large_tick(struct core *core)
{
    const struct trial *suspect = suspect_first(core);
    if (!core->large.queue.count && !(suspect && large_is(core, suspect)))
        return;
    core->large.look = true;
    tick_without(core);
}

void large_left(struct core *core, struct worker *worker)
{
    if (core->large.kept == worker)
        core->large.kept = NULL;
}
