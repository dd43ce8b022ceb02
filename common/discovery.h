/* Where the living coordinator of a run directory listens: its coordinator.json, which is believed only while it can be
 * the coordinator's own. Workers and the command line read it here; the coordinator writes it in
 * scheduler/rundir/rundir.c. */
#ifndef GANNET_COMMON_DISCOVERY_H
#define GANNET_COMMON_DISCOVERY_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>

struct discovery {
    char node[256]; /* its node, as Slurm has it */
    char host[256]; /* the name of the host */
    int pid;
    uint64_t session;
    char workers[512]; /* endpoint for workers */
    char control[512]; /* endpoint for the command line; ipc: of the same host alone */
    char public_key[41];
    bool exclusive; /* readers must ask the coordinator */
};

/* Reads it. -1 with a sentence when there is none, or when it is not to be believed:
 *
 *     - others may write to the run directory, or the file is a link or not its owner's
 *     - the process and node that it names are not those that the lock file names
 *     - it names this host, and nobody has the lock, or the process is gone
 *
 * From another host the lock itself can't be judged, since not every shared filesystem has locks that hold across
 * hosts: there the coordinator's key, which only it has, keeps a stale address from being one. *out is what the file
 * says of a coordinator, too, when that is gone. */
int discovery_find(const char *rundir, struct discovery *out, struct err *err);

/* Whether that coordinator runs on this host. */
bool discovery_is_here(const struct discovery *discovery);

/* Says that it refused the key in this file: -1. */
int discovery_say_refused(const struct discovery *discovery, const char *file, struct err *err);

#endif
