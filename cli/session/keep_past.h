/* Imported trials (cli/start/imported.h) become an experiment of their own, which start_from names. */
#ifndef GANNET_CLI_SESSION_KEEP_PAST_H
#define GANNET_CLI_SESSION_KEEP_PAST_H

#include "cli/start/imported.h"
#include "scheduler/rundir/rundir.h"

/* Makes the experiment of the sketch in `dir`, without its start points, and adds the trials; *whence names the tool.
 * -1 with a sentence, and nothing is left. */
int keep_past(const struct imported *imported, const struct rundir *dir, const char *whence, struct err *err);

#endif
