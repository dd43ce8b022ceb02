/* Reads the topology with hwloc, of this machine or from an XML file; see topology.h. The only file that knows hwloc.
 */
#include "worker/hardware/topology.h"
#include "common/log.h"
#include "common/mem.h"
#include "worker/hardware/cgroup.h"
#include "worker/hardware/topology_gpus.h"
#include "worker/hardware/topology_slurm.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* hwloc's parts that would start a GPU's whole run-time system, which takes seconds, to list what nobody reads here. */
static const char *const slow_parts[] = {"cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"};

static int load_topology(hwloc_topology_t hwloc, const char *file, struct err *err)
{
    for (size_t i = 0; i < sizeof slow_parts / sizeof *slow_parts; i++)
        hwloc_topology_set_components(hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, slow_parts[i]);
    if (file && access(file, R_OK))
        return err_errno(err, "can't read the topology %s", file);
    if (file && hwloc_topology_set_xml(hwloc, file))
        return err_set(err, "%s is no topology; it must be a file as `lstopo FILE.xml` writes it", file);
    if (hwloc_topology_load(hwloc))
        return err_errno(err, "hwloc can't read the topology %s", file ? file : "of this machine");
    return 0;
}

static hwloc_bitmap_t require_bitmap(hwloc_bitmap_t bitmap)
{
    if (!bitmap)
        mem_fail("hwloc");
    return bitmap;
}

/* The hyperthreads that may be used: those hwloc allows (cpuset) and, on this machine, our affinity; of these the ones
 * that the person wants. free() it. NULL with a sentence. */
static hwloc_bitmap_t allowed_threads(hwloc_topology_t hwloc, const struct topology_source *source, struct err *err)
{
    bool this_machine = !source->machine;
    struct numbers wanted = {0};
    if (source->cores && numbers_read(source->cores, &wanted, err))
        return NULL;
    hwloc_bitmap_t allowed = require_bitmap(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hwloc)));
    hwloc_bitmap_t ours = require_bitmap(hwloc_bitmap_alloc());
    if (this_machine && hwloc_get_cpubind(hwloc, ours, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_bitmap_and(allowed, allowed, ours);
    hwloc_bitmap_zero(ours);
    for (size_t i = 0; i < wanted.count; i++)
        hwloc_bitmap_set(ours, wanted.items[i]);
    if (source->cores)
        hwloc_bitmap_and(allowed, allowed, ours);
    hwloc_bitmap_free(ours);
    numbers_fini(&wanted);
    return allowed;
}

/* The place in `items` whose first member is `os`; a new one at the end when there is none. */
static uint32_t index_of(void *items, uint32_t *count, size_t size, uint32_t os)
{
    char *at = items;
    for (uint32_t i = 0; i < *count; i++, at += size)
        if (memcmp(at, &os, sizeof os) == 0)
            return i;
    memcpy(at, &os, sizeof os);
    return (*count)++;
}

static uint32_t package_of(hwloc_topology_t hwloc, hwloc_obj_t core, struct topology *out)
{
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_PACKAGE, core);
    uint32_t os = package && package->os_index != HWLOC_UNKNOWN_INDEX ? package->os_index
                  : package                                           ? package->logical_index
                                                                      : 0;
    return index_of(out->packages, &out->package_count, sizeof *out->packages, os);
}

/* The NUMA node of a core; of several (a core with fast memory beside the usual) the first, which is the usual one. */
static uint32_t node_of(hwloc_topology_t hwloc, hwloc_obj_t core, struct topology *out)
{
    int first = hwloc_bitmap_first(core->nodeset);
    uint32_t os = first < 0 ? 0 : (uint32_t)first;
    uint32_t index = index_of(out->nodes, &out->node_count, sizeof *out->nodes, os);
    hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(hwloc, os);
    out->nodes[index].memory = node ? node->attr->numanode.local_memory : 0;
    return index;
}

/* The largest cache that several cores share, by its number; without one each core stands alone. */
static uint32_t cache_of(hwloc_topology_t hwloc, hwloc_obj_t core)
{
    hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_L3CACHE, core);
    return cache ? cache->logical_index : TOPOLOGY_NONE;
}

static uint32_t first_thread(hwloc_obj_t core)
{
    return (uint32_t)hwloc_bitmap_first(core->complete_cpuset ? core->complete_cpuset : core->cpuset);
}

