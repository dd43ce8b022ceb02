/* Leases: a trial given to a slot. */
#ifndef GANNET_SCHEDULER_CORE_LEASE_H
#define GANNET_SCHEDULER_CORE_LEASE_H

#include "common/endings.h"
#include "common/list.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/standstill.h"
#include <stdbool.h>
#include <stdint.h>

struct core;
struct slot;
struct trial;
struct worker;

/* A lease that does not count any more (its trial went on elsewhere) stays until its worker says that the slot is free.
 */
struct lease {
    uint64_t trial;
    uint32_t attempt;
    uint64_t key; /* among the leases of the core */
    struct worker *worker;
    struct slot *slot;
    uint64_t memory;       /* bytes that its run may use; 0: not limited */
    double time;           /* seconds that its run may take; 0: not limited */
    bool sent;             /* the worker was told of it, or had it before a restart */
    double sent_at;        /* sent: when */
    bool claimed;          /* seen in the worker's last OFFER or HEARTBEAT */
    bool stopping;         /* STOP_RUN was sent */
    enum ending stop_with; /* stopping: the ending that STOP_RUN named */
    double since;          /* when it was granted */
    struct list_link link; /* in its slot's list, in the order of running */
    struct gang_place gang;
    struct standstill standstill; /* what is said of its ranks that don't move */
};

struct lease *lease_find(const struct core *core, uint64_t worker, uint64_t trial, uint32_t attempt);
/* Leases a trial: the event, and the change of its state. */
struct lease *lease_grant(struct core *core, struct trial *trial, struct slot *slot, uint32_t attempt);
/* The record alone, for a run that its worker has anyway. */
struct lease *lease_add(struct core *core, struct slot *slot, uint64_t trial, uint32_t attempt);
void lease_clear_claims(struct worker *worker);          /* before the worker says what it has */
void lease_free(struct core *core, struct lease *lease); /* the slot is rid of it; the trial is not touched */
void lease_move(struct core *core, struct lease *lease, struct slot *to); /* its run is in another slot */
void lease_return(struct core *core, struct lease *lease);                /* it was not started */
/* Its trial goes on without it; the slot stays taken. `ending` of its run: LOST, or what is known of its job. */
void lease_give_up(struct core *core, struct lease *lease, enum ending ending, const char *why);
/* Its worker is gone: the slot, too. What was not sent goes back. */
void lease_lose(struct core *core, struct lease *lease, enum ending ending, const char *why);
void lease_stop(struct core *core, struct lease *lease, enum ending ending);
/* The trial whose running attempt this lease is; NULL: it does not count any more. */
struct trial *lease_trial(const struct core *core, const struct lease *lease);

#endif
