/* The nodes that suspicions are about: who is on them, whether they get trials, and whether they are taken. A node that
 * is set aside may have been mended, or was not at fault after all: its next worker is refused for a while, twice as
 * long each time, and then one more failure that is its own is enough. */
#include "scheduler/core/node_health.h"
#include "common/hash.h"
#include "common/mem.h"
#include "common/units.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdlib.h>

/* What was suspected is the next trial that another node gets; but what runs there may be long. A node that is let go
 * before, and fails again, is held twice as long each time. */
static const double first_hold = 60, longest_hold = 1800;

static const double first_aside = 600, longest_aside = 4 * 3600.0;

void node_health_init(struct core *core)
{
    list_init(&core->node_faults.held);
    list_init(&core->node_faults.unheard);
    list_init(&core->node_faults.condemned);
}

static void free_node(struct node_health *node)
{
    list_remove(&node->held);
    list_remove(&node->condemned);
    list_remove(&node->unheard);
    free(node->name);
    free(node->aside);
    free(node);
}

void node_health_fini(struct core *core)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->node_faults.nodes, &at, &entry);)
        free_node(entry.value);
    map_fini(&core->node_faults.nodes);
}

/* --- who is there --- */

struct node_health *node_health_find(const struct core *core, const char *name)
{
    return map_get(&core->node_faults.nodes, hash_text(name));
}

static struct node_health *add_node(struct core *core, const char *name)
{
    struct node_health *node = MEM_NEW(struct node_health);
    node->name = mem_text(name);
    node->key = hash_text(name);
    list_init(&node->workers);
    list_init(&node->trials);
    list_append(&core->node_faults.unheard, &node->unheard);
    map_put(&core->node_faults.nodes, node->key, node);
    return node;
}

void node_health_count(struct core *core, struct node_health *node)
{
    struct node_faults *faults = &core->node_faults;
    bool gets = node->fit && !list_has(&node->held), well = node->fit && (node->fine || node->going);
    faults->getting = faults->getting - node->counted.gets + gets;
    faults->well = faults->well - node->counted.well + well;
    faults->changed |= gets != node->counted.gets;
    node->counted.gets = gets;
    node->counted.well = well;
}

void node_health_leave(struct core *core, struct worker *worker)
{
    struct node_health *node = worker->health;
    worker->health = NULL;
    list_remove(&worker->same_node);
    if (!node)
        return;
    node->fit -= worker->fit;
    node_health_count(core, node);
    if (!list_is_empty(&node->workers) || !list_is_empty(&node->trials) || node->aside)
        return;
    map_remove(&core->node_faults.nodes, node->key);
    free_node(node);
}

/* It was set aside, and a worker of it has come after that. */
static void take_again(struct core *core, struct node_health *node)
{
    free(node->aside);
    node->aside = NULL;
    node->back = core->now;
    node->fine = node->going = false;
}

void node_health_enter(struct core *core, struct worker *worker)
{
    struct node_health *node = node_health_find(core, worker->node);
    if (node && node == worker->health)
        return;
    node_health_leave(core, worker);
    node = node_health_find(core, worker->node);
    node = node ? node : add_node(core, worker->node);
    if (node->aside && core->now >= node->aside_until)
        take_again(core, node);
    worker->health = node;
    node->of_job |= worker->job.job != 0;
    node->fit += worker->fit;
    list_append(&node->workers, &worker->same_node);
    node_health_count(core, node);
}

void node_health_fit(struct core *core, struct worker *worker)
{
    struct node_health *node = worker->health;
    if (!node)
        return;
    node->fit = worker->fit ? node->fit + 1 : node->fit - 1;
    node_health_count(core, node);
}

/* --- how they do --- */

/* Nodes whose first worker is on its way: while a session is young the one that was quicker is not all there is. */
static uint32_t count_awaited(const struct core *core)
{
    size_t known = core->node_faults.nodes.count, awaited = core->config.awaited_nodes;
    return core->now - core->started < first_hold && awaited > known ? (uint32_t)(awaited - known) : 0;
}

bool node_health_others_get_trials(const struct core *core, const struct node_health *node)
{
    return core->node_faults.getting - node->counted.gets + count_awaited(core) >= gang_nodes(core);
}

/* What the slot runs, if its worker was told of it and not to stop it; NULL: nothing. */
static const struct lease *running(const struct slot *slot)
{
    const struct lease *front = slot->lease_count ? LIST_ITEM(slot->leases.after, struct lease, link) : NULL;
    return front && front->sent && !front->stopping ? front : NULL;
}

