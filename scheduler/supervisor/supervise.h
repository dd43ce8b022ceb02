/* Runs an experiment: starts the coordinator and the workers as child processes, starts them again when they die
 * (unless they die over and over), and ends with them. Workers are on this machine, or where commands start them.
 * Driven by the caller's loop, so that the caller can show progress. */
#ifndef GANNET_SCHEDULER_SUPERVISOR_SUPERVISE_H
#define GANNET_SCHEDULER_SUPERVISOR_SUPERVISE_H

#include "common/err.h"
#include "common/loop.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A worker that is started by some other command than gannet-worker on this machine. */
struct supervise_worker {
    const char *const *argv; /* NULL at the end */
    const char *log;         /* of what the command itself says: a name below logs/ */
    const char *node;        /* where the worker runs */
    uint32_t part;           /* of several there, from 1; 0: it has the node alone */
};

struct supervise_setup {
    const struct rundir *dir;
    uint32_t workers;                        /* worker processes; they divide the machine between them; 0: one */
    const struct supervise_worker *commands; /* `workers` of them, which start one worker each; NULL: here, all alike */
    bool only_others;                        /* no worker is started: all come from elsewhere */
    const char *listen;                      /* tcp endpoint for workers from elsewhere; NULL: local only */
    bool alone;                 /* none comes from elsewhere although it listens: it ends when ours have left */
    const char *const *options; /* further words for gannet coordinator; NULL at the end; may be NULL */
    const char *const *once;    /* those of its first start alone; likewise */
    const char *const *machine; /* further words for workers on this machine; likewise */
    double silence;             /* for tests: seconds of silence after which a worker is killed; 0: 90 */
    const char *programs;       /* for tests: the directory of gannet and gannet-worker; NULL: that of this program */
};

struct supervisor;

/* The status of an experiment whose coordinator refused the run directory: nothing was started and nothing changed. */
enum { SUPERVISE_REFUSED = 2 };

/* Starts everything. `ended` is called once, from the loop, when the coordinator has ended in order (status 0), was
 * given up (status 1, with a sentence that may quote the end of a log) or refused the run directory
 * (SUPERVISE_REFUSED), and all children are gone. The children are in process groups of their own: a Ctrl-C on the
 * terminal reaches the caller alone. NULL with a sentence. */
struct supervisor *supervisor_start(struct loop *loop, const struct supervise_setup *setup,
                                    void (*ended)(void *context, int status, const char *why), void *context,
                                    struct err *err);

/* Sends the coordinator a signal; one that is just being started again misses it. */
void supervisor_signal(struct supervisor *supervisor, int signal);

/* Tells the coordinator when the time of the job is up (seconds since 1970; 0: never); one that is started again, too.
 */
void supervisor_deadline(struct supervisor *supervisor, double until);

/* Ends everything at once (after `drain` or `stop` through the service did not help). */
void supervisor_kill(struct supervisor *supervisor);

/* How often a coordinator, and a worker, was started again so far. */
void supervisor_restarts(const struct supervisor *supervisor, uint32_t *coordinators, uint32_t *workers);

void supervisor_destroy(struct supervisor *supervisor); /* kills what is left; NULL is fine */

#endif
