/* The coordinator's own struct, for coordinator.c (start and end), turn.c and signals.c alone. */
#ifndef GANNET_SCHEDULER_COORDINATOR_COORDINATOR_PARTS_H
#define GANNET_SCHEDULER_COORDINATOR_COORDINATOR_PARTS_H

#include "scheduler/coordinator/checkpoint.h"
#include "scheduler/coordinator/commit.h"
#include "scheduler/coordinator/coordinator.h"
#include "scheduler/coordinator/counts.h"
#include "scheduler/coordinator/descriptors.h"
#include "scheduler/coordinator/event_log.h"
#include "scheduler/coordinator/listener.h"
#include "scheduler/coordinator/renew.h"
#include "scheduler/coordinator/service.h"
#include "scheduler/coordinator/viewers.h"
#include "scheduler/core/core.h"
#include "scheduler/session/ask.h"
#include "scheduler/session/search.h"
#include "scheduler/store/db.h"
#include "scheduler/slurm/elastic.h"
#include "scheduler/slurm/coordinator_job.h"

/* The parts, in the order in which they are made. */
struct coordinator {
    const struct coordinator_setup *setup;
    const struct rundir *dir;
    int lock;
    struct spec *spec;
    struct store *store;
    struct memory memory; /* what the store knew at the start */
    struct searcher *searcher;
    struct early_stopping *early_stopping; /* NULL: none */
    bool keeps;                            /* trials start from others' checkpoints: they stay */
    struct ask_past past;
    char *task;
    struct loop *loop;
    struct link_context *links;
    struct listener *listener;
    struct descriptors *descriptors; /* NULL: nobody comes over TCP */
    struct core *core;
    struct commit *commit;
    struct checkpoint_remover *remover; /* NULL: checkpoints stay */
    struct ask *ask;
    struct renewal *renewal; /* of the strategy, when its past is changed */
    struct amends *amends;   /* what changes it */
    struct service *service;
    struct viewers *viewers;     /* who looks by a pass */
    struct elastic *elastic;     /* submits jobs for workers; NULL: others start them */
    struct coordinator_job *own; /* the job of Slurm's that this process is in; NULL: it is in none */

    struct counts counts;
    struct event_log event_log;
    double started; /* on the monotonic clock */
    struct loop_watch *tick;
    double wake;                 /* when the tick is due */
    struct buf bytes;            /* of the message that came last */
    int signals;                 /* that asked to end, so far */
    bool over;                   /* ended in order */
    bool damaged;                /* the store makes no sense */
    bool unwritten;              /* it was to end, and the store could not be written */
    double leave_by;             /* over: nothing is waited for beyond this time */
    struct loop_watch *farewell; /* over: the next look at whether anything is still waited for */
};

/* --- turn.c --- */

/* What the strategy's thread calls, and the store's. */
struct ask_calls turn_answers(struct coordinator *self);
struct commit_calls turn_commits(struct coordinator *self);

/* From then on workers' messages are taken, and outputs carried out at the end of each turn. */
void turn_begin(struct coordinator *self);

/* Carries out what the core has to say. */
void turn_take_outputs(struct coordinator *self);

/* --- disk_space.c --- */

/* Takes a step of the start; while that fails for want of room on the disk, again every second. -1 with a sentence when
 * it failed for another reason, or a signal asked to end meanwhile (`unwritten`). */
int disk_space_wait(struct coordinator *self, int (*step)(struct coordinator *self, struct err *err), struct err *err);

/* --- signals.c --- */

/* Signals of the job that come before there is a loop to hear them wait for it; they would end the process. */
void signals_hold(void);

/* Makes the loop, before any thread: threads inherit the blocked signals. */
void signals_watch(struct coordinator *self);

#endif
