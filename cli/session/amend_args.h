/* What gannet ignore and gannet retry share: the trials that a person names, and the exit status. */
#ifndef GANNET_CLI_SESSION_AMEND_ARGS_H
#define GANNET_CLI_SESSION_AMEND_ARGS_H

#include "cli/option.h"
#include "scheduler/session/amend.h"

/* The numbers behind the experiment; *count of them, for the caller to free. NULL with a sentence. */
uint64_t *amend_args_trials(const struct args *args, size_t *count, struct err *err);

/* The exit status. */
int amend_args_status(enum amend_fault fault);

#endif
