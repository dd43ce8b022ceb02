/* Which counters of runs this machine does not give to this user, and why. Said once for each worker: the reasons are
 * the machine's, not the run's. */
#ifndef GANNET_WORKER_PROFILE_UNCOUNTED_H
#define GANNET_WORKER_PROFILE_UNCOUNTED_H

#include "worker/profile/perf.h"

/* {"queue_wait": "this kernel has no /proc/PID/schedstat", ...}: a JSON object; free() it. `proc` is "/proc" but in
 * tests. Tries each source on this process. *events: what of the processor
 * can be counted. */
char *uncounted_find(const char *proc, perf_events *events);

#endif
