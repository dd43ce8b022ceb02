/* Slots out of a topology; see slots.h. Cores are given out in the machine's order, where neighbours share most, from
 * the smallest place that has room and, of equal ones, the fullest: large places stay whole for larger trials. */
#include "worker/hardware/slots.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>

/* What is still free while slots are made. */
struct stock {
    const struct topology *topology;
    bool *core_taken, *gpu_taken;
};

/* How far cores may be from a slot's GPUs. */
enum distance { DISTANCE_NEAR, DISTANCE_SOCKET, DISTANCE_ANY, DISTANCES };

/* Places of growing size that cores share. */
enum level { LEVEL_CACHE, LEVEL_NODE, LEVEL_PACKAGE, LEVEL_MACHINE, LEVELS };

static uint32_t place_at(const struct topology_core *core, enum level level)
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

/* --- GPUs --- */

/* The first core near a GPU, or NULL when it is not known or none of ours. */
static const struct topology_core *home_of(const struct topology *topology, const struct topology_gpu *gpu)
{
    for (uint32_t i = 0; gpu->near.count && i < topology->core_count; i++)
        if (numbers_has(&gpu->near, topology->cores[i].pu))
            return &topology->cores[i];
    return NULL;
}

static uint32_t gpu_place(const struct topology *topology, uint32_t gpu, enum level level)
{
    const struct topology_core *home = home_of(topology, &topology->gpus[gpu]);
    return home || level == LEVEL_MACHINE ? place_at(home, level) : TOPOLOGY_NONE;
}

static uint32_t free_gpus(const struct stock *stock, enum level level, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stock->topology->gpu_count; i++)
        count += !stock->gpu_taken[i] && gpu_place(stock->topology, i, level) == place;
    return count;
}

/* Takes the first `count` free GPUs of a place. */
static void take_gpus(struct stock *stock, enum level level, uint32_t place, uint32_t count, struct numbers *out)
{
    for (uint32_t i = 0; i < stock->topology->gpu_count && count; i++)
        if (!stock->gpu_taken[i] && gpu_place(stock->topology, i, level) == place) {
            stock->gpu_taken[i] = true;
            numbers_add(out, i);
            count--;
        }
}

/* Takes `count` GPUs that are near each other, as far as that goes; there must be as many. */
static void pick_gpus(struct stock *stock, uint32_t count, struct numbers *out)
{
    for (enum level level = LEVEL_NODE; level < LEVELS && out->count < count; level++) {
        uint32_t fewest = UINT32_MAX, best = 0;
        for (uint32_t i = 0; i < stock->topology->gpu_count; i++) {
            uint32_t place = gpu_place(stock->topology, i, level), free_count = free_gpus(stock, level, place);
            if (free_count >= count && free_count < fewest) {
                fewest = free_count;
                best = place;
            }
        }
        if (fewest < UINT32_MAX)
            take_gpus(stock, level, best, count, out);
    }
}

/* --- cores --- */

/* Whether a core is within `distance` of one of the slot's GPUs; without GPUs every core is. */
static bool is_within(const struct topology *topology, const struct topology_core *core, const struct numbers *gpus,
                      enum distance distance)
{
    if (distance == DISTANCE_ANY || !gpus->count)
        return true;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct topology_gpu *gpu = &topology->gpus[gpus->items[i]];
        const struct topology_core *home = home_of(topology, gpu);
        if (topology_near(gpu, core->pu) || (distance == DISTANCE_SOCKET && home && home->package == core->package))
            return true;
    }
    return false;
}

/* Takes the first `count` cores of those marked from `first` on. */
static void take_cores(struct stock *stock, const bool *fit, uint32_t first, uint32_t count, struct numbers *out)
{
    for (uint32_t i = first; count; i++)
        if (fit[i]) {
            stock->core_taken[i] = true;
            numbers_add(out, stock->topology->cores[i].pu);
            count--;
        }
}

