/* Workers one by one; see worker_list.h. */
#include "scheduler/core/worker_list.h"

#include "common/json.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/status.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdlib.h>

static json_t *encode_slot(const struct slot *slot, double now)
{
    const struct lease *lease = slot->lease_count ? LIST_ITEM(list_first(&slot->leases), struct lease, link) : NULL;
    json_t *json = json_object();
    json_object_set_new(json, "slot", json_integer(slot->index));
    json_object_set_new(json, "trial", lease ? json_of_u64(lease->trial) : json_null());
    json_object_set_new(json, "attempt", lease ? json_integer(lease->attempt) : json_null());
    json_object_set_new(json, "seconds", lease ? json_of_real(now - slot->head_since) : json_null());
    json_object_set_new(json, "ahead", json_integer(lease ? slot->lease_count - 1 : 0));
    json_object_set_new(json, "stuck", json_boolean(slot->stuck));
    json_object_set_new(json, "why", json_of_text(slot->waits));
    return json;
}

static json_t *encode_worker(double now, const struct worker *worker)
{
    struct snapshot_worker seen = {0};
    json_t *running = json_array();
    status_copy_worker(worker, now, &seen);
    json_t *json = snapshot_encode_worker(&seen);
    json_object_set_new(json, "joined", worker->met ? json_of_real(now - worker->joined) : json_null());
    json_object_set_new(json, "left", isinf(worker->until) ? json_null() : json_of_real(worker->until - now));
    json_object_set_new(json, "fruitless", json_integer(worker->fruitless));
    json_object_set_new(json, "connected", json_boolean(worker->peer != 0));
    for (uint32_t i = 0; i < worker->slot_count; i++)
        if (worker->slots[i]->lease_count || worker->slots[i]->waits)
            json_array_append_new(running, encode_slot(worker->slots[i], now));
    json_object_set_new(json, "running", running);
    return json;
}

json_t *worker_list_named(const struct core *core, double now, const json_t *names)
{
    json_t *list = json_array(), *name;
    size_t index;
    json_array_foreach((json_t *)names, index, name)
    {
        const char *text = json_string_value(name);
        const struct worker *worker = text ? workers_find(core, strtoull(text, NULL, 16)) : NULL;
        if (worker && json_array_size(list) < WORKER_LIST_LONGEST)
            json_array_append_new(list, encode_worker(now, worker));
    }
    return list;
}

/* --- pages --- */

/* Keeps the smallest names in order. */
struct smallest {
    const struct worker **items;
    size_t count, most;
};

static void keep_smallest(struct smallest *kept, const struct worker *worker)
{
    size_t at = kept->count;
    if (at == kept->most && (at == 0 || kept->items[at - 1]->id < worker->id))
        return;
    at -= at == kept->most;
    for (; at > 0 && kept->items[at - 1]->id > worker->id; at--)
        kept->items[at] = kept->items[at - 1];
    kept->items[at] = worker;
    kept->count += kept->count < kept->most;
}

json_t *worker_list_page(const struct core *core, double now, uint64_t after, size_t limit)
{
    struct smallest page = {.most = limit < WORKER_LIST_LONGEST ? limit : WORKER_LIST_LONGEST};
    struct map_entry entry;
    page.items = MEM_ARRAY(const struct worker *, page.most + 1);
    for (size_t at = 0; map_next(&core->workers, &at, &entry);)
        if (entry.key > after)
            keep_smallest(&page, entry.value);
    json_t *list = json_array();
    for (size_t i = 0; i < page.count; i++)
        json_array_append_new(list, encode_worker(now, page.items[i]));
    free(page.items);
    return list;
}
