/* Slots out of a topology; see slots.h. Cores are given out in the machine's order, where neighbours share most, from
 * the smallest place that has room and, of equal ones, the fullest: large places stay whole for larger trials. */
#include "worker/hardware/slots_free.h"
#include "common/gpu_share.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far cores may be from a slot's GPUs. */
enum distance { DISTANCE_NEAR, DISTANCE_SOCKET, DISTANCE_ANY, DISTANCES };

/* --- cores --- */

/* Whether a core is within `distance` of one of the slot's GPUs; without GPUs every core is. */
static bool is_within(const struct topology *topology, const struct topology_core *core, const struct numbers *gpus,
                      enum distance distance)
{
    if (distance == DISTANCE_ANY || !gpus->count)
        return true;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct topology_gpu *gpu = &topology->gpus[gpus->items[i]];
        const struct topology_core *home = free_parts_gpu_home(topology, gpu);
        if (topology_near(gpu, core->pu) || (distance == DISTANCE_SOCKET && home && home->package == core->package))
            return true;
    }
    return false;
}

/* Takes the first `count` cores of those marked from `first` on. */
static void take_cores(struct free_parts *left, const bool *fit, uint32_t first, uint32_t count, struct numbers *out)
{
    for (uint32_t i = first; count; i++)
        if (fit[i]) {
            left->core_taken[i] = true;
            numbers_add(out, left->topology->cores[i].pu);
            count--;
        }
}

/* The first core of the place of this level that has at least `count` cores that fit, and the fewest of all such;
 * TOPOLOGY_NONE when there is none. A place's cores are neighbours. */
static uint32_t fullest_place(const struct topology *topology, const bool *fit, enum level level, uint32_t count)
{
    uint32_t best = TOPOLOGY_NONE, fewest = UINT32_MAX;
    for (uint32_t first = 0, end; first < topology->core_count; first = end) {
        uint32_t place = free_parts_place(&topology->cores[first], level), found = 0;
        for (end = first; end < topology->core_count && free_parts_place(&topology->cores[end], level) == place; end++)
            found += fit[end];
        if (place != TOPOLOGY_NONE && found >= count && found < fewest) {
            fewest = found;
            best = first;
        }
    }
    return best;
}

/* Takes `count` of the cores that fit, from the smallest place that has so many; false when there are too few. */
static bool take_fullest(struct free_parts *left, const bool *fit, uint32_t count, struct slot_place *place)
{
    uint32_t first = TOPOLOGY_NONE;
    for (enum level level = LEVEL_CACHE; level < LEVELS && first == TOPOLOGY_NONE; level++)
        first = fullest_place(left->topology, fit, level, count);
    if (first != TOPOLOGY_NONE)
        take_cores(left, fit, first, count, &place->cores);
    return first != TOPOLOGY_NONE;
}

/* Takes `count` free cores within `distance` of the slot's GPUs; false when there are too few. */
static bool pick_cores(struct free_parts *left, uint32_t count, enum distance distance, struct slot_place *place)
{
    const struct topology *topology = left->topology;
    bool *fit = MEM_ARRAY(bool, topology->core_count);
    for (uint32_t i = 0; i < topology->core_count; i++)
        fit[i] = !left->core_taken[i] && is_within(topology, &topology->cores[i], &place->gpus, distance);
    bool any = take_fullest(left, fit, count, place);
    free(fit);
    return any;
}

/* Takes `count` free ones of the cores first .. end-1, which must have as many. */
static void pick_cores_among(struct free_parts *left, uint32_t count, uint32_t first, uint32_t end,
                             struct slot_place *place)
{
    bool *fit = MEM_ARRAY(bool, left->topology->core_count);
    for (uint32_t i = first; i < end; i++)
        fit[i] = !left->core_taken[i];
    take_fullest(left, fit, count, place);
    free(fit);
}

/* --- the kinds of slots --- */

