/* What a dataset is made from, as a text: two that are equal come to the same examples, bit for bit. */
#ifndef GANNET_WORKER_DATA_ORIGIN_H
#define GANNET_WORKER_DATA_ORIGIN_H

#include "common/buf.h"
#include "worker/data/dataset.h"

/* Adds it: each file's path, device, inode, size and times, and each option that shapes the examples. -1: a file can't
 * be looked at; who reads it says why. */
int origin_write(const struct dataset_source *source, struct buf *out);

#endif
