/* Workers that differ from their coordinator: another version of gannet, a clock that is off. They work; but results
 * may then be of two programs, and the times of two clocks can't be compared. And those that it turned away. */
#ifndef GANNET_CLI_VIEW_ODD_WORKERS_H
#define GANNET_CLI_VIEW_ODD_WORKERS_H

#include "common/buf.h"
#include "scheduler/core/snapshot.h"

/* Adds what is odd about one; false: nothing. */
bool odd_workers_describe(const struct snapshot *snapshot, const struct snapshot_worker *worker, struct buf *out);

/* Adds a sentence about the first few and how many more there are; false: all are as they should be. */
bool odd_workers_add(const struct snapshot *snapshot, struct buf *out);

/* Adds a sentence about workers that came with a key that is not the experiment's; false: none did. */
bool odd_workers_add_strangers(const struct snapshot *snapshot, struct buf *out);

#endif
