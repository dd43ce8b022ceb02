/* The GPUs of slots; see slots_free.h. A GPU has room for one trial, or for as many as share it:
 *
 *     gpus: 0.5, two GPUs    | slot 0: half of GPU 0 | slot 1: half of GPU 1 | slot 2: half of GPU 0 | slot 3: ... |
 *
 * Slots are dealt out over the GPUs, so that the first trials are alone on theirs. */
#include "worker/hardware/slots_free.h"
#include "common/gpu_share.h"
#include "common/mem.h"

uint32_t free_parts_place(const struct topology_core *core, enum level level)
{
    switch (level) {
    case LEVEL_CACHE:
        return core->cache;
    case LEVEL_NODE:
        return core->node;
    case LEVEL_PACKAGE:
        return core->package;
    case LEVEL_MACHINE:
    case LEVELS:
        break;
    }
    return 0;
}

const struct topology_core *free_parts_gpu_home(const struct topology *topology, const struct topology_gpu *gpu)
{
    for (uint32_t i = 0; gpu->near.count && i < topology->core_count; i++)
        if (numbers_has(&gpu->near, topology->cores[i].pu))
            return &topology->cores[i];
    return NULL;
}

/* --- room --- */

uint32_t free_parts_gpu_room(const struct topology_gpu *gpu, const struct slot_request *request)
{
    bool by_memory = request->gpu_memory > 0, is_alone = gpu->mode == GPU_MODE_ONE && !request->mps;
    uint32_t shares = request->gpu_slots && !is_alone ? request->gpu_slots : 1;
    if (gpu->mode == GPU_MODE_NOBODY)
        return 0;
    if (by_memory && gpu->memory)
        return gpu->memory / request->gpu_memory < shares ? (uint32_t)(gpu->memory / request->gpu_memory) : shares;
    return by_memory && shares == GPU_SHARE_MOST ? 1 : shares;
}

uint32_t free_parts_gpus_fit(const struct topology *topology, const struct slot_request *request)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        count += free_parts_gpu_room(&topology->gpus[i], request) > 0;
    return count;
}

uint32_t free_parts_gpu_slots(const struct topology *topology, const struct slot_request *request)
{
    uint32_t room = 0;
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        room += free_parts_gpu_room(&topology->gpus[i], request);
    return room / request->gpus;
}

void slots_note_modes(const struct topology *topology, const struct slot_request *request, struct texts *out)
{
    for (uint32_t i = 0; i < topology->gpu_count && request->gpus; i++) {
        const struct topology_gpu *gpu = &topology->gpus[i];
        uint32_t whole = gpu->parent == TOPOLOGY_NONE ? gpu->index : gpu->parent;
        if (gpu->mode == GPU_MODE_NOBODY)
            texts_add(out, mem_format("GPU %u is in the compute mode 'prohibited': no trial can use it (nvidia-smi -i "
                                      "%u -c DEFAULT lets them)",
                                      gpu->index, whole));
        else if (gpu->mode == GPU_MODE_ONE && request->gpu_slots > 1 && !request->mps)
            texts_add(out,
                      mem_format("GPU %u is in the compute mode 'exclusive process': one trial at a time has all of "
                                 "it (nvidia-smi -i %u -c DEFAULT, or resources.mps: true, lets several share it)",
                                 gpu->index, whole));
    }
}

/* --- GPUs before cores --- */

static uint32_t gpu_place(const struct topology *topology, uint32_t gpu, enum level level)
{
    const struct topology_core *home = free_parts_gpu_home(topology, &topology->gpus[gpu]);
    return home || level == LEVEL_MACHINE ? free_parts_place(home, level) : TOPOLOGY_NONE;
}

static uint32_t free_gpus(const struct free_parts *left, enum level level, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < left->topology->gpu_count; i++)
        count += left->gpu_room[i] && gpu_place(left->topology, i, level) == place;
    return count;
}

static void take_gpu(struct free_parts *left, uint32_t gpu, struct numbers *out)
{
    left->gpu_room[gpu]--;
    numbers_add(out, gpu);
}

/* Takes the first `count` free GPUs of a place. */
static void take_gpus(struct free_parts *left, enum level level, uint32_t place, uint32_t count, struct numbers *out)
{
    for (uint32_t i = 0; i < left->topology->gpu_count && count; i++)
        if (left->gpu_room[i] && gpu_place(left->topology, i, level) == place) {
            take_gpu(left, i, out);
            count--;
        }
}

/* The GPU with the most room of those that a slot may have: of its own sockets when `near`. TOPOLOGY_NONE: there is
 * none. */
static uint32_t roomiest_gpu(const struct free_parts *left, const struct slot_place *place, bool near)
{
    const struct topology *topology = left->topology;
    uint32_t best = TOPOLOGY_NONE;
    for (uint32_t i = 0; i < topology->gpu_count; i++) {
        const struct topology_core *home = free_parts_gpu_home(topology, &topology->gpus[i]);
        bool fits = !near;
        for (uint32_t c = 0; near && home && c < topology->core_count && !fits; c++)
            fits = topology->cores[c].package == home->package && numbers_has(&place->cores, topology->cores[c].pu);
        if (fits && !numbers_has(&place->gpus, i) &&
            left->gpu_room[i] > (best == TOPOLOGY_NONE ? 0 : left->gpu_room[best]))
            best = i;
    }
    return best;
}

void free_parts_pick_gpus(struct free_parts *left, uint32_t count, struct numbers *out)
{
    if (left->shares_gpus) {
        static const struct slot_place anywhere;
        take_gpu(left, roomiest_gpu(left, &anywhere, false), out);
        return;
    }
    for (enum level level = LEVEL_NODE; level < LEVELS && out->count < count; level++) {
        uint32_t fewest = UINT32_MAX, best = 0;
        for (uint32_t i = 0; i < left->topology->gpu_count; i++) {
            uint32_t place = gpu_place(left->topology, i, level), free_count = free_gpus(left, level, place);
            if (free_count >= count && free_count < fewest) {
                fewest = free_count;
                best = place;
            }
        }
        if (fewest < UINT32_MAX)
            take_gpus(left, level, best, count, out);
    }
}

/* --- GPUs after cores --- */

void free_parts_add_gpus(struct free_parts *left, uint32_t gpus, struct slots *out)
{
    for (int near = 1; near >= 0; near--)
        for (uint32_t s = 0; s < out->count; s++) {
            struct slot_place *place = &out->places[s];
            uint32_t gpu = TOPOLOGY_NONE;
            while (place->gpus.count < gpus && (gpu = roomiest_gpu(left, place, near)) != TOPOLOGY_NONE)
                take_gpu(left, gpu, &place->gpus);
        }
}
