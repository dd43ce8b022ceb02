/* --max-trials of gannet run: so many trials more than have ended. */
#ifndef GANNET_CLI_SESSION_MORE_TRIALS_H
#define GANNET_CLI_SESSION_MORE_TRIALS_H

#include "cli/option.h"
#include "cli/session/prepare.h"

/* Adds limits.max_trials to what is overridden, behind the others; nothing without the option. What it adds lives as
 * long as the arguments. */
void more_trials_add(struct console *console, const struct args *args, struct prepare_setup *setup);

#endif
