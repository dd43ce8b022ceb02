/* GPUs from a list, and which of all GPUs this process may use; see topology_gpus.h. */
#include "worker/hardware/topology_gpus.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a list in a file --- */

/* The hyperthreads of a NUMA node's cores. */
static bool near_node(const struct topology *topology, uint32_t os, struct numbers *near)
{
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (topology->nodes[topology->cores[i].node].os == os)
            numbers_add(near, topology->cores[i].pu);
    return near->count > 0;
}

/* Reads NEAR: numa:NODE, cpus:LIST or -. */
static int read_near(const struct topology *topology, const char *text, struct numbers *near, struct err *err)
{
    unsigned node;
    int end = 0;
    if (strcmp(text, "-") == 0)
        return 0;
    if (strncmp(text, "cpus:", 5) == 0)
        return numbers_read(text + 5, near, err);
    if (sscanf(text, "numa:%6u%n", &node, &end) != 1 || text[end])
        return err_set(err, "'%s' does not say what the GPU is near to; write numa:0, cpus:0-7 or -", text);
    if (!near_node(topology, node, near))
        return err_set(err, "there is no NUMA node %u with cores that may be used", node);
    return 0;
}

/* "memory:80G " in front of the name; the length of it, 0 when it is not there, -1 when it is no size. */
static int read_memory(const char *text, uint64_t *memory, struct err *err)
{
    static const char key[] = "memory:";
    if (strncmp(text, key, sizeof key - 1) != 0)
        return 0;
    size_t length = strcspn(text, " \t\r");
    char *size = mem_text_n(text + sizeof key - 1, length - (sizeof key - 1));
    int result = units_size(size, memory, err);
    free(size);
    return result ? -1 : (int)(length + strspn(text + length, " \t"));
}

static int read_line(struct topology *topology, const char *line, struct err *err)
{
    unsigned index;
    char near[128];
    int name = 0;
    if (sscanf(line, "%6u %127s %n", &index, near, &name) < 2 || !name)
        return err_set(err, "'%s' is no GPU; write for example: 0 numa:0 NVIDIA H200", line);
    struct topology_gpu gpu = {.index = index, .parent = TOPOLOGY_NONE};
    int memory = read_near(topology, near, &gpu.near, err) ? -1 : read_memory(line + name, &gpu.memory, err);
    if (memory < 0) {
        numbers_fini(&gpu.near);
        return -1;
    }
    name += memory;
    gpu.uuid = mem_text("");
    gpu.name = mem_text(line[name] ? line + name : "GPU");
    topology->gpus = mem_resize(topology->gpus, topology->gpu_count + 1, sizeof *topology->gpus);
    topology->gpus[topology->gpu_count++] = gpu;
    return 0;
}

int gpus_from_list(struct topology *topology, const char *file, struct err *err)
{
    enum { LIST_LARGEST = 1 << 20 };
    struct buf text = {0};
    int result = path_read(file, &text, LIST_LARGEST, err), number = 1;
    char *rest = NULL;
    for (char *line = text.data; result == 0 && line && *line; line = rest, number++) {
        rest = line + strcspn(line, "\n");
        if (*rest)
            *rest++ = '\0';
        line += strspn(line, " \t\r");
        if (*line && *line != '#' && read_line(topology, line, err))
            result = err_prefix(err, "%s:%d", file, number);
    }
    buf_fini(&text);
    return result;
}

/* --- those that may be used --- */

/* The GPU that one item of CUDA_VISIBLE_DEVICES names: a number, or a UUID's beginning; -1: none. The number of a GPU
 * that is partitioned names its first partition, which is all that CUDA takes of it. */
static int gpu_named(const struct topology *topology, const char *item)
{
    char *end;
    unsigned long index = strtoul(item, &end, 10);
    bool is_number = isdigit((unsigned char)*item) && !*end;
    for (uint32_t i = 0; i < topology->gpu_count; i++) {
        const struct topology_gpu *gpu = &topology->gpus[i];
        if (is_number ? gpu->index == index || gpu->parent == index
                      : *item && strncmp(gpu->uuid, item, strlen(item)) == 0)
            return (int)i;
    }
    return -1;
}

