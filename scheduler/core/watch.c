/* Looking after workers as time passes; see watch.h. What a tick costs is bounded: very many workers are looked at over
 * several turns. */
#include "scheduler/core/watch.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>

static void stop_runs_of_worker(struct core *core, struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        for (struct list_link *link = worker->slots[i]->leases.after, *next; link != &worker->slots[i]->leases;
             link = next) {
            struct lease *lease = LIST_ITEM(link, struct lease, link);
            next = link->after;
            if (lease_trial(core, lease) && !lease->stopping && !walltime_may_end(core, worker, lease))
                lease_stop(core, lease, ENDING_WALLTIME);
        }
}

/* A run that should have ended long ago - the worker was to end it at trial_time - is lost, and its slot is not used
 * until the worker says something about it. */
static void find_stuck(struct core *core, struct slot *slot)
{
    enum { SLACK = 30 };
    struct lease *lease = slot->lease_count ? LIST_ITEM(slot->leases.after, struct lease, link) : NULL;
    double allowed = lease ? lease->time + core->config.grace + (double)SLACK : 0;
    if (!lease || lease->time <= 0 || !lease->sent || slot->stuck || core->now - slot->head_since < allowed)
        return;
    slot->stuck = true;
    vacancy_refresh(core, slot);
    lease_stop(core, lease, ENDING_CANCELLED);
    lease_give_up(core, lease, ENDING_LOST, "its worker did not end it at limits.trial_time");
}

static void watch_slot(struct core *core, struct slot *slot)
{
    find_stuck(core, slot);
    gang_tick(core, slot);
}

/* Why this worker is lost; NULL: it is not. */
static const char *find_loss(const struct core *core, const struct worker *worker)
{
    double silent = core->now - worker->heard;
    if (worker->aside && node_health_is_over(worker))
        return "its node is taken again";
    if (worker->aside)
        return core->conduct.aside > CONDUCT_MOST_ASIDE ? "others were set aside since" : NULL;
    if (worker->job_ended && silent > core->config.suspect)
        return "its job has ended, and it is silent";
    if (!worker->peer && core->now - worker->gone_since > worker->patience)
        return "its connection broke and it did not come back";
    return worker->peer && silent > core->config.lost ? "it fell silent" : NULL;
}

static void watch_worker(struct core *core, struct worker *worker)
{
    if (core->now - worker->heard > 1.5 * core->config.heartbeat)
        dispatch_heard(core, worker, 0); /* shows whether the connection still stands */
    workers_fitness(core, worker);
    if (worker->untold)
        workers_drain(core, worker);
    worker->untold = false;
    if (walltime_is_near_for(core, worker))
        stop_runs_of_worker(core, worker);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        watch_slot(core, worker->slots[i]);
    node_health_watch(core, worker);
}

static double later(const struct core *core, double time, double seconds)
{
    return fmin(time + seconds, core->now);
}

/* What a worker said, that it came back and that its run ended may lie in our socket, unread. */
void watch_excuse(struct core *core, double seconds)
{
    for (struct list_link *link = core->watched.after; link != &core->watched; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, watched);
        worker->heard = later(core, worker->heard, seconds);
        worker->gone_since = later(core, worker->gone_since, seconds);
        for (uint32_t i = 0; i < worker->slot_count; i++)
            worker->slots[i]->head_since = later(core, worker->slots[i]->head_since, seconds);
    }
}

void watch_tick(struct core *core)
{
    struct list_link *link;
    for (; core->unwatched && !outbox_is_full(core) && (link = list_first(&core->watched)); core->unwatched--) {
        struct worker *worker = LIST_ITEM(link, struct worker, watched);
        const char *loss = find_loss(core, worker);
        core->counters.looks += 1 + worker->slot_count;
        list_remove(link);
        list_append(&core->watched, link);
        if (loss)
            workers_lose(core, worker, worker->loss, loss);
        else
            watch_worker(core, worker);
    }
    if (list_is_empty(&core->watched))
        core->unwatched = 0; /* some went by themselves meanwhile */
}
