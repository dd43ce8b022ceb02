/* The doors through which workers and the command line come: the links they connect to, local sockets or TCP with keys,
 * and the rendezvous that tells them where those are. */
#ifndef GANNET_SCHEDULER_DOOR_H
#define GANNET_SCHEDULER_DOOR_H

#include "common/err.h"
#include "common/link.h"
#include "scheduler/rundir.h"

struct door;

/* Binds: `listen` is a tcp endpoint, or NULL for a local socket. NULL with a sentence. */
struct door *door_open(struct link_context *links, const struct rundir *dir, const char *listen, struct err *err);

/* Writes the rendezvous: workers and the command line may come from now on. */
int door_announce(struct door *door, uint64_t session, bool exclusive, struct err *err);

/* Removes the rendezvous and the sockets. NULL is fine. */
void door_close(struct door *door);

struct link *door_workers(const struct door *door); /* the link that workers are connected to */
const char *door_control(const struct door *door);  /* the local endpoint for the command line */
struct link *door_remote(const struct door *door);  /* the link for the command line of other hosts; NULL: none */

#endif
