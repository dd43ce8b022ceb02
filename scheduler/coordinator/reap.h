/* Workers that certainly ended since the last session - with a process of this node, with their job, or because they
 * stood for a loop of a person's own (ask_tell.h), which can't tell while a coordinator runs: their runs need not be
 * waited for. */
#ifndef GANNET_SCHEDULER_COORDINATOR_REAP_H
#define GANNET_SCHEDULER_COORDINATOR_REAP_H

#include "scheduler/core/core.h"

/* Tells a core that goes on from `memory`. `requeued`: the job of this process was put back into the queue and started
 * again, so that its workers of before are gone. */
void reap_workers(struct core *core, const struct memory *memory, bool requeued);

#endif
