/* What most commands do that look at one experiment: open the one that the person names, act on it, close it, and say
 * what went wrong. */
#ifndef GANNET_CLI_DATA_VISIT_H
#define GANNET_CLI_DATA_VISIT_H

#include "cli/console.h"
#include "cli/option.h"
#include "cli/data/source.h"

/* The command's work on it: 0, or the exit status with a sentence. */
typedef int visit_act(struct console *console, const struct args *args, struct source *source, struct err *err);

/* Visits the experiment of the first argument (none: the last one). The exit status. */
int visit(struct console *console, const struct args *args, visit_act *act);

#endif
