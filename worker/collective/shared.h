/* Ranks of one node, in memory that they share: one nameless file in memory (memfd_create(2)) a trial's processes,
 * which is gone with the last of them, however they end.
 *
 * Each rank has an array for its numbers. A bucket of a sum is divided among the ranks: each adds its part of all
 * arrays into its own one, and takes the other parts from those of their ranks. So each number is read twice and
 * written once in shared memory, as in a ring, and no rank passes on what it has received. */
#ifndef GANNET_WORKER_COLLECTIVE_SHARED_H
#define GANNET_WORKER_COLLECTIVE_SHARED_H

#include "worker/collective/collective.h"

struct shared;

/* Memory for so many ranks, made before they are; each joins it after it was forked. NULL with a sentence. */
struct shared *shared_create(uint32_t ranks, struct err *err);

/* What this process says from now on is rank `rank`'s. */
struct collective shared_join(struct shared *shared, uint32_t rank);

/* Around what else this rank does to wait for others: its sign on the board says so meanwhile (common/rank_board.h). */
void shared_enter(struct shared *shared);
void shared_leave(struct shared *shared);

void shared_destroy(struct shared *shared); /* of this process; NULL is fine */

#endif