static uint32_t least_of_two(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* `most` slots of `cpus` cores and `gpus` GPUs each. Slots that can have near cores get them before those that can't
 * take any. */
static void make_from_cores(struct free_parts *left, uint32_t most, uint32_t cpus, uint32_t gpus, struct slots *out)
{
    out->count = least_of_two(most, left->topology->core_count / cpus);
    for (uint32_t i = 0; i < out->count && gpus; i++)
        free_parts_pick_gpus(left, gpus, &out->places[i].gpus);
    for (enum distance distance = DISTANCE_NEAR; distance < DISTANCES; distance++)
        for (uint32_t i = 0; i < out->count; i++)
            if (!out->places[i].cores.count)
                pick_cores(left, cpus, distance, &out->places[i]);
}

/* The whole sockets: those with cores of ours and none of other workers. Their count; `out` may be NULL. */
static uint32_t whole_sockets(const struct topology *topology, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0, last = TOPOLOGY_NONE; i < topology->core_count; i++) {
        uint32_t package = topology->cores[i].package;
        if (package != last && !topology->packages[package].split) {
            if (out)
                out[count] = package;
            count++;
        }
        last = package;
    }
    return count;
}

/* The end of the cores of the socket that this core is the first of. */
static uint32_t socket_end(const struct topology *topology, uint32_t first)
{
    uint32_t end = first;
    while (end < topology->core_count && topology->cores[end].package == topology->cores[first].package)
        end++;
    return end;
}

/* The most cores of a socket that may be used. */
static uint32_t largest_socket(const struct topology *topology)
{
    uint32_t most = 0;
    for (uint32_t first = 0, end; first < topology->core_count; first = end) {
        end = socket_end(topology, first);
        most = end - first > most ? end - first : most;
    }
    return most;
}

/* Slots of `sockets` whole sockets each, neighbouring ones. */
static void make_from_sockets(const struct topology *topology, uint32_t most, uint32_t sockets, struct slots *out)
{
    uint32_t *packages = MEM_ARRAY(uint32_t, topology->core_count);
    out->count = least_of_two(most, whole_sockets(topology, packages) / sockets);
    for (uint32_t s = 0; s < out->count * sockets; s++)
        for (uint32_t i = 0; i < topology->core_count; i++)
            if (topology->cores[i].package == packages[s])
                numbers_add(&out->places[s / sockets].cores, topology->cores[i].pu);
    free(packages);
}

/* Slots of a `parts`-th of each socket that has so many cores, `most` in all. What a socket has left over stays unused:
 * its slots are alike. */
static void make_from_parts(struct free_parts *left, uint32_t most, uint32_t parts, struct slots *out)
{
    const struct topology *topology = left->topology;
    for (uint32_t first = 0, end; first < topology->core_count; first = end) {
        end = socket_end(topology, first);
        for (uint32_t i = 0; end - first >= parts && i < parts && out->count < most; i++)
            pick_cores_among(left, (end - first) / parts, first, end, &out->places[out->count++]);
    }
}

/* --- binding --- */

/* Adds every core of the places of this level that the slot's own cores are in. */
static void widen_place(const struct topology *topology, enum level level, struct slot_place *place)
{
    bool *inside = MEM_ARRAY(bool, level == LEVEL_NODE ? topology->node_count : topology->package_count);
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (numbers_has(&place->cores, topology->cores[i].pu))
            inside[free_parts_place(&topology->cores[i], level)] = true;
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (inside[free_parts_place(&topology->cores[i], level)])
            numbers_add(&place->cpus, topology->cores[i].pu);
    free(inside);
}

void slot_bind(const struct topology *topology, enum task_bind bind, struct slot_place *place)
{
    if (bind == TASK_BIND_NONE || topology->cores_unknown)
        return;
    if (bind == TASK_BIND_CORE)
        numbers_merge(&place->cpus, &place->cores);
    else
        widen_place(topology, bind == TASK_BIND_NUMA ? LEVEL_NODE : LEVEL_PACKAGE, place);
    /* With one node there is nothing to choose. */
    for (uint32_t i = 0; i < topology->core_count && topology->node_count > 1; i++)
        if (numbers_has(&place->cpus, topology->cores[i].pu))
            numbers_add(&place->nodes, topology->nodes[topology->cores[i].node].os);
}

