/* How the experiment ends, and what its end means. When it ends is end.c's. */
#ifndef GANNET_SCHEDULER_CORE_LIMITS_H
#define GANNET_SCHEDULER_CORE_LIMITS_H

#include "scheduler/core/event.h"

struct core;

/* Begins the end: nothing new is started. `force`: what runs is ended, too. */
void limits_end(struct core *core, enum reason reason, const char *detail, bool force);
void limits_write(struct core *core, const char *detail); /* the experiment's state, and the time it has run */
/* Whether as many trials have begun as limits.max_trials allows. More may wait: --resume can set it lower. */
bool limits_full(const struct core *core);
double limits_held(const struct core *core); /* seconds the experiment has run in all */

#endif
