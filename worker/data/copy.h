/* One copy of a dataset for all processes of this user on the node: a packed file (packed.h) in a directory of
 * common/stage.h, called by the hash of what it is made from, a text: two that are equal come to the same examples, bit
 * for bit.
 *
 *     the first process                      the others
 *     makes NAME.part, and locks it          wait for that lock
 *     reads the data, packs it
 *     calls it NAME                          map NAME
 *
 * A maker that dies gives its lock back; the next one begins anew. The last process that closes a copy removes it; what
 * killed ones leave is swept (stage_sweep). */
#ifndef GANNET_WORKER_DATA_COPY_H
#define GANNET_WORKER_DATA_COPY_H

#include "worker/data/dataset.h"

/* Data smaller than this is not worth a file to stage: auto. */
enum { COPY_LEAST = 1 << 20 };

/* Opens the copy that source->stage says (not none), or makes it. With auto the data may come to be in this process's
 * own memory, with a line in the log when that is for want of room or of a directory; `err` stays empty then. -1 with a
 * sentence. */
int copy_open(struct dataset *data, const struct dataset_source *source, struct err *err);

/* Whether the data is a copy that no other process uses. What the others would be is known only until then: this
 * process's lock is gone when there are any, so that close is what is left to do. */
bool copy_is_alone(const struct dataset *data);

/* From now on SIGHUP, SIGINT and SIGTERM remove what this process makes, or is the last to use, before they end it.
 * For programs without a worker that does it. */
void copy_end_by_signals(void);

/* For dataset_close: of a dataset with a map. */
void copy_close(struct dataset *data);

#endif
