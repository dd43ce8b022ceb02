/* The part of a slot that one process of several has (common/gang.h): so many neighbouring cores each, as many for
 * each. Memory and GPUs are the slot's as a whole: a process chooses its GPU by its number (LOCAL_RANK). A pure
 * function.
 *
 *     2 NUMA nodes, cores 0-3 and 4-7      4 processes: 0-1, 2-3, 4-5, 6-7      2: 0-3, 4-7      3: 0-1, 2-3, 4-5
 *     2 NUMA nodes, cores 0-2 and 3-5      4 processes: 0, 1, 3, 4, so that all have one and none has two nodes
 *
 * Cores that are left over stay idle: processes that wait for each other are as fast as the slowest. */
#ifndef GANNET_WORKER_HARDWARE_RANK_PLACE_H
#define GANNET_WORKER_HARDWARE_RANK_PLACE_H

#include "worker/hardware/slots.h"

/* The place of process `rank` of `ranks`, bound as `bind` says. With more processes than cores some have the same. To
 * be ended with slot_place_fini. */
void rank_place_make(const struct topology *topology, const struct slot_place *slot, enum task_bind bind, uint32_t rank,
                     uint32_t ranks, struct slot_place *out);

#endif
