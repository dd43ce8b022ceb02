/* IDX files, the format of MNIST (LeCun, Cortes, Burges 1998): big-endian, 0 0 TYPE DIMENSIONS, a 32-bit size for each
 * dimension, then the values. */
#ifndef GANNET_WORKER_DATA_IDX_H
#define GANNET_WORKER_DATA_IDX_H

#include "worker/data/array.h"

/* Reads a whole file, which may be compressed by gzip. `path` outlives the array. -1 with a sentence. */
int idx_read(struct array *array, const char *path, struct err *err);

#endif
