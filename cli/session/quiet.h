/* Looking for an experiment without a word to the person: who asks tries again, or lets somebody else complain. */
#ifndef GANNET_CLI_SESSION_QUIET_H
#define GANNET_CLI_SESSION_QUIET_H

#include "cli/session/prepare.h"

/* As prepare_find, which see. */
int quiet_find(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

#endif
