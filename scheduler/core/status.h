/* How things stand, for who looks at the whole (core_snapshot) or at single workers (worker_list.h). */
#ifndef GANNET_SCHEDULER_CORE_STATUS_H
#define GANNET_SCHEDULER_CORE_STATUS_H

#include "scheduler/core/snapshot.h"

struct worker;

/* What a snapshot says of a worker. */
void status_copy_worker(const struct worker *worker, double now, struct snapshot_worker *to);

#endif
