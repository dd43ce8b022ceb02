/* Placement: which slot the next trial goes to.
 *
 * Every slot is as good as any other within an experiment, so an idle one is taken first, the one that has been idle
 * longest. When none is idle and runs are short, leases are given ahead: as many behind the running one as last about
 * AHEAD_SECONDS, which covers the way of a lease - two group commits of some milliseconds each and two messages - and
 * is too short to matter when a trial would have found another slot sooner. */
#include "scheduler/core/parts.h"

#include <math.h>

#define AHEAD_SECONDS 0.02

/* Of all slots together so many leases wait at most: what becomes of them comes back in few commits, and each costs a
 * turn some 4 us, so it stays below 10 ms. */
enum { MOST_AHEAD = 2048 };

/* Leases that may wait behind the running one. */
static uint32_t depth(const struct core *core, const struct slot *slot)
{
    if (core->run_seconds < 0 || core->run_seconds >= AHEAD_SECONDS)
        return 0;
    double many = AHEAD_SECONDS / (core->run_seconds > 1e-6 ? core->run_seconds : 1e-6);
    double share = core->slots ? (double)MOST_AHEAD / core->slots : MOST_AHEAD;
    double least = fmin(fmin(many, share), slot->worker->credit);
    return (uint32_t)least;
}

static bool has_room(const struct core *core, const struct slot *slot)
{
    return !slot->lease_count || (!slot->held_up && slot->lease_count <= depth(core, slot));
}

void place_refresh(struct core *core, struct slot *slot)
{
    list_remove(&slot->vacancy);
    if (!slot->worker->fit || slot->stuck)
        return;
    if (!slot->lease_count)
        list_append(&core->idle, &slot->vacancy);
    else if (has_room(core, slot))
        list_append(&core->ahead, &slot->vacancy);
}

static struct slot *choose(struct core *core)
{
    bool full = core->config.max_concurrent && core->busy >= core->config.max_concurrent;
    struct list_link *link = full ? NULL : list_first(&core->idle);
    while (!link && (link = list_first(&core->ahead))) {
        if (has_room(core, LIST_ITEM(link, struct slot, vacancy)))
            break;
        list_remove(link); /* runs have become longer since it was put there */
        link = NULL;
    }
    return link ? LIST_ITEM(link, struct slot, vacancy) : NULL;
}

static struct trial *pop_for(struct core *core, const struct slot *slot)
{
    return walltime_binds(core, slot->worker) ? queue_pop_for(core, slot->worker) : queue_pop(core);
}

/* A slot whose worker has too little time for any trial that waits is passed over this time. */
void place_all(struct core *core)
{
    if (core->state != EXPERIMENT_RUNNING)
        return;
    struct slot *slot;
    struct list_link passed, *link;
    list_init(&passed);
    queue_look_again(core);
    while (!list_is_empty(&core->queue) && !limits_full(core) && (slot = choose(core))) {
        struct trial *trial = pop_for(core, slot);
        list_remove(&slot->vacancy);
        if (trial)
            lease_grant(core, trial, slot, trial->attempts + 1);
        else
            list_append(&passed, &slot->vacancy);
    }
    while ((link = list_first(&passed)))
        place_refresh(core, LIST_ITEM(link, struct slot, vacancy));
}

void place_learn(struct core *core, double seconds)
{
    if (core->run_seconds < 0)
        core->run_seconds = seconds;
    core->run_seconds += 0.1 * (seconds - core->run_seconds);
}
