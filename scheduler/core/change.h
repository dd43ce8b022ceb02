/* What a person changes about trials that have ended, and trials that they add. */
#ifndef GANNET_SCHEDULER_CORE_CHANGE_H
#define GANNET_SCHEDULER_CORE_CHANGE_H

#include "scheduler/core/core.h"

/* Whether the session is too near its end: -1 with a sentence. `starts`: the change has something to be started. One
 * that ends because of the trials that it has is not given other ones: its end would be of a past that is no more. */
int change_refuse(const struct core *core, bool starts, struct err *err);

/* Whether the best trial is to be looked for. */
bool change_ignore(struct core *core, const struct core_ended *trials, size_t count, bool ignored);
void change_reopen(struct core *core, const uint64_t *trials, size_t count);
void change_add(struct core *core, const struct event_added *added);

#endif