/* Cores in the machine's order; where a virtual machine tells of none, its hyperthreads. */
static void read_cores(hwloc_topology_t hwloc, hwloc_const_bitmap_t allowed, struct topology *out)
{
    bool has_cores = hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_CORE) > 0;
    hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    int most = hwloc_get_nbobjs_by_type(hwloc, type);
    size_t capacity = most > 0 ? (size_t)most : 0;
    out->cores = MEM_ARRAY(struct topology_core, capacity);
    out->packages = MEM_ARRAY(struct topology_package, capacity);
    out->nodes = MEM_ARRAY(struct topology_node, capacity);
    hwloc_bitmap_t threads = require_bitmap(hwloc_bitmap_alloc());
    for (hwloc_obj_t core = NULL; (core = hwloc_get_next_obj_by_type(hwloc, type, core));) {
        hwloc_bitmap_and(threads, core->cpuset, allowed);
        if (hwloc_bitmap_iszero(threads))
            continue;
        out->cores[out->core_count++] = (struct topology_core){.pu = (uint32_t)hwloc_bitmap_first(threads),
                                                               .first = first_thread(core),
                                                               .threads = (uint32_t)hwloc_bitmap_weight(threads),
                                                               .package = package_of(hwloc, core, out),
                                                               .node = node_of(hwloc, core, out),
                                                               .cache = cache_of(hwloc, core)};
    }
    hwloc_bitmap_free(threads);
}

/* The memory of the nodes whose cores may be used, on this machine within the control group's limit. */
static void read_memory(struct topology *out, bool this_machine)
{
    for (uint32_t i = 0; i < out->node_count; i++)
        out->memory += out->nodes[i].memory;
    if (!this_machine)
        return;
    struct cgroup group;
    cgroup_find(&group, "/proc", "/sys/fs/cgroup");
    uint64_t limit = cgroup_memory_limit(&group);
    if (limit < out->memory)
        out->memory = limit;
    cgroup_fini(&group);
}

static void read_own_gpus(const struct slurm_share *share, struct topology *out)
{
    static const double patience = 30; /* of eight GPUs without a daemon that keeps them ready, some 2 s each */
    const char *cuda = getenv("CUDA_VISIBLE_DEVICES");
    bool is_there = gpus_ask_driver(out, nvml_open, "/sys/bus/pci/devices", patience);
    for (size_t i = 0; i < out->gpu_notes.count; i++)
        log_warning("%s", out->gpu_notes.items[i]);
    if (!is_there) {
        if (share->gpus)
            gpus_from_numbers(out, cuda ? cuda : share->gpus);
        return;
    }
    bool none_given = share->in_job && !share->gpus; /* those that the driver shows are other jobs' */
    if (none_given && !cuda && out->gpu_count)
        log_info("the job has asked for none of this node's GPUs; if they are its own all the same, set "
                 "CUDA_VISIBLE_DEVICES in slurm.setup");
    gpus_keep_visible(out, cuda, none_given ? "" : share->gpus);
}

static int read_gpus(const struct topology_source *source, const struct slurm_share *share, struct topology *out,
                     struct err *err)
{
    if (source->gpus && gpus_from_list(out, source->gpus, err))
        return -1;
    if (!source->gpus && !source->machine)
        read_own_gpus(share, out);
    return source->visible ? gpus_keep_listed(out, source->visible, err) : 0;
}

/* The cores and the memory, as far as this process may use them and the person wants it to. */
static int read_machine(hwloc_topology_t hwloc, const struct topology_source *source, struct slurm_share *share,
                        struct topology *out, struct err *err)
{
    hwloc_bitmap_t allowed = allowed_threads(hwloc, source, err);
    if (!allowed)
        return -1;
    read_cores(hwloc, allowed, out);
    hwloc_bitmap_free(allowed);
    read_memory(out, !source->machine);
    if ((int)out->core_count == hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_CORE))
        share->cores = source->job_cores; /* of a part of the machine it is not known which cores are numbered how */
    if (out->core_count && !source->machine)
        slurm_share_apply(share, out);
    if (!out->core_count)
        return err_set(err, "there is no core that this process may use%s%s", source->cores ? " in the list " : "",
                       source->cores ? source->cores : "");
    return 0;
}

int topology_read(const struct topology_source *source, struct topology *out, struct err *err)
{
    hwloc_topology_t hwloc;
    struct slurm_share share = slurm_share_read(getenv);
    *out = (struct topology){.part = 1, .parts = 1};
    if (hwloc_topology_init(&hwloc))
        return err_errno(err, "hwloc can't start");
    int result = load_topology(hwloc, source->machine, err);
    if (result == 0)
        result = read_machine(hwloc, source, &share, out, err);
    hwloc_topology_destroy(hwloc);
    if (result == 0)
        result = read_gpus(source, &share, out, err);
    if (result)
        topology_fini(out);
    return result;
}
