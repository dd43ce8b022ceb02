/* One message when a search has ended, however many jobs it took: as the keys under `notify:` say, by mail and to a
 * command of the person's, the summary in it. Nothing that goes wrong with it is more than a sentence on the console. */
#ifndef GANNET_CLI_SESSION_NOTIFY_H
#define GANNET_CLI_SESSION_NOTIFY_H

#include "cli/console.h"
#include "scheduler/rundir/rundir.h"

/* Sends it, unless the search goes on by itself in a next job or was paused. `failure`: the session did not end in
 * order, and why; NULL: it did. Returns within half a minute. */
void notify_end(struct console *console, const struct rundir *dir, const char *failure);

#endif
