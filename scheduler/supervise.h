/* Runs an experiment on this machine: starts the coordinator and the workers as child processes, starts them again when
 * they die (unless they die over and over), and ends with them. Driven by the caller's loop, so that the caller can
 * show progress. */
#ifndef GANNET_SCHEDULER_SUPERVISE_H
#define GANNET_SCHEDULER_SUPERVISE_H

#include "common/err.h"
#include "common/loop.h"
#include "scheduler/rundir.h"

#include <stdint.h>

struct supervise_setup {
    const struct rundir *dir;
    uint32_t workers;     /* worker processes; they divide the machine between them; 0: one */
    const char *listen;   /* tcp endpoint for further workers from elsewhere; NULL: local only */
    const char *topology; /* for tests: gannet-worker --topology; NULL: the machine's own */
    const char *programs; /* for tests: the directory of gannet and gannet-worker; NULL: that of this program */
};

struct supervisor;

/* Starts everything. `ended` is called once, from the loop, when the coordinator has ended in order (status 0) or was
 * given up (status 1, with a sentence that may quote the end of a log), and all children are gone. The children are in
 * process groups of their own: a Ctrl-C on the terminal reaches the caller alone. NULL with a sentence. */
struct supervisor *supervisor_start(struct loop *loop, const struct supervise_setup *setup,
                                    void (*ended)(void *context, int status, const char *why), void *context,
                                    struct err *err);

/* Ends everything at once (after `drain` or `stop` through the service did not help). */
void supervisor_kill(struct supervisor *supervisor);

/* How often a coordinator, and a worker, was started again so far. */
void supervisor_restarts(const struct supervisor *supervisor, uint32_t *coordinators, uint32_t *workers);

void supervisor_destroy(struct supervisor *supervisor); /* kills what is left; NULL is fine */

#endif
