/* Where the coordinator is: found in the run directory's coordinator.json, and connected to. The file changes when the
 * coordinator is started again; then so does the connection. */
#ifndef GANNET_WORKER_MEET_H
#define GANNET_WORKER_MEET_H

#include "common/link.h"

struct meet;

/* Looks in `rundir`, or connects to `endpoint` when it is not NULL; a TCP endpoint needs the keys of a run directory,
 * too. NULL with a sentence when that can't work ever. */
struct meet *meet_create(struct link_context *links, const char *rundir, const char *endpoint, struct err *err);
void meet_destroy(struct meet *meet); /* NULL is fine */

/* Looks again. True when there is another link now: the old one is closed. `anew`: makes one in any case, since nothing
 * was heard on the old one. */
bool meet_look(struct meet *meet, bool anew);

/* The link, or NULL when no coordinator was found yet; meet_why says why not. */
struct link *meet_link(const struct meet *meet);
const char *meet_why(const struct meet *meet);

#endif