/* --- what does not fit --- */

/* -1 with the sentence when a trial wants more of something than there is. */
static int check_count(const struct topology *topology, const char *what, uint32_t wanted, uint32_t there,
                       struct err *err)
{
    if (wanted <= there)
        return 0;
    if (topology->parts > 1)
        return err_set(err,
                       "a trial wants %u %s%s, this worker has %u (part %u of %u of its node); start fewer workers or "
                       "lower resources in the experiment file",
                       wanted, what, wanted == 1 ? "" : "s", there, topology->part, topology->parts);
    return err_set(err, "a trial wants %u %s%s, this node has %u", wanted, what, wanted == 1 ? "" : "s", there);
}

/* -1 with the sentence that tells a person without any GPU how to go on. */
static int refuse_gpus(const struct slot_request *request, struct err *err)
{
    char words[32];
    bool shares = request->gpu_slots > 1, by_memory = request->gpu_slots == GPU_SHARE_MOST && request->gpu_memory;
    if (shares && !by_memory)
        snprintf(words, sizeof words, "%sa GPU", gpu_share_words(request->gpu_slots, (char[32]){""}, 32));
    else
        snprintf(words, sizeof words, "%u GPU%s", request->gpus, request->gpus == 1 ? "" : "s");
    return err_set(err,
                   "a trial wants %s, this node has none that can be seen; gannet doctor shows what is there. "
                   "Without resources.gpus%s trials take cores alone",
                   words, request->gpu_memory ? " and gpu_memory" : "");
}

/* -1 with the sentence when no GPU, or too few, have the memory that a trial wants. */
static int check_gpus(const struct topology *topology, const struct slot_request *request, struct err *err)
{
    uint64_t largest = 0;
    char wanted[32], there[32];
    if (request->gpus && !topology->gpu_count && topology->parts <= 1)
        return refuse_gpus(request, err);
    if (check_count(topology, "GPU", request->gpus, topology->gpu_count, err))
        return -1;
    if (free_parts_gpus_fit(topology, request) >= request->gpus)
        return 0;
    if (!request->gpu_memory)
        return err_set(err,
                       "a trial wants %u GPU%s, but programs may compute on %u of the %u here: the compute mode of the "
                       "others is 'prohibited' (nvidia-smi -c DEFAULT lets them)",
                       request->gpus, request->gpus == 1 ? "" : "s", free_parts_gpus_fit(topology, request),
                       topology->gpu_count);
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        largest = topology->gpus[i].memory > largest ? topology->gpus[i].memory : largest;
    return err_set(err, "a trial wants %u GPU%s with %s of memory, this node has %u such; its largest GPU has %s",
                   request->gpus, request->gpus == 1 ? "" : "s",
                   units_show_size(request->gpu_memory, wanted, sizeof wanted), free_parts_gpus_fit(topology, request),
                   units_show_size(largest, there, sizeof there));
}

static int check_sockets(const struct topology *topology, const struct slot_request *request, struct err *err)
{
    uint32_t largest = largest_socket(topology);
    if (request->per_socket > largest)
        return err_set(
            err, "%u trials are to share a socket (trials_per_socket), but no socket here has more than %u core%s",
            request->per_socket, largest, largest == 1 ? "" : "s");
    return check_count(topology, request->sockets == 1 ? "whole socket" : "socket", request->sockets,
                       whole_sockets(topology, NULL), err);
}

static int check_fits(const struct topology *topology, const struct slot_request *request, struct err *err)
{
    char wanted[32], there[32];
    if (check_gpus(topology, request, err) || check_count(topology, "core", request->cpus, topology->core_count, err) ||
        check_sockets(topology, request, err))
        return -1;
    if (topology->memory && request->memory > topology->memory)
        return err_set(err, "a trial wants %s of memory, this %s has %s",
                       units_show_size(request->memory, wanted, sizeof wanted), topology->parts > 1 ? "worker" : "node",
                       units_show_size(topology->memory, there, sizeof there));
    return 0;
}

