/* The listeners through which workers and the command line come: the links they connect to, local sockets or TCP with
 * keys, and the discovery that tells them where those are. */
#ifndef GANNET_SCHEDULER_COORDINATOR_LISTENER_H
#define GANNET_SCHEDULER_COORDINATOR_LISTENER_H

#include "common/err.h"
#include "common/link.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"

struct listener;

/* Binds with the coordinator's key: `listen` is a tcp endpoint for workers, whose open parts `network` fills in, or
 * NULL for a local socket. NULL with a sentence. */
struct listener *listener_open(struct link_context *links, const struct rundir *dir, const char *listen,
                               const struct spec_network *network, struct err *err);

/* Writes the discovery: workers and the command line may come from now on. */
int listener_announce(struct listener *listener, uint64_t session, bool exclusive, struct err *err);

/* Removes the discovery and the sockets. NULL is fine. */
void listener_close(struct listener *listener);

struct link *listener_workers(const struct listener *listener); /* workers are connected to it */
struct link *listener_control(const struct listener *listener); /* the command line is */

/* What the discovery says, once it is written. */
const struct discovery *listener_discovery(const struct listener *listener);

#endif
