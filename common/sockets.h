/* The private (0700) directory of a process's local sockets - a coordinator's, or those of a worker for its programs -
 * with a name that nobody can guess, below XDG_RUNTIME_DIR or TMPDIR or /tmp. */
#ifndef GANNET_COMMON_SOCKETS_H
#define GANNET_COMMON_SOCKETS_H

#include "common/err.h"

/* A directory in there that goes with it, with all that is in it: for the files of an MPS daemon
 * (worker/hardware/mps.c). */
#define SOCKETS_MPS "mps"

struct sockets {
    char *path;
    int fd; /* open, and locked while its maker lives */
};

/* Makes one; removes those that dead processes of this user left there. -1 with a sentence. */
int sockets_make(struct sockets *out, struct err *err);

/* Removes it with its sockets. A zeroed one is fine. */
void sockets_remove(struct sockets *sockets);

/* Removes those that dead processes of this user left behind; sockets_make does so, too. */
void sockets_sweep(void);

#endif
