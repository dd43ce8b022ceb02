/* The listeners through which workers and the command line come: the links they connect to, local sockets or TCP with
 * keys, and the discovery that tells them where those are. */
#ifndef GANNET_SCHEDULER_COORDINATOR_LISTENER_H
#define GANNET_SCHEDULER_COORDINATOR_LISTENER_H

#include "common/err.h"
#include "common/link.h"
#include "scheduler/rundir/rundir.h"

struct listener;

/* Binds: `listen` is a tcp endpoint, or NULL for a local socket. NULL with a sentence. */
struct listener *listener_open(struct link_context *links, const struct rundir *dir, const char *listen,
                               struct err *err);

/* Writes the discovery: workers and the command line may come from now on. */
int listener_announce(struct listener *listener, uint64_t session, bool exclusive, struct err *err);

/* Removes the discovery and the sockets. NULL is fine. */
void listener_close(struct listener *listener);

struct link *listener_workers(const struct listener *listener); /* the link that workers are connected to */
const char *listener_control(const struct listener *listener);  /* the local endpoint for the command line */
struct link *listener_remote(
    const struct listener *listener); /* the link for the command line of other hosts; NULL: none */

#endif
