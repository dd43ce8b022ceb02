/* gannet-trainer --calibrate: what this many threads can do at most here, and as many ranks; and what a disk can; as
 * JSON. */
#ifndef GANNET_WORKER_TRAINER_CALIBRATE_H
#define GANNET_WORKER_TRAINER_CALIBRATE_H

#include "worker/limits/limits.h"

#include <stdint.h>

/* Measures, raises what was kept before, keeps it, and prints {now, limits, raised, kept, why}: what was measured now,
 * the limits that count from now on, whether they are higher than before, whether they could be kept and if not why. An
 * exit status. */
int calibrate_and_print(uint64_t threads);

/* The same of the disk that the directory lies on: {place, now, limits, kept, why}. */
int calibrate_disk_and_print(const char *directory);

/* Forks that many ranks less one, while this process has no other thread, and sets allreduce and allreduce_seconds. A
 * tenth of a second, and 256 MiB for all ranks together at most. -1 with a sentence. */
int calibrate_sums(uint32_t ranks, struct limits *out, struct err *err);

#endif
