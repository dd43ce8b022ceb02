/* The runs that this agent has, from the arrival of their leases until the coordinator has acknowledged their ends, and
 * what it has to be told of them. */
#ifndef GANNET_WORKER_AGENT_REPORT_H
#define GANNET_WORKER_AGENT_REPORT_H

#include "common/list.h"
#include "common/map.h"
#include "worker/agent/talk.h"
#include "worker/program/run.h"

struct report {
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

void report_init(struct report *report, struct talk *talk);
void report_fini(struct report *report); /* destroys the runs; a zeroed struct is fine */

struct run *report_find(const struct report *report, uint64_t trial, uint32_t attempt); /* or NULL */
struct run *report_add(struct report *report, const struct msg_lease *lease);           /* NULL: it is here already */

void report_sampled(struct report *report, struct run *run); /* it has new samples */
void report_ended(struct report *report, struct run *run);   /* it has a result */
void report_return(struct report *report, struct run *run);  /* it has not begun: it goes back, and is destroyed */
void report_refuse(struct report *report, uint64_t trial, uint32_t attempt); /* a lease that is not taken goes back */
void report_acks(struct report *report, const struct msg_acks *acks);

void report_list_runs(const struct report *report, struct msg *offer); /* in an OFFER */
void report_beat(const struct report *report);                         /* sends HEARTBEAT */
void report_repeat(struct report *report);                             /* everything not acknowledged is due again */

/* Sends what is due, at the end of a turn. `may_gather`: enough short runs wait in the slots that results of some
 * milliseconds may go together. */
void report_turn(struct report *report, bool may_gather);
void report_tick(struct report *report, double now);

bool report_is_done(const struct report *report); /* no result is unacknowledged */

#endif
