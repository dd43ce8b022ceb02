/* Parts of slots; see rank_place.h. */
#include "worker/hardware/rank_place.h"
#include "common/mem.h"

#include <stdlib.h>

/* The slot's cores as indexes into the topology, in the machine's order: neighbours share most. */
static uint32_t *list_cores(const struct topology *topology, const struct slot_place *slot, uint32_t *count)
{
    uint32_t *cores = MEM_ARRAY(uint32_t, slot->cores.count + 1);
    *count = 0;
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (numbers_has(&slot->cores, topology->cores[i].pu))
            cores[(*count)++] = i;
    return cores;
}

static uint32_t group_of(const struct topology *topology, uint32_t core, bool by_node)
{
    return by_node ? topology->cores[core].node : topology->cores[core].package;
}

/* Where the cores of a rank begin when each NUMA node (or socket) has equally many ranks; false: it has not, or not the
 * cores for them. */
static bool find_within(const struct topology *topology, const uint32_t *cores, uint32_t count, bool by_node,
                        uint32_t rank, uint32_t ranks, uint32_t *begin)
{
    uint32_t groups = 0, share = count / ranks, first = 0, end;
    for (uint32_t i = 0; i < count; i++)
        groups += !i || group_of(topology, cores[i], by_node) != group_of(topology, cores[i - 1], by_node);
    if (!groups || ranks % groups)
        return false;
    uint32_t each = ranks / groups;
    for (uint32_t group = 0; first < count; first = end, group++) {
        for (end = first; end < count; end++)
            if (group_of(topology, cores[end], by_node) != group_of(topology, cores[first], by_node))
                break;
        if (end - first < each * share)
            return false;
        if (group == rank / each)
            *begin = first + rank % each * share;
    }
    return true;
}

static void take_cores(const struct topology *topology, const uint32_t *cores, uint32_t count, uint32_t rank,
                       uint32_t ranks, struct numbers *out)
{
    uint32_t share = count / ranks, begin = rank * share;
    if (!share) { /* more ranks than cores */
        begin = (uint32_t)((uint64_t)rank * count / ranks);
        share = 1;
    } else if (!find_within(topology, cores, count, true, rank, ranks, &begin) &&
               !find_within(topology, cores, count, false, rank, ranks, &begin)) {
        begin = rank * share;
    }
    for (uint32_t i = begin; i < begin + share && i < count; i++)
        numbers_add(out, topology->cores[cores[i]].pu);
}

void rank_place_make(const struct topology *topology, const struct slot_place *slot, enum task_bind bind, uint32_t rank,
                     uint32_t ranks, struct slot_place *out)
{
    uint32_t count, *cores = list_cores(topology, slot, &count);
    *out = (struct slot_place){.memory = slot->memory};
    take_cores(topology, cores, count, rank, ranks, &out->cores);
    numbers_merge(&out->gpus, &slot->gpus);
    if (slot->cpus.count)
        slot_bind(topology, bind, out);
    free(cores);
}
