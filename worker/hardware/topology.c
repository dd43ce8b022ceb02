/* What is done with a topology once it is known: dividing it, putting it in words; see topology.h. */
#include "worker/hardware/topology.h"
#include "common/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void fini_gpu(struct topology_gpu *gpu)
{
    free(gpu->uuid);
    free(gpu->name);
    numbers_fini(&gpu->near);
}

void topology_fini(struct topology *topology)
{
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        fini_gpu(&topology->gpus[i]);
    texts_fini(&topology->gpu_notes);
    free(topology->driver);
    free(topology->gpus);
    free(topology->cores);
    free(topology->packages);
    free(topology->nodes);
    *topology = (struct topology){0};
}

bool topology_near(const struct topology_gpu *gpu, uint32_t pu)
{
    return !gpu->near.count || numbers_has(&gpu->near, pu);
}

/* --- parts --- */

/* The place of the first core near a GPU: sorts GPUs as their cores are sorted. */
static uint32_t first_near(const struct topology *topology, const struct topology_gpu *gpu)
{
    uint32_t i = 0;
    while (i < topology->core_count && !topology_near(gpu, topology->cores[i].pu))
        i++;
    return i;
}

/* A stable insertion sort: a node has a handful of GPUs. */
static void sort_gpus(struct topology *topology)
{
    for (uint32_t i = 1; i < topology->gpu_count; i++) {
        struct topology_gpu gpu = topology->gpus[i];
        uint32_t place = first_near(topology, &gpu), at = i;
        for (; at > 0 && first_near(topology, &topology->gpus[at - 1]) > place; at--)
            topology->gpus[at] = topology->gpus[at - 1];
        topology->gpus[at] = gpu;
    }
}

/* Keeps the items first .. end-1 of an array, which is NULL when it has none. */
#define KEEP(array, count, first, end)                                                                                 \
    do {                                                                                                               \
        if ((end) > (first))                                                                                           \
            memmove((array), (array) + (first), ((end) - (first)) * sizeof *(array));                                  \
        (count) = (end) - (first);                                                                                     \
    } while (0)

static void keep_gpus(struct topology *topology, uint32_t first, uint32_t end)
{
    sort_gpus(topology);
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        if (i < first || i >= end)
            fini_gpu(&topology->gpus[i]);
    KEEP(topology->gpus, topology->gpu_count, first, end);
}

/* Marks the packages that have cores both inside and outside first .. end-1. */
static void mark_split(struct topology *topology, uint32_t first, uint32_t end)
{
    for (uint32_t inside = first; inside < end; inside++)
        for (uint32_t i = 0; i < topology->core_count; i++)
            if ((i < first || i >= end) && topology->cores[i].package == topology->cores[inside].package)
                topology->packages[topology->cores[i].package].split = true;
}

/* part - 1 of parts of count, rounded down: neighbouring parts meet. */
static uint32_t share_of(uint32_t count, uint32_t part, uint32_t parts)
{
    return (uint32_t)((uint64_t)count * part / parts);
}

void topology_part(struct topology *topology, uint32_t part, uint32_t parts)
{
    assert(part >= 1 && part <= parts);
    uint32_t cores = topology->core_count, gpus = topology->gpu_count;
    uint32_t first = share_of(cores, part - 1, parts), end = share_of(cores, part, parts);
    topology->part = part;
    topology->parts = parts;
    topology->memory /= parts;
    topology->cores_shared = parts > cores;
    if (topology->cores_shared) {
        first = (part - 1) % cores;
        end = first + 1;
    }
    keep_gpus(topology, share_of(gpus, part - 1, parts), share_of(gpus, part, parts));
    mark_split(topology, first, end);
    KEEP(topology->cores, topology->core_count, first, end);
}

/* --- words --- */

/* How many different packages (or nodes) the cores are in. */
static uint32_t count_used(const struct topology *topology, bool packages)
{
    uint32_t total = packages ? topology->package_count : topology->node_count, used = 0;
    for (uint32_t i = 0; i < total; i++)
        for (uint32_t c = 0; c < topology->core_count; c++)
            if ((packages ? topology->cores[c].package : topology->cores[c].node) == i) {
                used++;
                break;
            }
    return used;
}

static void count_words(struct buf *out, uint32_t count, const char *what)
{
    buf_format(out, "%s%u %s%s", out->length ? ", " : "", count, what, count == 1 ? "" : "s");
}

/* "4 x NVIDIA H200": GPUs of the same model together. */
static void gpu_words(const struct topology *topology, struct buf *out)
{
    for (uint32_t i = 0, same; i < topology->gpu_count; i += same) {
        const char *name = topology->gpus[i].name;
        for (same = 1; i + same < topology->gpu_count && strcmp(topology->gpus[i + same].name, name) == 0; same++)
            ;
        buf_format(out, ", %u x %s", same, name);
    }
}

void topology_words(const struct topology *topology, struct buf *out)
{
    char size[32];
    struct buf words = {0};
    count_words(&words, count_used(topology, true), "socket");
    count_words(&words, topology->core_count, "core");
    if (topology->node_count > 1)
        count_words(&words, count_used(topology, false), "NUMA node");
    gpu_words(topology, &words);
    if (topology->memory)
        buf_format(&words, ", %s", units_show_size(topology->memory, size, sizeof size));
    if (topology->parts > 1)
        buf_format(&words, " (part %u of %u of the machine)", topology->part, topology->parts);
    buf_text(out, buf_str(&words));
    buf_fini(&words);
}

/* --- for programs --- */

static json_t *core_json(const struct topology *topology, const struct topology_core *core)
{
    json_t *json =
        json_pack("{s:I, s:I, s:I, s:I}", "cpu", (json_int_t)core->pu, "threads", (json_int_t)core->threads, "socket",
                  (json_int_t)topology->packages[core->package].os, "numa", (json_int_t)topology->nodes[core->node].os);
    if (core->cache != TOPOLOGY_NONE)
        json_object_set_new(json, "cache", json_integer(core->cache));
    return json;
}

static json_t *gpu_json(const struct topology_gpu *gpu)
{
    struct buf near = {0};
    numbers_show(&gpu->near, &near);
    static const char *const modes[] = {"anybody", "one", "nobody"};
    json_t *json =
        json_pack("{s:I, s:s, s:s, s:s, s:I, s:s}", "index", (json_int_t)gpu->index, "uuid", gpu->uuid, "name",
                  gpu->name, "near", buf_str(&near), "memory", (json_int_t)gpu->memory, "mode", modes[gpu->mode]);
    json_object_set_new(json, "partition_of", gpu->parent == TOPOLOGY_NONE ? json_null() : json_integer(gpu->parent));
    buf_fini(&near);
    return json;
}

json_t *topology_json(const struct topology *topology)
{
    json_t *cores = json_array(), *gpus = json_array(), *notes = json_array();
    for (uint32_t i = 0; i < topology->core_count; i++)
        json_array_append_new(cores, core_json(topology, &topology->cores[i]));
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        json_array_append_new(gpus, gpu_json(&topology->gpus[i]));
    for (size_t i = 0; i < topology->gpu_notes.count; i++)
        json_array_append_new(notes, json_string(topology->gpu_notes.items[i]));
    return json_pack("{s:o, s:o, s:s?, s:o, s:I, s:I, s:I}", "cores", cores, "gpus", gpus, "driver", topology->driver,
                     "gpu_notes", notes, "memory", (json_int_t)topology->memory, "part", (json_int_t)topology->part,
                     "parts", (json_int_t)topology->parts);
}