/* The first core of the place of this level that has at least `count` cores that fit, and the fewest of all such;
 * TOPOLOGY_NONE when there is none. A place's cores are neighbours. */
static uint32_t fullest_place(const struct topology *topology, const bool *fit, enum level level, uint32_t count)
{
    uint32_t best = TOPOLOGY_NONE, fewest = UINT32_MAX;
    for (uint32_t first = 0, end; first < topology->core_count; first = end) {
        uint32_t place = place_at(&topology->cores[first], level), found = 0;
        for (end = first; end < topology->core_count && place_at(&topology->cores[end], level) == place; end++)
            found += fit[end];
        if (place != TOPOLOGY_NONE && found >= count && found < fewest) {
            fewest = found;
            best = first;
        }
    }
    return best;
}

/* Takes `count` free cores within `distance` of the slot's GPUs; false when there are too few. */
static bool pick_cores(struct stock *stock, uint32_t count, enum distance distance, struct slot_place *place)
{
    const struct topology *topology = stock->topology;
    bool *fit = MEM_ARRAY(bool, topology->core_count);
    for (uint32_t i = 0; i < topology->core_count; i++)
        fit[i] = !stock->core_taken[i] && is_within(topology, &topology->cores[i], &place->gpus, distance);
    uint32_t first = TOPOLOGY_NONE;
    for (enum level level = LEVEL_CACHE; level < LEVELS && first == TOPOLOGY_NONE; level++)
        first = fullest_place(topology, fit, level, count);
    if (first != TOPOLOGY_NONE)
        take_cores(stock, fit, first, count, &place->cores);
    free(fit);
    return first != TOPOLOGY_NONE;
}

/* --- the kinds of slots --- */

