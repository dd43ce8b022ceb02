/* Messages from workers. */
#ifndef GANNET_SCHEDULER_CORE_RECEIVE_H
#define GANNET_SCHEDULER_CORE_RECEIVE_H

#include "common/msg.h"

struct core;

void receive_message(struct core *core, uint64_t peer, const struct msg *msg);

#endif
