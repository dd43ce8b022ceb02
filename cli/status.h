/* What a command's exit status says. The one table of them: help, documentation and code read it. */
#ifndef GANNET_CLI_STATUS_H
#define GANNET_CLI_STATUS_H

#include "scheduler/core/snapshot.h"

#define STATUSES(X)                                                                                                    \
    X(OK, 0, "it worked")                                                                                              \
    X(FAILED, 1, "the operation failed")                                                                               \
    X(USAGE, 2, "the command line or the experiment file is wrong; nothing was started")                               \
    X(SCHEDULER, 3, "the batch system refused")                                                                        \
    X(CANCELLED, 4, "the experiment was stopped by a person")                                                          \
    X(NOT_FOUND, 5, "there is no such experiment or trial")                                                            \
    X(UNREACHABLE, 69, "the coordinator does not answer, or none is running")                                          \
    X(TIMED_OUT, 124, "gannet wait: it had not ended in time")                                                         \
    X(INTERRUPTED, 130, "it was interrupted (Ctrl-C); gannet run --resume goes on")

enum status {
#define X(id, number, sentence) STATUS_##id = number,
    STATUSES(X)
#undef X
};

/* Of a command that waited for an experiment: OK when it reached one of its limits and any trial has a value; else
 * FAILED, CANCELLED or INTERRUPTED. */
int status_of_end(const struct snapshot *snapshot);

/* Whether the search has come to its own end, or a person ended it; else it may go on, in a next job or by --resume. */
bool status_is_final(const struct snapshot *snapshot);

#endif
