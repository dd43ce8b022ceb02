/* Slots of older resources. A coordinator that was started again may give trials other resources, and so this worker
 * other slots; what runs goes on where it is:
 *
 *     before    | slot 0: run A | slot 1: idle | slot 2: run B | slot 3: idle |
 *     after     | slot 0 (new), waits for A    | slot 1 (new), waits for B    |   retired: A's and B's old slots
 *
 * To the coordinator A runs in the new slot 0 and B in the new slot 1. A new slot begins nothing while a retired one
 * has cores or GPUs of its place. */
#include "common/mem.h"
#include "worker/agent/parts.h"

#include <stdlib.h>

static bool have_common(const struct numbers *a, const struct numbers *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (numbers_has(b, a->items[i]))
            return true;
    return false;
}

static bool overlap(const struct slot *a, const struct slot *b)
{
    return have_common(&a->place->cores, &b->place->cores) || have_common(&a->place->gpus, &b->place->gpus);
}

void retire_slots(struct worker *worker)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct slot *slot = worker->slots[i];
        slot_return_queue(slot);
        if (!slot->front) {
            slot_destroy(slot);
            continue;
        }
        if (!slot->retired) {
            slot->own = worker->places.places[i];
            worker->places.places[i] = (struct slot_place){0};
        }
        slot->retired = true;
        slot->place = &slot->own;
        worker->slots[kept++] = slot;
    }
    worker->slot_count = kept;
    slots_fini(&worker->places);
}

static uint32_t find_heir(const struct worker *worker, const struct slot *retired)
{
    for (uint32_t i = 0; i < worker->places.count; i++)
        if (overlap(worker->slots[i], retired))
            return i;
    return 0;
}

void retire_settle(struct worker *worker, struct slot **slots)
{
    struct map_entry entry;
    uint32_t count = worker->places.count;
    slots = mem_resize(slots, count + worker->slot_count, sizeof *slots);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        slots[count + i] = worker->slots[i];
    free(worker->slots);
    worker->slots = slots;
    worker->slot_count += count;
    for (size_t at = 0; map_next(&worker->runs, &at, &entry);)
        ((struct run *)entry.value)->slot %= count;
    for (uint32_t i = count; i < worker->slot_count; i++)
        slots[i]->front->slot = find_heir(worker, slots[i]);
}

bool retire_blocks(const struct slot *slot)
{
    const struct worker *worker = slot->worker;
    for (uint32_t i = worker->places.count; i < worker->slot_count && !slot->retired; i++)
        if (overlap(slot, worker->slots[i]))
            return true;
    return false;
}

void retire_reap(struct worker *worker)
{
    uint32_t kept = worker->places.count;
    for (uint32_t i = kept; i < worker->slot_count; i++) {
        if (worker->slots[i]->front)
            worker->slots[kept++] = worker->slots[i];
        else
            slot_destroy(worker->slots[i]);
    }
    worker->slot_count = kept;
}

struct slot *retire_slot_of(const struct worker *worker, const struct run *run)
{
    for (uint32_t i = worker->places.count; i < worker->slot_count; i++)
        if (worker->slots[i]->front == run)
            return worker->slots[i];
    return worker->slots[run->slot];
}
