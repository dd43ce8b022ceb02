/* The start of a session that goes on: trials, leases and counts are taken up from what the store remembered
 * (memory.h). */
#ifndef GANNET_SCHEDULER_CORE_RESTART_H
#define GANNET_SCHEDULER_CORE_RESTART_H

struct core;
struct memory;
struct memory_trial;

/* Takes all of it up; the core is new. */
void restart_recall(struct core *core, const struct memory *memory);

/* Takes one trial up, which waits. */
void restart_take_up(struct core *core, const struct memory_trial *trial);

#endif
