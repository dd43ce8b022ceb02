/* From memory to a core. */
#ifndef GANNET_SCHEDULER_CORE_RESTART_H
#define GANNET_SCHEDULER_CORE_RESTART_H

struct core;
struct memory;

void restart_recall(struct core *core, const struct memory *memory);

#endif
