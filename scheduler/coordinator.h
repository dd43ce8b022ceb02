/* The coordinator: the core (core/core.h) wrapped with the real things - links for workers and the command line, the
 * strategy thread (ask.c), the store thread (commit.c), time. */
#ifndef GANNET_SCHEDULER_COORDINATOR_H
#define GANNET_SCHEDULER_COORDINATOR_H

#include "common/err.h"
#include "scheduler/rundir.h"

/* Runs the experiment of a run directory until it ends or a signal comes (SIGTERM: stop as interrupted). `listen`: a
 * tcp endpoint for workers, or NULL: a local socket. 0 when it ended in order, else the exit status, with a sentence.
 */
int coordinator_run(const struct rundir *dir, const char *listen, struct err *err);

#endif
