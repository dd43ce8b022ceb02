/* Where processes are, 99 times in each second of processor time, by the kernel's clock of processors
 * (perf_event_open): it needs no counters of the hardware, and of one's own processes no privilege where
 * kernel.perf_event_paranoid is 2 or less. Time within the kernel is not seen.
 *
 * There is one ring of memory for each processor; an event that follows a process and all that descend from it is
 * needed for each of them. */
#ifndef GANNET_CLI_FLAME_SAMPLER_H
#define GANNET_CLI_FLAME_SAMPLER_H

#include "cli/flame/processes.h"
#include "common/err.h"

enum { SAMPLER_RATE = 99 };

struct sampler;

/* Opens one for these processes. `starting`: there is one, which is about to become another program: nothing counts
 * before. NULL with a sentence that says what to do. */
struct sampler *sampler_open(const pid_t *pids, size_t count, bool starting, struct err *err);
void sampler_close(struct sampler *sampler); /* NULL is fine */

/* Takes what has come. To be called ten times a second or more; once more with `last` when nothing follows. */
void sampler_take(struct sampler *sampler, struct processes *processes, struct stacks *stacks, bool last);

/* How many samples and other records there was no room for. */
uint64_t sampler_lost(const struct sampler *sampler);

#endif
