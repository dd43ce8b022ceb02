/* Vacant slots by the nodes that they are on, for trials that take a slot on each of several nodes (gang.h). Workers
 * that say the same name of their node are on one node. */
#ifndef GANNET_SCHEDULER_CORE_GATHER_H
#define GANNET_SCHEDULER_CORE_GATHER_H

#include "common/fitqueue.h"
#include "common/map.h"

#include <stdbool.h>
#include <stdint.h>

struct core;
struct slot;

struct gather {
    struct map nodes;      /* of a node's name -> struct gather_node; those with vacant slots */
    struct fitqueue ready; /* the same, sized as the slot that has the most time */
};

void gather_init(struct core *core);
void gather_fini(struct core *core);
/* A vacant slot, which is in no queue; sized as fitqueues of vacancies are (vacancy.h). */
void gather_add(struct core *core, struct slot *slot, double size);
/* Takes it out of the queue of its node. */
void gather_remove(struct core *core, struct slot *slot);
/* One vacant slot on each of so many nodes, whose workers have time for a trial that needs so much; the nodes that have
 * waited longest first. False: there are not so many. */
bool gather_slots(struct core *core, double need, uint32_t nodes, struct slot **out);

/* How many different nodes there are workers on; of those alone whose time has no end; looks at all of them. */
uint32_t gather_count_nodes(const struct core *core);
uint32_t gather_count_endless(const struct core *core);

#endif
