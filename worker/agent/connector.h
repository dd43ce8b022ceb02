/* Where the coordinator is: found in the run directory's coordinator.json, and connected to. The file changes when the
 * coordinator is started again; then so does the connection. */
#ifndef GANNET_WORKER_AGENT_CONNECTOR_H
#define GANNET_WORKER_AGENT_CONNECTOR_H

#include "common/link.h"

struct connector;

/* Looks in `rundir` for the coordinator and the keys; `endpoint`: is connected to in place of the one found; may be
 * NULL. NULL with a sentence when that can't work ever. */
struct connector *connector_create(struct link_context *links, const char *rundir, const char *endpoint,
                                   struct err *err);
void connector_destroy(struct connector *connector); /* NULL is fine */

/* Whether there was a connection and is none now, or so much is unsent that nothing can be said. */
bool connector_is_lost(struct connector *connector);

/* Whether the coordinator has just refused our key for the first time, so that it is to be asked once more:
 * connector_look with `anew`. That it did so again is logged, and is why. */
bool connector_is_refused(struct connector *connector);

/* Looks again. True when there is another link now: the old one is closed. `anew`: makes one in any case, since nothing
 * was heard on the old one. */
bool connector_look(struct connector *connector, bool anew);

/* The link, or NULL when no coordinator was found yet; connector why says why not. */
struct link *connector_link(const struct connector *connector);
const char *connector_endpoint(const struct connector *connector); /* that it goes to, or "" */
const char *connector_why(const struct connector *connector);

#endif
