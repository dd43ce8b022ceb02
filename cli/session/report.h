/* Fetches what is left of an ended experiment and shows it. */
#ifndef GANNET_CLI_SESSION_REPORT_H
#define GANNET_CLI_SESSION_REPORT_H

#include "cli/console.h"
#include "scheduler/rundir/rundir.h"

/* Shows the summary of a run directory, as JSON or for people. The exit status that its end means; with `silent`
 * nothing but that. */
int report_end(struct console *console, const struct rundir *dir, bool json, bool silent);

#endif
