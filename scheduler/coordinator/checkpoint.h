/* The checkpoint of a trial, in its trial directory: what a paused trial goes on from (docs/checkpoints.md). Workers
 * and programs write it; the coordinator only clears it away. */
#ifndef GANNET_SCHEDULER_COORDINATOR_CHECKPOINT_H
#define GANNET_SCHEDULER_COORDINATOR_CHECKPOINT_H

#include "common/loop.h"
#include "scheduler/core/memory.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/store/reader.h"

#include <stdint.h>

/* Removes the trial's checkpoint, a file or a directory, and what a program that was ended in the middle of saving one
 * left beside it (checkpoint.new and the like). One that is not there is fine. What can't be removed is logged and
 * stays: it does no harm but to the disk. */
void checkpoint_drop(const struct rundir *dir, uint64_t trial);

/* A thread that does the same: removing a directory takes long on a busy filesystem, and nobody waits for it. */
struct checkpoint_remover;

/* NULL with a sentence. `dir` is kept by the caller. */
struct checkpoint_remover *checkpoint_remover_start(struct loop *loop, const struct rundir *dir, struct err *err);

/* Removes the trial's checkpoint soon. */
void checkpoint_remover_drop(struct checkpoint_remover *remover, uint64_t trial);

/* Ends when all have been removed. NULL is fine. */
void checkpoint_remover_stop(struct checkpoint_remover *remover);

/* The same for the trials that ended last: a coordinator that was killed after their ends were committed had no time
 * for it. Those that `memory` (what the store recalled) has as live keep theirs. -1 with a sentence. */
int checkpoint_sweep(const struct rundir *dir, struct reader *reader, const struct memory *memory, struct err *err);

#endif
