/* The runs that this agent has, from the arrival of their leases until the coordinator has acknowledged their ends, and
 * what it has to be told of them. */
#ifndef GANNET_WORKER_AGENT_REPORTER_H
#define GANNET_WORKER_AGENT_REPORTER_H

#include "common/list.h"
#include "common/map.h"
#include "worker/agent/talk.h"
#include "worker/program/run.h"

struct reporter {
    struct talk *talk;           /* where it is said */
    struct map runs;             /* of (trial, attempt) -> struct run */
    size_t living;               /* those of them that have not ended */
    uint64_t runs_ended;         /* counted from the start */
    struct list_link sampled;    /* runs that go on, with samples not acknowledged */
    struct list_link fresh;      /* ended ones whose result was not sent, or is to be sent again */
    double fresh_since;          /* when the first of those came */
    size_t gathered;             /* runs that have ended since results were sent last */
    struct list_link told;       /* ended ones whose result was sent, in that order */
    struct msg_result *results;  /* memory for those of a message */
    struct msg_run_id *returned; /* leases that go back */
    size_t returned_count, returned_capacity;
};

void reporter_init(struct reporter *reporter, struct talk *talk);
void reporter_fini(struct reporter *reporter); /* destroys the runs; a zeroed struct is fine */

struct run *reporter_find(const struct reporter *reporter, uint64_t trial, uint32_t attempt); /* or NULL */
struct run *reporter_add(struct reporter *reporter, const struct msg_lease *lease); /* NULL: it is here already */

void reporter_sampled(struct reporter *reporter, struct run *run); /* it has new samples */
void reporter_ended(struct reporter *reporter, struct run *run);   /* it has a result */
void reporter_return(struct reporter *reporter, struct run *run); /* it has not begun: it goes back, and is destroyed */
void reporter_refuse(struct reporter *reporter, uint64_t trial,
                     uint32_t attempt); /* a lease that is not taken goes back */
void reporter_acks(struct reporter *reporter, const struct msg_acks *acks);

void reporter_list_runs(const struct reporter *reporter, struct msg *offer); /* in an OFFER */
void reporter_beat(const struct reporter *reporter);                         /* sends HEARTBEAT */
void reporter_repeat(struct reporter *reporter); /* everything not acknowledged is due again */

/* Sends what is due, at the end of a turn. `may_gather`: enough short runs wait in the slots that results of some
 * milliseconds may go together. */
void reporter_turn(struct reporter *reporter, bool may_gather);
void reporter_tick(struct reporter *reporter, double now);

bool reporter_is_done(const struct reporter *reporter); /* no result is unacknowledged */

#endif
