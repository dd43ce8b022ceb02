/* The slots, also those of older resources. A coordinator that was started again may give trials other resources, and
 * so this worker other slots; what runs goes on where it is:
 *
 *     before    | slot 0: run A | slot 1: idle | slot 2: run B | slot 3: idle |
 *     after     | slot 0 (new), waits for A    | slot 1 (new), waits for B    |   retired: A's and B's old slots
 *
 * To the coordinator A runs in the new slot 0 and B in the new slot 1. A new slot begins nothing while a retired one
 * has cores or GPUs of its place. */
#include "worker/agent/slot_set.h"
#include "worker/agent/address.h"
#include "worker/agent/slot_claim.h"
#include "worker/agent/slot_parts.h"
#include "common/container.h"
#include "common/log.h"
#include "common/mem.h"
#include "worker/program/crew.h"

#include <stdlib.h>

static bool have_common(const struct numbers *a, const struct numbers *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (numbers_has(b, a->items[i]))
            return true;
    return false;
}

static bool slots_overlap(const struct agent_slot *a, const struct agent_slot *b)
{
    return have_common(&a->place->cores, &b->place->cores) || have_common(&a->place->gpus, &b->place->gpus);
}

void slot_set_retire(struct slot_set *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct agent_slot *slot = set->all[i];
        slot_return_queue(slot);
        if (!slot->front) {
            slot_destroy(slot);
            continue;
        }
        if (!slot->retired) {
            slot->own = set->places.places[i];
            set->places.places[i] = (struct slot_place){0};
        }
        slot->retired = true;
        slot->place = &slot->own;
        set->all[kept++] = slot;
    }
    set->count = kept;
    slots_fini(&set->places);
}

static uint32_t find_heir(const struct slot_set *set, const struct agent_slot *retired)
{
    for (uint32_t i = 0; i < set->places.count; i++)
        if (slots_overlap(set->all[i], retired))
            return i;
    return 0;
}

/* Adds the retired slots behind the new ones, and gives every run a slot among these. */
static void put_in_front(struct slot_set *set, struct agent_slot **slots)
{
    struct map_entry entry;
    uint32_t count = set->places.count;
    slots = mem_resize(slots, count + set->count, sizeof *slots);
    for (uint32_t i = 0; i < set->count; i++)
        slots[count + i] = set->all[i];
    free(set->all);
    set->all = slots;
    set->count += count;
    for (size_t at = 0; map_next(&set->host->reporter->runs, &at, &entry);)
        ((struct run *)entry.value)->slot %= count;
    for (uint32_t i = count; i < set->count; i++)
        slots[i]->front->slot = find_heir(set, slots[i]);
}

static uint32_t count_unused(const struct topology *topology, const struct slots *slots)
{
    struct numbers used = {0};
    for (uint32_t i = 0; i < slots->count; i++)
        numbers_merge(&used, &slots->places[i].gpus);
    uint32_t unused = topology->gpu_count - (uint32_t)used.count;
    numbers_fini(&used);
    return unused;
}

static void log_slots(const struct slot_set *set)
{
    const struct topology *topology = &set->host->topology;
    uint32_t unused = count_unused(topology, &set->places);
    log_info("offers %u slot%s", set->places.count, set->places.count == 1 ? "" : "s");
    for (uint32_t i = 0; i < set->places.count; i++) {
        enum { TOLD = 4 }; /* the first few show what the others are like */
        struct buf words = {0};
        slot_words(topology, &set->places.places[i], &words);
        log_line(i < TOLD ? LOG_INFO : LOG_DEBUG, "slot %u: %s", i, buf_str(&words));
        buf_fini(&words);
    }
    if (unused)
        log_info("%u of %u GPUs stay unused%s", unused, topology->gpu_count,
                 set->host->task.gpus ? "" : ": resources.gpus gives trials none");
}

static bool share_gpus(const struct slots *slots)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->places[i].gpu_slots > 1)
            return true;
    return false;
}

/* Whether there is a GPU that trials can't share but by MPS. */
static bool needs_mps(const struct topology *topology, const struct slot_request *request)
{
    for (uint32_t i = 0; i < topology->gpu_count && request->gpu_slots > 1; i++)
        if (topology->gpus[i].mode == GPU_MODE_ONE)
            return true;
    return false;
}

/* The daemon stays as long as the worker: what runs in retired slots uses it. Of GPUs that are shared only by it there
 * are more places then. */
static int open_mps(struct slot_set *set, struct slot_request *request, struct err *err)
{
    const struct slot_host *host = set->host;
    bool is_needed = needs_mps(&host->topology, request);
    if (!is_needed && !share_gpus(&set->places))
        return 0;
    if (!set->mps && mps_open(host->loop, host->task.mps, (const char *const *)host->marks.items, &set->mps, err))
        return -1;
    request->mps = set->mps != NULL;
    if (is_needed && request->mps) {
        slots_fini(&set->places);
        if (slots_make(&host->topology, request, &set->places, err))
            return -1;
    }
    for (uint32_t i = 0; i < set->places.count && set->mps; i++)
        set->places.places[i].mps = mps_directory(set->mps);
    return 0;
}