static uint32_t least_of_two(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* `most` slots of `cpus` cores and `gpus` GPUs each. Slots that can have near cores get them before those that can't
 * take any. */
static void make_from_cores(struct stock *stock, uint32_t most, uint32_t cpus, uint32_t gpus, struct slots *out)
{
    out->count = least_of_two(most, stock->topology->core_count / cpus);
    for (uint32_t i = 0; i < out->count && gpus; i++)
        pick_gpus(stock, gpus, &out->places[i].gpus);
    for (enum distance distance = DISTANCE_NEAR; distance < DISTANCES; distance++)
        for (uint32_t i = 0; i < out->count; i++)
            if (!out->places[i].cores.count)
                pick_cores(stock, cpus, distance, &out->places[i]);
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

/* Gives each socket slot its GPUs: first those of its own sockets, then what is left. */
static void add_gpus(struct stock *stock, uint32_t gpus, struct slots *out)
{
    for (int near = 1; near >= 0; near--)
        for (uint32_t s = 0; s < out->count; s++)
            for (uint32_t i = 0; i < stock->topology->gpu_count && out->places[s].gpus.count < gpus; i++) {
                const struct topology_core *home = home_of(stock->topology, &stock->topology->gpus[i]);
                bool is_near = home && numbers_has(&out->places[s].cores, home->pu);
                if (!stock->gpu_taken[i] && (is_near || !near)) {
                    stock->gpu_taken[i] = true;
                    numbers_add(&out->places[s].gpus, i);
                }
            }
}

/* --- binding --- */

/* Adds every core of the places of this level that the slot's own cores are in. */
static void widen_place(const struct topology *topology, enum level level, struct slot_place *place)
{
    bool *inside = MEM_ARRAY(bool, level == LEVEL_NODE ? topology->node_count : topology->package_count);
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (numbers_has(&place->cores, topology->cores[i].pu))
            inside[place_at(&topology->cores[i], level)] = true;
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (inside[place_at(&topology->cores[i], level)])
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

static int check_fits(const struct topology *topology, const struct slot_wish *wish, struct err *err)
{
    char wanted[32], there[32];
    if (check_count(topology, "GPU", wish->gpus, topology->gpu_count, err) ||
        check_count(topology, "core", wish->cpus, topology->core_count, err) ||
        check_count(topology, wish->sockets == 1 ? "whole socket" : "socket", wish->sockets,
                    whole_sockets(topology, NULL), err))
        return -1;
    if (topology->memory && wish->memory > topology->memory)
        return err_set(err, "a trial wants %s of memory, this %s has %s",
                       units_show_size(wish->memory, wanted, sizeof wanted), topology->parts > 1 ? "worker" : "node",
                       units_show_size(topology->memory, there, sizeof there));
    return 0;
}

/* The most slots that GPUs and memory allow; cores and sockets are counted where they are given out. */
static uint32_t most_slots(const struct topology *topology, const struct slot_wish *wish)
{
    uint32_t most = topology->core_count;
    if (wish->gpus)
        most = least_of_two(most, topology->gpu_count / wish->gpus);
    if (wish->memory && topology->memory && topology->memory / wish->memory < most)
        most = (uint32_t)(topology->memory / wish->memory);
    return most;
}

int slots_make(const struct topology *topology, const struct slot_wish *wish, struct slots *out, struct err *err)
{
    *out = (struct slots){0};
    if (check_fits(topology, wish, err))
        return -1;
    uint32_t most = most_slots(topology, wish);
    struct stock stock = {topology, MEM_ARRAY(bool, topology->core_count), MEM_ARRAY(bool, topology->gpu_count)};
    out->places = MEM_ARRAY(struct slot_place, most);
    if (wish->sockets) {
        make_from_sockets(topology, most, wish->sockets, out);
        add_gpus(&stock, wish->gpus, out);
    } else {
        /* GPUs alone share the cores equally. */
        uint32_t cpus = wish->cpus ? wish->cpus : wish->gpus ? topology->core_count / most : 1;
        make_from_cores(&stock, most, cpus, wish->gpus, out);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        out->places[i].memory = wish->memory;
        slot_bind(topology, wish->bind, &out->places[i]);
    }
    free(stock.core_taken);
    free(stock.gpu_taken);
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

/* --- words --- */

void slot_gpus(const struct topology *topology, const struct slot_place *place, struct numbers *out)
{
    for (size_t i = 0; i < place->gpus.count; i++)
        numbers_add(out, topology->gpus[place->gpus.items[i]].index);
}

static void list_words(struct buf *out, const char *what, const struct numbers *set)
{
    if (!set->count)
        return;
    buf_format(out, ", %s%s ", what, set->count == 1 ? "" : "s");
    numbers_show(set, out);
}

void slot_words(const struct topology *topology, const struct slot_place *place, struct buf *out)
{
    char size[32];
    struct numbers gpus = {0};
    slot_gpus(topology, place, &gpus);
    buf_format(out, "%zu core%s", place->cores.count, place->cores.count == 1 ? "" : "s");
    if (!place->cpus.count)
        buf_text(out, ", not bound");
    list_words(out, "cpu", &place->cpus);
    list_words(out, "NUMA node", &place->nodes);
    list_words(out, "GPU", &gpus);
    if (place->memory)
        buf_format(out, ", %s", units_show_size(place->memory, size, sizeof size));
    numbers_fini(&gpus);
}

static json_t *list_json(const struct numbers *set)
{
    struct buf text = {0};
    numbers_show(set, &text);
    json_t *json = json_string(buf_str(&text));
    buf_fini(&text);
    return json;
}

json_t *slots_json(const struct topology *topology, const struct slots *slots)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct slot_place *place = &slots->places[i];
        struct numbers gpus = {0};
        slot_gpus(topology, place, &gpus);
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:I}", "slot", (json_int_t)i, "cores",
                                              list_json(&place->cores), "cpus", list_json(&place->cpus), "numa",
                                              list_json(&place->nodes), "gpus", list_json(&gpus), "memory",
                                              (json_int_t)place->memory));
        numbers_fini(&gpus);
    }
    return list;
}
