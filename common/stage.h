/* Where data is put for all processes of a user on a node: a directory of its own, open to nobody else (0700), in
 * memory or on the node's disk. Whoever uses a file in it holds a shared lock (flock) on it, whoever makes one an
 * exclusive lock; so what nobody uses any more is known however its users have ended. */
#ifndef GANNET_COMMON_STAGE_H
#define GANNET_COMMON_STAGE_H

#include "common/err.h"

#include <stdbool.h>

/* /dev/shm; TMPDIR, else /tmp. */
enum stage_place { STAGE_SHM, STAGE_LOCAL, STAGE_PLACES };

/* A file is called by 16 digits (0-9, a-f), and ends in this while it is made. */
#define STAGE_PART ".part"

/* Opens this user's directory, and makes it when it is not there; free() *path. -1 with a sentence: somebody else has
 * it, others may write to what it lies in, ... */
int stage_open(enum stage_place place, char **path, struct err *err);

/* Whether an open file still is what the directory has under that name. */
bool stage_is_named(int directory, const char *name, int fd);

/* Removes a file if nobody else uses it; the caller's lock on `fd` is exclusive then. */
void stage_drop(int directory, const char *name, int fd);

/* Removes this user's files that nobody uses, in all places, and directories that are empty then. How many are left:
 * somebody uses them, be it one that was killed and is not quite gone. */
int stage_sweep(void);

#endif
