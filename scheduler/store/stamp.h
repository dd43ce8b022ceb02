/* In which state the files of a store are: the same text means that nobody has written them in between. So who has
 * checked all rows can tell who goes on from there, and a large store is checked once. */
#ifndef GANNET_SCHEDULER_STORE_STAMP_H
#define GANNET_SCHEDULER_STORE_STAMP_H

#include "common/buf.h"

#include <stdbool.h>

/* Adds it: device, inode, size and times of the file and its write-ahead log, without a space. False, and nothing is
 * added, when the file can't be looked at. */
bool store_stamp(const char *path, struct buf *out);

/* Whether the files are still in the state of this stamp; not of NULL or "". */
bool store_stamp_holds(const char *path, const char *stamp);

#endif
