/* What a person changes about the past of an experiment, between its sessions: under the lock of the run directory, as
 * events with a place in the order of tells. The strategy of the next session lives through the past as it is then
 * (search_recall); a replay hears of each change in its place. For ignore.c,
 * retry.c and add.c. */
#ifndef GANNET_SCHEDULER_SESSION_AMEND_H
#define GANNET_SCHEDULER_SESSION_AMEND_H

#include "common/err.h"
#include "common/map.h"
#include "scheduler/core/event.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/store/store.h"

#include <jansson.h>
#include <stddef.h>

/* Why nothing was changed. */
enum amend_fault {
    AMEND_FINE,
    AMEND_FAILED,   /* it can't be written, or somebody has the lock */
    AMEND_DAMAGED,  /* the store has what makes no sense */
    AMEND_NO_TRIAL, /* there is no trial of such a number */
    AMEND_UNFIT     /* a trial is not in a state for it, or not one of this space */
};

struct amendment {
    int lock;
    struct store *store;
    struct spec *spec;    /* of the experiment */
    uint64_t tells;       /* the number of the last one */
    uint64_t next_trial;  /* the number of the next trial that is added */
    struct map seen;      /* trials that have an event: a person may name one twice */
    struct event *events; /* one a trial that changes, to be committed */
    size_t count, capacity;
};

/* Takes the lock and opens the store. The sentence is for all that is not AMEND_FINE; amend_close in any case. */
enum amend_fault amend_open(struct amendment *amendment, const struct rundir *dir, struct err *err);
void amend_close(struct amendment *amendment);

/* A trial as reader_trials gives it, for the caller to let go. */
enum amend_fault amend_read(struct amendment *amendment, uint64_t number, json_t **out, struct err *err);

/* Adds an event of this kind about a trial, unless it has one already: the event, for the caller to fill in, or NULL.
 * It has number amendment->tells among the tells. */
struct event *amend_add(struct amendment *amendment, enum event_kind kind, uint64_t trial);

/* Writes all of them at once. */
enum amend_fault amend_commit(struct amendment *amendment, struct err *err);

#endif
