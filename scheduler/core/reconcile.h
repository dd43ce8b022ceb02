/* What a worker says that it has is compared with what the core has recorded. */
#ifndef GANNET_SCHEDULER_CORE_RECONCILE_H
#define GANNET_SCHEDULER_CORE_RECONCILE_H

#include "common/msg.h"

struct core;
struct worker;

void reconcile_offer(struct core *core, struct worker *worker, const struct msg_offer *offer);
void reconcile_heartbeat(struct core *core, struct worker *worker, const struct msg_heartbeat *heartbeat);

#endif