/* The most slots that GPUs and memory allow; cores and sockets are counted where they are given out. */
static uint32_t most_slots(const struct topology *topology, const struct slot_request *request)
{
    uint32_t most = topology->core_count;
    if (request->gpus)
        most = least_of_two(most, free_parts_gpu_slots(topology, request));
    if (request->memory && topology->memory && topology->memory / request->memory < most)
        most = (uint32_t)(topology->memory / request->memory);
    return most;
}

/* The places of the kind that is wished. */
static void make_places(struct free_parts *left, const struct slot_request *request, uint32_t most, struct slots *out)
{
    out->places = MEM_ARRAY(struct slot_place, most);
    if (request->sockets)
        make_from_sockets(left->topology, most, request->sockets, out);
    else if (request->per_socket)
        make_from_parts(left, most, request->per_socket, out);
    if (request->sockets || request->per_socket) {
        free_parts_add_gpus(left, request->gpus, out);
    } else {
        /* GPUs alone share the cores equally. */
        uint32_t cpus = request->cpus ? request->cpus : request->gpus ? left->topology->core_count / most : 1;
        make_from_cores(left, most, cpus, request->gpus, out);
    }
}

/* What a trial may use of its GPU follows from how many slots there are in fact: cores may leave it to fewer. */
static uint32_t count_sharers(const struct slots *slots, const struct slot_place *place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->count && place->gpus.count; i++)
        count += numbers_has(&slots->places[i].gpus, place->gpus.items[0]);
    return count;
}

static struct slot_place copy_place(const struct slot_place *place)
{
    struct slot_place copy = *place;
    copy.cores = copy.cpus = copy.nodes = copy.gpus = (struct numbers){0};
    numbers_merge(&copy.cores, &place->cores);
    numbers_merge(&copy.cpus, &place->cpus);
    numbers_merge(&copy.nodes, &place->nodes);
    numbers_merge(&copy.gpus, &place->gpus);
    return copy;
}

/* Makes `fuse` slots of each. No more places than a worker may offer slots. */
static void fuse_places(struct slots *slots, uint32_t fuse)
{
    enum { MOST_SLOTS = 4096 };
    uint32_t count = least_of_two(slots->count, MOST_SLOTS / fuse);
    struct slot_place *all = MEM_ARRAY(struct slot_place, count * fuse);
    for (uint32_t i = 0; i < count * fuse; i++) {
        all[i] = copy_place(&slots->places[i / fuse]);
        all[i].fused = fuse;
    }
    slots_fini(slots);
    *slots = (struct slots){all, count * fuse};
}

int slots_make(const struct topology *topology, const struct slot_request *request, struct slots *out, struct err *err)
{
    *out = (struct slots){0};
    if (check_fits(topology, request, err))
        return -1;
    struct free_parts left = {topology, MEM_ARRAY(bool, topology->core_count), MEM_ARRAY(uint32_t, topology->gpu_count),
                              .shares_gpus = request->gpu_slots > 1};
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        left.gpu_room[i] = free_parts_gpu_room(&topology->gpus[i], request);
    make_places(&left, request, most_slots(topology, request), out);
    for (uint32_t i = 0; i < out->count; i++) {
        out->places[i].memory = request->memory;
        slot_bind(topology, request->bind, &out->places[i]);
        out->places[i].gpu_slots = count_sharers(out, &out->places[i]);
    }
    free(left.core_taken);
    free(left.gpu_room);
    fuse_places(out, request->fuse > 1 ? request->fuse : 1);
    return 0;
}

void slot_place_fini(struct slot_place *place)
{
    numbers_fini(&place->cores);
    numbers_fini(&place->cpus);
    numbers_fini(&place->nodes);
    numbers_fini(&place->gpus);
}

void slots_fini(struct slots *slots)
{
    for (uint32_t i = 0; i < slots->count; i++)
        slot_place_fini(&slots->places[i]);
    free(slots->places);
    *slots = (struct slots){0};
}
