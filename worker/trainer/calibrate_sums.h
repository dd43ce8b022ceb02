/* How fast the ranks of a trial add up their gradients at most (resources.ranks), on this node. */
#ifndef GANNET_WORKER_TRAINER_CALIBRATE_SUMS_H
#define GANNET_WORKER_TRAINER_CALIBRATE_SUMS_H

#include "worker/limits/limits.h"

#include <stdint.h>

/* Forks that many ranks less one, while this process has no other thread, and sets allreduce and allreduce_seconds. A
 * tenth of a second, and 256 MiB for all ranks together at most. -1 with a sentence. */
int calibrate_sums(uint32_t ranks, struct limits *out, struct err *err);

#endif
