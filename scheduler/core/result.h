/* Runs that ended. */
#ifndef GANNET_SCHEDULER_CORE_RESULT_H
#define GANNET_SCHEDULER_CORE_RESULT_H

#include "common/msg.h"

struct core;
struct worker;

void result_take(struct core *core, struct worker *worker, const struct msg_result *result);

#endif
