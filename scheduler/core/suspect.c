/* Who is at fault when a worker is lost. A trial may kill its worker, or draw the kernel's memory killer on it; those
 * that ran beside it are lost as well, and nobody is left to tell which one it was.
 *
 *     worker lost        counts against each trial that ran there
 *     two in a row       the trial is a suspect: it runs alone, on a worker that is kept apart for suspects
 *     lost again, alone  it is guilty and fails; the losses that others shared with it are taken off
 *     ended, alone       nothing counts against it any more
 *
 * What is no trial's doing does not count: the end of a job or of the session, a worker that was not met since the
 * coordinator was started or that is set aside for what it says, several workers that are lost at the same moment. Two
 * trials that kill their workers might do so at the same moment again and again, so a trial is excused for that a few
 * times only.
 *
 * One worker at most is kept apart (on several nodes: suspect_gang.c): what runs there may end, nothing else is begun.
 * When trial after trial is found guilty and none ends otherwise, the machine is to blame, and the session ends before
 * it burns through the search. */
#include "scheduler/core/suspect.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/suspect_gang.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUSPECT_LOSSES = 2, MOST_EXCUSED = 3 };

void suspect_init(struct core *core)
{
    struct suspects *suspects = &core->suspects;
    fitqueue_init(&suspects->queue, &core->counters.visits);
    list_init(&suspects->lost);
    suspects->lost_at = suspects->before = -INFINITY;
}

void suspect_fini(struct core *core)
{
    free(core->suspects.counted);
}

bool suspect_is(const struct trial *trial)
{
    return trial->losses >= SUSPECT_LOSSES;
}

static void set_losses(struct core *core, struct trial *trial, uint32_t losses)
{
    trial->losses = losses;
    list_remove(&trial->lost);
    if (losses)
        list_append(&core->suspects.lost, &trial->lost);
}

/* Takes losses off, and writes that down; one that is a suspect no more waits with all others. */
static void take_off(struct core *core, struct trial *trial, uint32_t losses)
{
    bool waits = trial->queue.queue != NULL;
    set_losses(core, trial, trial->losses > losses ? trial->losses - losses : 0);
    struct event event = {.kind = EVENT_CLEARED, .trial = trial->number, .cleared = {.losses = trial->losses}};
    outbox_event(core, &event);
    if (waits) {
        queue_remove(trial);
        queue_push(core, trial, true);
    }
}

/* --- losses --- */

/* Losses that come within this time have one cause. */
static double one_moment(const struct core *core)
{
    return 2 * core->config.heartbeat;
}

/* Whether the trial was begun on this worker after the loss before, under which it ran, too: then it is at fault. */
static bool runs_on(const struct trial *trial, const struct worker *worker)
{
    return trial->lease && trial->lease->worker == worker;
}

/* The loss before this one was of the same moment: it does not count any more. */
static void excuse_counted(struct core *core, const struct worker *worker)
{
    struct suspects *suspects = &core->suspects;
    for (size_t i = 0; i < suspects->counted_count; i++) {
        struct trial *trial = trial_find(core, suspects->counted[i]);
        if (!trial || !trial->losses || trial->excused >= MOST_EXCUSED || runs_on(trial, worker))
            continue;
        trial->excused++;
        take_off(core, trial, 1);
    }
}

/* The first of the runs that are lost with this worker. */
static void begin_loss(struct core *core, const struct worker *worker)
{
    struct suspects *suspects = &core->suspects;
    if (suspects->last == worker->id)
        return;
    suspects->last = worker->id;
    suspects->before = suspects->lost_at;
    suspects->lost_at = core->now;
    if (worker->joined < suspects->before && core->now - suspects->before <= one_moment(core))
        excuse_counted(core, worker);
    suspects->counted_count = 0;
}

/* Whether another worker is silent, with runs that may be lost as well. Asked for a verdict only: they are rare. */
static bool others_are_silent(const struct core *core, const struct worker *worker)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        const struct worker *other = entry.value;
        bool silent = !other->peer || core->now - other->heard > one_moment(core);
        if (other != worker && other->lease_count && silent)
            return true;
    }
    return false;
}

/* Whether what took the worker is seen to have taken others, too. */
static bool is_excused(const struct core *core, const struct lease *lease, const struct trial *trial, bool alone)
{
    double before = core->suspects.before;
    bool together = lease->since < before && core->now - before <= one_moment(core);
    return trial->excused < MOST_EXCUSED && (together || (alone && others_are_silent(core, lease->worker)));
}

void suspect_note_loss(struct core *core, const struct lease *lease, struct trial *trial)
{
    struct suspects *suspects = &core->suspects;
    bool alone = lease->worker->alone == lease;
    if (core->state != EXPERIMENT_RUNNING || !lease->worker->met || lease->worker->aside)
        return;
    begin_loss(core, lease->worker);
    if (is_excused(core, lease, trial, alone)) {
        trial->excused++;
        return;
    }
    set_losses(core, trial, trial->losses + 1);
    trial->guilty = alone && trial->losses > SUSPECT_LOSSES;
    MEM_GROW(suspects->counted, suspects->counted_capacity, suspects->counted_count + 1);
    suspects->counted[suspects->counted_count++] = trial->number;
}

void suspect_acquit(struct trial *trial)
{
    trial->losses = 0;
    list_remove(&trial->lost);
}

/* --- the verdict --- */

