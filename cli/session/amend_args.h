/* What gannet ignore, gannet retry and gannet add share: the trials that a person names, and the way to a search that
 * may live. */
#ifndef GANNET_CLI_SESSION_AMEND_ARGS_H
#define GANNET_CLI_SESSION_AMEND_ARGS_H

#include "cli/console.h"
#include "cli/option.h"
#include "scheduler/session/amend.h"

#include <jansson.h>

/* The numbers behind the experiment; *count of them, for the caller to free. NULL with a sentence. */
uint64_t *amend_args_trials(const struct args *args, size_t *count, struct err *err);

/* The same as a JSON array. */
json_t *amend_args_json(const uint64_t *trials, size_t count);

/* The exit status. */
int amend_args_status(enum amend_fault fault);

/* Changes an experiment: its coordinator does where one lives (scheduler/coordinator/amends.h: `what` and `arguments`,
 * a reference that is taken over), and its answer is *answer, the caller's. Else *answer is NULL, and the caller
 * changes the store. The exit status, with a sentence. */
int amend_args_ask(const struct rundir *dir, const char *what, json_t *arguments, json_t **answer, struct err *err);

#endif
