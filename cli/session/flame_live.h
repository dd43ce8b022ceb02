/* A flame graph of a trial that runs on this node: its program is looked at from outside and not disturbed. */
#ifndef GANNET_CLI_SESSION_FLAME_LIVE_H
#define GANNET_CLI_SESSION_FLAME_LIVE_H

#include "cli/console.h"
#include "cli/data/source.h"
#include "cli/option.h"

enum { FLAME_SECONDS = 10 };

/* Samples the trial's processes for --seconds, and writes what --flame and --folded name. 0, or an exit status with a
 * sentence: it does not run, not here, or is a kernel's, whose process is not known from outside. */
int flame_live(struct console *console, const struct args *args, struct source *source, uint64_t trial,
               struct err *err);

#endif
