/* Vacant slots: which one the next trial goes to.
 *
 * Every slot is as good as any other within an experiment, so an idle one is taken first, the one that has been idle
 * longest. When none is idle and runs are short, leases are given ahead: as many behind the running one as last about
 * VACANCY_AHEAD_SECONDS, which covers the way of a lease - two group commits of some milliseconds each and two messages
 * - with 20 ms in which results gather at the worker: a message, a commit and the changes of threads that go with them
 * cost more than a short trial. It is too short to matter when a trial would have found another slot sooner. */
#include "scheduler/core/vacancy.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>

/* Of all slots together so many leases wait at most. Each waits for two commits, and a commit costs the same however
 * many trials share it: so 60,000 trials a second are possible while a commit takes 30 ms. What becomes of them comes
 * back over several turns (WORK_A_TURN). */
enum { MOST_AHEAD = 4096 };

/* Leases that may wait behind the running one. */
static uint32_t leases_ahead(const struct core *core, const struct slot *slot)
{
    if (core->config.nodes > 1 || core->run_seconds < 0 || core->run_seconds >= VACANCY_AHEAD_SECONDS)
        return 0;
    double many = VACANCY_AHEAD_SECONDS / (core->run_seconds > 1e-6 ? core->run_seconds : 1e-6);
    double share = core->slots ? (double)MOST_AHEAD / core->slots : (double)MOST_AHEAD;
    double least = fmin(fmin(many, share), slot->worker->credit);
    return (uint32_t)least;
}

/* Whether it takes one more lease. */
static bool takes_lease(const struct core *core, const struct slot *slot)
{
    if (!slot->lease_count)
        return large_leaves_room(core, slot);
    return !slot->gave_back && slot->lease_count <= leases_ahead(core, slot) && large_lets_wait(core, slot);
}

/* What nothing is known of yet is taken for the best of the others that has just begun. */
static double guess_end(const struct core *core)
{
    return core->worker_span > 0 ? core->now + core->worker_span : INFINITY;
}

/* Where the slot is to be found while it is vacant. */
static void add_vacancy(struct core *core, struct vacant *vacant, struct slot *slot)
{
    const struct worker *worker = slot->worker;
    bool guessed = worker->job.job && isinf(worker->until);
    if (core->config.nodes > 1) {
        gather_add(core, slot, guessed ? -guess_end(core) : -worker->until);
        return;
    }
    fitqueue_add(guessed ? &vacant->guessed : &vacant->known, &slot->vacancy, guessed ? -INFINITY : -worker->until,
                 core->vacancies++);
}

void vacancy_init(struct core *core)
{
    struct vacant *both[] = {&core->idle, &core->ahead};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        fitqueue_init(&both[i]->known, &core->counters.visits);
        fitqueue_init(&both[i]->guessed, &core->counters.visits);
    }
}

void vacancy_remove(struct core *core, struct slot *slot)
{
    if (core->config.nodes > 1 && slot->vacancy.queue)
        gather_remove(core, slot);
    else
        fitqueue_remove(&slot->vacancy);
}

void vacancy_refresh(struct core *core, struct slot *slot)
{
    vacancy_remove(core, slot);
    bool apart = slot->worker == core->suspects.apart || slot->worker->apart || node_health_holds(slot->worker);
    if (!slot->worker->fit || slot->stuck || slot->waits || apart)
        return;
    if (takes_lease(core, slot))
        add_vacancy(core, slot->lease_count ? &core->ahead : &core->idle, slot);
}

/* The slot that has been vacant longest of those whose workers have time for a trial that needs so much. */
static struct slot *find_vacant(const struct core *core, const struct vacant *vacant, double need)
{
    struct fitqueue_item *known = fitqueue_first(&vacant->known, walltime_size_for(core, need)), *guessed = NULL;
    if (need <= walltime_span(core))
        guessed = fitqueue_first(&vacant->guessed, INFINITY);
    struct fitqueue_item *first = !known || (guessed && guessed->place < known->place) ? guessed : known;
    return first ? LIST_ITEM(first, struct slot, vacancy) : NULL;
}

/* A slot with a run in front. When runs have become longer it may have no room ahead any more: it is put away, one
 * after another, and a bounded number of them by one input. */
static struct slot *find_ahead(struct core *core, double need)
{
    enum { MOST = 64 };
    struct slot *slot;
    for (int i = 0; i < MOST && (slot = find_vacant(core, &core->ahead, need)); i++) {
        if (takes_lease(core, slot))
            return slot;
        fitqueue_remove(&slot->vacancy);
    }
    return NULL;
}

struct slot *vacancy_find(struct core *core, double need)
{
    bool full = core->config.max_concurrent && core->busy >= core->config.max_concurrent;
    struct slot *idle = full ? NULL : find_vacant(core, &core->idle, need);
    return idle ? idle : find_ahead(core, need);
}

void vacancy_learn(struct core *core, double seconds)
{
    if (core->run_seconds < 0)
        core->run_seconds = seconds;
    core->run_seconds += 0.1 * (seconds - core->run_seconds);
}