/* Calls `what` for each item of a comma-separated list until it says false. */
static void each_item(struct topology *topology, const char *list, bool *marked,
                      bool (*what)(struct topology *, const char *item, bool *marked))
{
    char *copy = mem_text(list), *rest = NULL;
    for (char *item = strtok_r(copy, ", ", &rest); item; item = strtok_r(NULL, ", ", &rest))
        if (!what(topology, item, marked))
            break;
    free(copy);
}

/* A GPU of which nothing else is known. */
static void add_bare(struct topology *topology, uint32_t index, const char *uuid, const char *name)
{
    topology->gpus = mem_resize(topology->gpus, topology->gpu_count + 1, sizeof *topology->gpus);
    topology->gpus[topology->gpu_count++] =
        (struct topology_gpu){.index = index, .parent = TOPOLOGY_NONE, .uuid = mem_text(uuid), .name = mem_text(name)};
}

static uint32_t free_index(const struct topology *topology)
{
    uint32_t free = 0;
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        if (topology->gpus[i].index >= free)
            free = topology->gpus[i].index + 1;
    return free;
}

/* A part of a GPU ("MIG-..."), which only the list knows, is a GPU of its own; where it is, is not known. */
static bool add_partition(struct topology *topology, const char *item, bool *unused)
{
    (void)unused;
    if (strncmp(item, "MIG-", 4) == 0 && gpu_named(topology, item) < 0)
        add_bare(topology, free_index(topology), item, "GPU partition");
    return true;
}

/* By its number or, like CUDA, by its UUID; whatever else it is ("NoDevFiles") stands for none. */
static bool add_named(struct topology *topology, const char *item, bool *unused)
{
    (void)unused;
    enum { MOST_DIGITS = 4 };
    bool is_number = strspn(item, "0123456789") == strlen(item) && strlen(item) <= MOST_DIGITS;
    if (!is_number && strncmp(item, "GPU-", 4) && strncmp(item, "MIG-", 4))
        return false;
    if (gpu_named(topology, item) < 0)
        add_bare(topology, is_number ? (uint32_t)strtoul(item, NULL, 10) : free_index(topology), is_number ? "" : item,
                 "GPU");
    return true;
}

void gpus_from_numbers(struct topology *topology, const char *list)
{
    each_item(topology, list, NULL, add_named);
}

static bool mark_gpus(struct topology *topology, const char *item, bool *marked)
{
    int gpu = gpu_named(topology, item);
    if (gpu >= 0)
        marked[gpu] = true;
    return gpu >= 0;
}

static size_t count_items(const char *list)
{
    size_t items = *list != '\0';
    for (; *list; list++)
        items += *list == ',';
    return items;
}

static void keep_marked(struct topology *topology, const bool *marked)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < topology->gpu_count; i++) {
        if (marked[i]) {
            topology->gpus[kept++] = topology->gpus[i];
            continue;
        }
        free(topology->gpus[i].uuid);
        free(topology->gpus[i].name);
        numbers_fini(&topology->gpus[i].near);
    }
    topology->gpu_count = kept;
}

void gpus_keep_visible(struct topology *topology, const char *cuda, const char *slurm)
{
    /* When Slurm hides the devices of other jobs, the driver counts what is left from 0: the job's list then has as
     * many GPUs as the driver shows, under other numbers. */
    const char *list = cuda ? cuda : slurm && count_items(slurm) < topology->gpu_count ? slurm : NULL;
    if (!list)
        return;
    each_item(topology, list, NULL, add_partition);
    bool *marked = MEM_ARRAY(bool, topology->gpu_count);
    each_item(topology, list, marked, mark_gpus);
    keep_marked(topology, marked);
    free(marked);
}

int gpus_keep_listed(struct topology *topology, const char *list, struct err *err)
{
    char *copy = mem_text(list), *rest = NULL;
    bool *marked = MEM_ARRAY(bool, topology->gpu_count + 1);
    int result = 0;
    for (char *item = strtok_r(copy, ", ", &rest); item && !result; item = strtok_r(NULL, ", ", &rest))
        if (!mark_gpus(topology, item, marked))
            result = topology->gpu_count
                         ? err_set(err, "there is no GPU '%s' here; this process may use %u", item, topology->gpu_count)
                         : err_set(err, "there is no GPU '%s' here, nor any other", item);
    if (!result)
        keep_marked(topology, marked);
    free(marked);
    free(copy);
    return result;
}