static bool runs_something(const struct node_health *node)
{
    for (const struct list_link *link = node->workers.after; link != &node->workers; link = link->after) {
        const struct worker *worker = LIST_ITEM(link, struct worker, same_node);
        for (uint32_t i = 0; worker->fit && i < worker->slot_count; i++)
            if (running(worker->slots[i]))
                return true;
    }
    return false;
}

bool node_health_others_may_do_well(const struct core *core, const struct node_health *node)
{
    const struct list_link *unheard = &core->node_faults.unheard;
    if (core->node_faults.well > node->counted.well || count_awaited(core))
        return true;
    for (const struct list_link *link = unheard->after; link != unheard; link = link->after) {
        const struct node_health *other = LIST_ITEM(link, struct node_health, unheard);
        if (other != node && runs_something(other))
            return true;
    }
    return false;
}

/* What fails for its node's sake does so within moments, mostly; what runs for longer does better than that. */
void node_health_watch(struct core *core, struct worker *worker)
{
    struct node_health *node = worker->health;
    double lasting = first_hold + 4 * core->node_faults.longest;
    for (uint32_t i = 0; node && !node->going && i < worker->slot_count; i++) {
        const struct slot *slot = worker->slots[i];
        node->going = running(slot) && core->now - slot->head_since >= lasting;
        if (node->going)
            node_health_count(core, node);
    }
}

/* --- held --- */

bool node_health_holds(const struct worker *worker)
{
    return worker->health && list_has(&worker->health->held);
}

/* All that the node has, which may be all that there are: as often as it is held or let go. */
static void refresh_slots(struct core *core, const struct node_health *node)
{
    core->counters.holds++;
    for (const struct list_link *link = node->workers.after; link != &node->workers; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, same_node);
        core->counters.looks += worker->slot_count;
        for (uint32_t i = 0; i < worker->slot_count; i++)
            vacancy_refresh(core, worker->slots[i]);
    }
}

void node_health_hold(struct core *core, struct node_health *node)
{
    if (list_has(&node->held))
        return;
    node->hold = node->hold > 0 ? node->hold : first_hold;
    node->held_until = core->now + node->hold;
    list_append(&core->node_faults.held, &node->held);
    node_health_count(core, node);
    refresh_slots(core, node);
}

void node_health_let_go(struct core *core, struct node_health *node)
{
    if (!list_has(&node->held))
        return;
    list_remove(&node->held);
    node_health_count(core, node);
    refresh_slots(core, node);
}

void node_health_tick(struct core *core)
{
    for (struct list_link *link = core->node_faults.held.after, *next; link != &core->node_faults.held; link = next) {
        struct node_health *node = LIST_ITEM(link, struct node_health, held);
        next = link->after;
        core->counters.looks++;
        if (core->now < node->held_until)
            continue;
        node->hold = fmin(2 * node->hold, longest_hold);
        node_health_let_go(core, node);
    }
}

/* --- set aside --- */

const char *node_health_refuses(const struct core *core, const char *name)
{
    const struct node_health *node = node_health_find(core, name);
    return node && core->now < node->aside_until ? node->aside : NULL;
}

void node_health_list_refused(const struct core *core, struct buf *out)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->node_faults.nodes, &at, &entry);) {
        const struct node_health *node = entry.value;
        if (node->of_job && node->aside && core->now < node->aside_until)
            buf_format(out, "%s%s", out->length ? "," : "", node->name);
    }
}

bool node_health_is_over(const struct worker *worker)
{
    return worker->health && worker->heard < worker->health->back;
}

void node_health_set_aside(struct core *core, struct node_health *node)
{
    char time[32];
    double seconds = fmin(ldexp(first_aside, (int)fmin(node->asides, 10)), longest_aside);
    list_remove(&node->condemned);
    if (core->state != EXPERIMENT_RUNNING || !node_health_others_get_trials(core, node)) {
        node->alone = 0;
        return;
    }
    node->alone--;
    node->asides++;
    node->aside_until = core->now + seconds;
    node->aside = mem_format("trials fail on this node alone, other nodes are fine: %s; mend that there: a worker that "
                             "comes from it %s later is taken again, and so is one of a search that is resumed",
                             node->words, units_show_duration(seconds, time, sizeof time));
    for (struct list_link *link = node->workers.after; link != &node->workers; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, same_node);
        if (!worker->aside)
            conduct_set_aside(core, worker, node->aside);
    }
}
