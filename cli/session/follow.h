/* Following a submitted experiment from the outside, until it has ended: gannet submit --wait. */
#ifndef GANNET_CLI_SESSION_FOLLOW_H
#define GANNET_CLI_SESSION_FOLLOW_H

#include "cli/console.h"
#include "scheduler/rundir/rundir.h"

/* Shows why the job does not start, how the search goes, and at the end what came of it. `name`: what the person calls
 * the experiment. The exit status that the end means; STATUS_INTERRUPTED after Ctrl-C, which leaves the job alone. */
int follow_submitted(struct console *console, const struct rundir *dir, const char *name);

#endif
