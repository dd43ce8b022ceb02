/* From memory to a core. */
#ifndef GANNET_SCHEDULER_CORE_RESTART_H
#define GANNET_SCHEDULER_CORE_RESTART_H

struct core;
struct memory;
struct memory_trial;

void restart_recall(struct core *core, const struct memory *memory);

/* The same of one trial, which waits. */
void restart_take_up(struct core *core, const struct memory_trial *trial);

#endif
