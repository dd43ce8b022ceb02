/* The coordinator: the core (core/core.h) wrapped with the real things - links for workers and the command line, the
 * strategy thread (ask.c), the store thread (commit.c), time. */
#ifndef GANNET_SCHEDULER_COORDINATOR_COORDINATOR_H
#define GANNET_SCHEDULER_COORDINATOR_COORDINATOR_H

#include "common/err.h"
#include "scheduler/rundir/rundir.h"

struct coordinator_setup {
    const struct rundir *dir;
    const char *listen; /* a tcp endpoint for workers; NULL: a local socket */
    double until;       /* when the time of the job is up, seconds since 1970; 0: not known */
    double warn;        /* so many seconds before that running trials are stopped; 0: as many as is usual */
    uint32_t nodes;     /* from which workers come soon after the start; 0: not known */
    bool allocate;      /* it submits its workers itself: shapes array and elastic */
    bool led;           /* gannet job says what Slurm's SIGTERM means, by one of the other signals */
    bool requeued;      /* the job was put back into the queue and started again: its workers of before are gone */
    const char
        *checked; /* the state of the store's files in which its rows were checked (stamp.h); NULL: they were not */
};

/* The exit status of one that was to end while its store could not be written, so that not all is recorded: who started
 * it can say so, though the log may be on the same full disk. */
enum { COORDINATOR_UNWRITTEN = 74 };

/* That of one whose store was removed, moved or replaced while it ran; its log says where a copy is. */
enum { COORDINATOR_STORE_LOST = 76 };

/* The exit status of one whose store holds what makes no sense: nothing was started and nothing changed. */
enum { COORDINATOR_DAMAGED = 2 };

/* Runs the experiment of a run directory until it ends or a signal comes. SIGTERM, SIGINT, SIGHUP: stop as interrupted;
 * SIGUSR1: the time of the job is nearly up; SIGUSR2: the job is being taken away. 0 when it ended in order - the store
 * has the reason (rundir_reason) - else the exit status, with a sentence. */
int coordinator_run(const struct coordinator_setup *setup, struct err *err);

#endif
