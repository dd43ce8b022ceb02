/* Ready proposals: how many are asked for, and what comes of the answers. */
#ifndef GANNET_SCHEDULER_CORE_PROPOSALS_H
#define GANNET_SCHEDULER_CORE_PROPOSALS_H

#include "scheduler/core/event.h"

struct core;

void proposals_ask(struct core *core);
uint64_t proposals_missing(const struct core *core); /* how many it would ask for now */
/* Whether one is on its way, is asked for now, or will be when the strategy was told of what has ended. */
bool proposals_come(const struct core *core);
/* The strategy's answer; false: nothing came of it, because the experiment ends or it came twice. */
bool proposals_take(struct core *core, uint64_t trial, const struct event_proposed *proposed);

#endif
