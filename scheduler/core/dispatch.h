/* Messages to workers. Leases and acknowledgements are gathered over an input and sent together. */
#ifndef GANNET_SCHEDULER_CORE_DISPATCH_H
#define GANNET_SCHEDULER_CORE_DISPATCH_H

#include "common/endings.h"
#include "common/msg.h"

struct core;
struct lease;
struct trial;
struct worker;

void dispatch_welcome(struct core *core, struct worker *worker);
void dispatch_who(struct core *core, uint64_t peer);
void dispatch_heard(struct core *core, struct worker *worker, double wall);
void dispatch_lease(struct core *core, struct lease *lease, const struct trial *trial); /* batched */
void dispatch_ack(struct core *core, struct worker *worker, struct msg_ack ack);        /* batched */
void dispatch_stop(struct core *core, struct worker *worker, uint64_t trial, uint32_t attempt, enum ending ending);
void dispatch_refuse(struct core *core, uint64_t peer, const char *why);
void dispatch_drain(struct core *core, struct worker *worker, bool now);
void dispatch_flush(struct core *core); /* sends what was batched */

#endif