static uint32_t count_shared(const struct trial *guilty, const struct trial *other)
{
    uint32_t shared = 0;
    for (size_t i = 0; i < other->run_count; i++)
        for (size_t k = 0; k < guilty->run_count; k++)
            if (other->runs[i].worker == guilty->runs[k].worker) {
                shared++;
                break;
            }
    return shared;
}

const char *suspect_convict(struct core *core, const struct trial *guilty, enum ending ending, char *out, size_t size)
{
    struct list_link *link = core->suspects.lost.after;
    while (link != &core->suspects.lost) {
        struct trial *other = LIST_ITEM(link, struct trial, lost);
        uint32_t shared = other == guilty ? 0 : count_shared(guilty, other);
        link = link->after; /* it leaves the list */
        if (shared)
            take_off(core, other, other->losses);
    }
    core->suspects.convicted++;
    snprintf(out, size, "%s %s while this trial ran; the last time it ran alone",
             ending == ENDING_GPU_FAILED ? "its GPU failed or its worker was lost" : "the worker was lost",
             guilty->losses == SUSPECT_LOSSES + 1 ? "three times" : "again and again");
    return out;
}

bool suspect_is_machine(const struct core *core, char *why, size_t size)
{
    uint32_t most = core->config.most_guilty;
    if (!most || core->suspects.convicted < most)
        return false;
    snprintf(why, size,
             "%u trials one after the other each lost their worker three times, the last time alone: the machine may "
             "be at fault, or no trial can run on it; the workers' logs and the kernel's (dmesg) may say why",
             most);
    return true;
}

/* --- a place for them --- */

static void keep_apart(struct core *core, struct worker *worker)
{
    struct worker *before = core->suspects.apart;
    core->suspects.apart = worker;
    for (uint32_t i = 0; before && i < before->slot_count; i++)
        vacancy_refresh(core, before->slots[i]);
    for (uint32_t i = 0; worker && i < worker->slot_count; i++)
        vacancy_refresh(core, worker->slots[i]);
}

static struct slot *usable_slot(const struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        if (!worker->slots[i]->stuck && !worker->slots[i]->waits)
            return worker->slots[i];
    return NULL;
}

static struct trial *first_within(const struct core *core, double capacity)
{
    struct fitqueue_item *first = fitqueue_first(&core->suspects.queue, capacity);
    return first ? LIST_ITEM(first, struct trial, queue) : NULL;
}

struct trial *suspect_first(const struct core *core)
{
    return first_within(core, INFINITY);
}

/* The first suspect that this worker has time for; NULL: there is none. */
static struct trial *find_suspect(const struct core *core, const struct worker *worker)
{
    struct trial *trial = first_within(core, fmin(walltime_left(core), walltime_left_for(core, worker)));
    bool has_memory = trial && (!large_is(core, trial) || large_could(core, worker, trial));
    return has_memory ? trial : NULL;
}

static bool suits_worker(const struct core *core, const struct worker *worker)
{
    return worker->fit && !node_health_holds(worker) && usable_slot(worker) && find_suspect(core, worker);
}

void suspect_place(struct core *core)
{
    struct worker *apart = core->suspects.apart;
    uint32_t most = core->config.max_concurrent;
    if (!apart || !apart->fit || apart->lease_count || (most && core->busy >= most))
        return;
    struct trial *trial = find_suspect(core, apart);
    struct slot *slot = usable_slot(apart);
    if (!trial || !slot || node_health_holds(apart)) {
        keep_apart(core, NULL);
        return;
    }
    double before = trial->queue.size;
    if (!queue_renew(core, trial) || trial->queue.size > before)
        return;
    apart->alone = lease_grant(core, trial, slot, trial->attempts + 1);
}

/* The worker with the least to do, which it may end. */
void suspect_tick(struct core *core)
{
    struct map_entry entry;
    struct worker *apart = core->suspects.apart, *best = NULL;
    if (core->config.nodes > 1) {
        suspect_gang_tick(core);
        return;
    }
    if (apart && !apart->alone && (!core->suspects.queue.count || !apart->fit))
        keep_apart(core, NULL);
    if (core->suspects.apart || !core->suspects.queue.count)
        return;
    core->counters.looks += core->workers.count;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        if ((!best || worker->lease_count < best->lease_count) && suits_worker(core, worker))
            best = worker;
    }
    if (best)
        keep_apart(core, best);
}

void suspect_came(struct core *core, struct worker *worker)
{
    if (core->config.nodes <= 1 && !core->suspects.apart && core->suspects.queue.count && suits_worker(core, worker))
        keep_apart(core, worker);
}

void suspect_left(struct core *core, struct worker *worker)
{
    if (core->suspects.apart == worker)
        core->suspects.apart = NULL;
}

/* --- after a restart --- */

void suspect_recall(struct core *core, struct trial *trial, uint32_t losses)
{
    set_losses(core, trial, losses);
}

void suspect_recall_alone(struct core *core)
{
    for (struct list_link *link = core->suspects.lost.after; link != &core->suspects.lost; link = link->after) {
        const struct trial *trial = LIST_ITEM(link, struct trial, lost);
        struct worker *worker = trial->lease ? trial->lease->worker : NULL;
        if (worker && suspect_is(trial) && core->config.nodes > 1)
            suspect_gang_keep(core, trial->lease);
        if (!worker || !suspect_is(trial) || worker->lease_count > 1 || core->config.nodes > 1)
            continue;
        worker->alone = trial->lease;
        if (!core->suspects.apart)
            core->suspects.apart = worker;
    }
}
