/* What the kernel says of a process and its waited-for children when it is reaped, or of itself: getrusage(2). It costs
 * nothing more than the end of the process does. */
#ifndef GANNET_WORKER_PROFILE_RUSAGE_H
#define GANNET_WORKER_PROFILE_RUSAGE_H

#include "common/run_counters.h"

#include <sys/resource.h>

/* Sets what is known by it; the others stay. */
void rusage_count(const struct rusage *used, struct run_counters *out);

#endif
