/* Vacant slots by nodes; see gather.h.
 *
 * Trials are all alike in what they take, so slots are not reserved: the first trial takes them as soon as enough nodes
 * have one, and no two trials wait for each other. */
#include "scheduler/core/gather.h"
#include "common/gang.h"
#include "common/hash.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <stdlib.h>

struct gather_node {
    uint64_t key;
    struct fitqueue slots; /* vacant ones */
    struct fitqueue_item item;
};

void gather_init(struct core *core)
{
    fitqueue_init(&core->gather.ready, &core->counters.visits);
}

void gather_fini(struct core *core)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->gather.nodes, &at, &entry);)
        free(entry.value);
    map_fini(&core->gather.nodes);
}

static struct gather_node *node_of(struct core *core, const char *name)
{
    uint64_t key = hash_text(name);
    struct gather_node *node = map_get(&core->gather.nodes, key);
    if (node)
        return node;
    node = MEM_NEW(struct gather_node);
    node->key = key;
    fitqueue_init(&node->slots, &core->counters.visits);
    map_put(&core->gather.nodes, key, node);
    return node;
}

static double size_of(const struct gather_node *node)
{
    return fitqueue_smallest(&node->slots)->size;
}

void gather_add(struct core *core, struct slot *slot, double size)
{
    struct gather_node *node = node_of(core, slot->worker->node);
    fitqueue_add(&node->slots, &slot->vacancy, size, core->vacancies++);
    if (node->item.queue)
        fitqueue_resize(&node->item, size_of(node));
    else
        fitqueue_add(&core->gather.ready, &node->item, size_of(node), core->vacancies++);
}

void gather_remove(struct core *core, struct slot *slot)
{
    struct gather_node *node = LIST_ITEM(slot->vacancy.queue, struct gather_node, slots);
    fitqueue_remove(&slot->vacancy);
    if (node->slots.count) {
        fitqueue_resize(&node->item, size_of(node));
        return;
    }
    fitqueue_remove(&node->item);
    map_remove(&core->gather.nodes, node->key);
    free(node);
}

/* A node that was taken out of its queue, and where it was there. */
struct taken_node {
    struct fitqueue_item *item;
    double size;
    int64_t place;
};

bool gather_slots(struct core *core, double need, uint32_t nodes, struct slot **out)
{
    struct fitqueue *ready = &core->gather.ready;
    struct taken_node taken[GANG_NODES_MOST];
    struct fitqueue_item *item;
    double capacity = walltime_size_for(core, need);
    uint32_t count = 0;
    while (ready->count + count >= nodes && count < nodes && (item = fitqueue_first(ready, capacity))) {
        struct gather_node *node = LIST_ITEM(item, struct gather_node, item);
        out[count] = LIST_ITEM(fitqueue_first(&node->slots, capacity), struct slot, vacancy);
        taken[count++] = (struct taken_node){item, item->size, item->place};
        fitqueue_remove(item);
    }
    for (uint32_t i = 0; i < count; i++)
        fitqueue_add(ready, taken[i].item, taken[i].size, taken[i].place);
    return count == nodes;
}

static uint32_t count_nodes(const struct core *core, bool endless)
{
    struct map seen = {0};
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        struct worker *worker = entry.value;
        if (worker->slot_count && !worker->aside && (worker->endless || !endless))
            map_put(&seen, hash_text(worker->node), worker);
    }
    uint32_t count = (uint32_t)seen.count;
    map_fini(&seen);
    return count;
}

uint32_t gather_count_nodes(const struct core *core)
{
    return count_nodes(core, false);
}

uint32_t gather_count_endless(const struct core *core)
{
    return count_nodes(core, true);
}
