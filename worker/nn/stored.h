/* Arrays in a backend's memory, to and from checkpoints, through a piece of the host's memory of PACK_PIECE bytes. */
#ifndef GANNET_WORKER_NN_STORED_H
#define GANNET_WORKER_NN_STORED_H

#include "common/pack.h"
#include "worker/backend/operations.h"

/* Adds the numbers of a tensor; none when it has no memory. */
void stored_add(struct backend *backend, const struct tensor *tensor, struct pack_writer *out);

/* Takes them out again, by a tensor of the same size and type. When they are not all there the pack is torn, and the
 * tensor may hold a part of them. */
void stored_take(struct backend *backend, const struct tensor *tensor, struct pack_reader *in);

#endif
