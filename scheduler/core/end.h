/* When the experiment or the session ends. */
#ifndef GANNET_SCHEDULER_CORE_END_H
#define GANNET_SCHEDULER_CORE_END_H

#include "scheduler/core/event.h"

struct core;

void end_check(struct core *core); /* after every input */
void end_tick(struct core *core);  /* while leaving, now and then: what was left to end by itself is stopped */
/* The session ends for a later one: what runs is stopped, and goes back to waiting. */
void end_session(struct core *core, enum reason reason);

#endif