static void log_modes(const struct slot_set *set, const struct slot_request *request)
{
    struct texts notes = {0};
    slots_note_modes(&set->host->topology, request, &notes);
    for (size_t i = 0; i < notes.count; i++)
        log_warning("%s", notes.items[i]);
    texts_fini(&notes);
}

/* Slots that are one place stand side by side: the first one's crew is that of all. */
static void share_trainer(struct agent_slot **slots, uint32_t i)
{
    uint32_t fused = slots[i]->place->fused;
    if (fused > 1)
        slots[i]->crew = i % fused ? crew_hold(slots[i - 1]->crew) : crew_create();
}

int slot_set_make(struct slot_set *set, struct err *err)
{
    const struct task *task = &set->host->task;
    struct slot_request request = {.cpus = task->cpus,
                                   .sockets = task->sockets,
                                   .per_socket = task->per_socket,
                                   .gpus = task->gpus,
                                   .gpu_slots = task->gpu_slots,
                                   .gpu_memory = task->gpu_memory,
                                   .memory = task->memory,
                                   .fuse = task->fuse,
                                   .bind = task->bind};
    if (container_check(task, err) || slots_make(&set->host->topology, &request, &set->places, err) ||
        open_mps(set, &request, err))
        return -1;
    struct agent_slot **slots = MEM_ARRAY(struct agent_slot *, set->places.count);
    for (uint32_t i = 0; i < set->places.count; i++) {
        slots[i] = slot_create(set->host, i, &set->places.places[i]);
        slot_name_port(slots[i]);
        share_trainer(slots, i);
    }
    put_in_front(set, slots);
    log_slots(set);
    log_modes(set, &request);
    return 0;
}

bool slot_set_blocks(const struct slot_set *set, const struct agent_slot *slot)
{
    for (uint32_t i = set->places.count; i < set->count && !slot->retired; i++)
        if (slots_overlap(slot, set->all[i]))
            return true;
    return false;
}

void slot_set_reap(struct slot_set *set)
{
    uint32_t kept = set->places.count;
    for (uint32_t i = kept; i < set->count; i++) {
        if (set->all[i]->front)
            set->all[kept++] = set->all[i];
        else
            slot_destroy(set->all[i]);
    }
    set->count = kept;
}

struct agent_slot *slot_set_find(const struct slot_set *set, const struct run *run)
{
    for (uint32_t i = set->places.count; i < set->count; i++)
        if (set->all[i]->front == run)
            return set->all[i];
    return set->all[run->slot];
}

bool slot_set_serves(const struct slot_set *set)
{
    bool any = false;
    for (uint32_t i = 0; i < set->count; i++)
        any |= set->all[i]->server != NULL;
    return any;
}

bool slot_set_part(struct slot_set *set)
{
    bool alone = true;
    for (uint32_t i = 0; i < set->count; i++)
        alone &= slot_part_server(set->all[i]);
    return alone;
}

void slot_set_fini(struct slot_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        slot_destroy(set->all[i]);
    free(set->all);
    set->all = NULL;
    set->count = 0;
    slots_fini(&set->places);
    mps_close(set->mps);
    set->mps = NULL;
}

/* --- the offer --- */

/* The lists of a slot as texts, which `memory` owns. */
static void describe_slot(const struct topology *topology, const struct agent_slot *slot, const char *address,
                          struct arena *memory, struct msg_slot *out)
{
    const struct slot_place *place = slot->place;
    struct numbers cpus = {0}, gpus = {0};
    const struct numbers *lists[] = {&cpus, &place->nodes, &gpus};
    const char **texts[] = {&out->cpus, &out->numa, &out->gpus};
    numbers_merge(&cpus, &place->cpus);
    bool any = !place->cpus.count && !topology->cores_unknown; /* not bound: it may run on any of them */
    for (uint32_t i = 0; i < topology->core_count && any; i++)
        numbers_add(&cpus, topology->cores[i].pu);
    slot_gpus(topology, place, &gpus);
    for (int i = 0; i < 3; i++) {
        struct buf text = {0};
        numbers_show(lists[i], &text);
        *texts[i] = arena_text(memory, buf_str(&text));
        buf_fini(&text);
    }
    out->index = slot->index;
    out->memory = place->memory;
    out->port = slot->port;
    char *meeting = slot->secret ? mem_format("%s %s", address, slot->secret) : NULL;
    out->meeting = meeting ? arena_text(memory, meeting) : "";
    free(meeting);
    numbers_fini(&cpus);
    numbers_fini(&gpus);
}

void slot_set_list(const struct slot_set *set, const char *endpoint, struct msg *offer)
{
    char address[AGENT_ADDRESS_SIZE] = "";
    uint32_t count = set->places.count;
    offer->offer.slots = arena_zero(&offer->memory, count, sizeof *offer->offer.slots);
    offer->offer.slots_count = count;
    if (set->host->task.nodes > 1)
        address_toward(endpoint, address);
    for (uint32_t i = 0; i < count; i++)
        describe_slot(&set->host->topology, set->all[i], address, &offer->memory, &offer->offer.slots[i]);
}

void slot_set_tell_waits(const struct slot_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->all[i]->waits)
            slot_tell_wait(set->all[i]);
        else
            slot_claim(set->all[i]);
    }
}
