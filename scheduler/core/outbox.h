/* Outputs in their order, and what is due when an event is committed. */
#ifndef GANNET_SCHEDULER_CORE_OUTBOX_H
#define GANNET_SCHEDULER_CORE_OUTBOX_H

#include "common/msg.h"
#include "scheduler/core/event.h"

struct core;
struct trial;

/* What is due when an event is committed: to act on a trial, or to let the strategy observe it at a rung. */
struct due_act {
    uint64_t event, trial;
    uint64_t forget; /* the strategy forgets: the number of the last tell, by then; 0: something else */
    double *values;  /* observe it: of the metrics, owned; NULL: act on it */
    uint64_t step;   /* observe it: at this one */
    double seconds;  /* observe it: after so many */
};

/* An acknowledgement that is due when an event is committed. */
struct due_ack {
    uint64_t event, worker;
    struct msg_ack ack;
};

/* Writes an event down: a copy of it, numbered and kept, which is valid until the next output. */
const struct event *outbox_event(struct core *core, const struct event *what);
void outbox_send(struct core *core, uint64_t peer, const struct msg *msg);
void outbox_ask(struct core *core, uint64_t trial);
void outbox_tell(struct core *core,
                 struct trial *trial); /* takes over its values and, of one that was added, its params */
void outbox_observe(struct core *core, struct due_act *rung); /* takes over its values */
void outbox_forget(struct core *core, uint64_t told);
void outbox_ended(struct core *core);

/* When the event is committed ... */
void outbox_act_later(struct core *core, uint64_t event, uint64_t trial);
void outbox_forget_later(struct core *core); /* the last event that was emitted */
void outbox_observe_later(struct core *core, const struct event *decided);
void outbox_ack_later(struct core *core, uint64_t event, uint64_t worker, struct msg_ack ack);

/* A turn of the loop that drives the core carries out all outputs: it has enough of them. What else is to be done waits
 * for the next turn, which comes at once (core_wake). */
bool outbox_is_full(const struct core *core);

void outbox_fini(struct core *core);

#endif
