/* Which counters of runs this machine does not give to this user, and why. Said once for each worker: the reasons are
 * the machine's, not the run's. */
#ifndef GANNET_WORKER_PROFILE_UNCOUNTED_H
#define GANNET_WORKER_PROFILE_UNCOUNTED_H

#include "worker/profile/node.h"
#include "worker/profile/perf.h"

/* {"queue_wait": "this kernel has no /proc/PID/schedstat", ...}: a JSON object; free() it. Tries each source on this
 * process, and reads the node. `no_gpus` says why GPUs tell nothing; NULL: they may. *events: what of the processor can
 * be counted. */
char *uncounted_find(struct node_watch *node, const char *no_gpus, perf_events *events);

#endif
