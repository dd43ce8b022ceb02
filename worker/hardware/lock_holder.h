/* Who has locked a file. */
#ifndef GANNET_WORKER_HARDWARE_LOCK_HOLDER_H
#define GANNET_WORKER_HARDWARE_LOCK_HOLDER_H

#include "common/buf.h"

#include <sys/types.h>

/* The process that /proc/locks says has locked (flock) the file; 0 when that can't be seen. */
pid_t lock_holder_find(int fd);

/* Adds who it is, as far as can be seen: "your search 'digits' (process 4711)", "the search 'digits' of anna (process
 * 4711)", "another search". */
void lock_holder_words(int fd, struct buf *out);

#endif
