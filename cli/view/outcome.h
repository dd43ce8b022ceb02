/* What an ended experiment means for the exit status of the command that waited for it. */
#ifndef GANNET_CLI_VIEW_OUTCOME_H
#define GANNET_CLI_VIEW_OUTCOME_H

#include "cli/status.h"
#include "scheduler/core/snapshot.h"

/* OK when it reached one of its limits and any trial has a value; else FAILED, CANCELLED or INTERRUPTED. */
int outcome_status(const struct snapshot *snapshot);

/* Whether the search has come to its own end, or a person ended it; else it may go on, in a next job or by --resume. */
bool outcome_is_final(const struct snapshot *snapshot);

#endif
