/* What a question's arguments say, checked; for service.c. -1 with a sentence when they make no sense. */
#ifndef GANNET_SCHEDULER_COORDINATOR_SERVICE_ARGUMENTS_H
#define GANNET_SCHEDULER_COORDINATOR_SERVICE_ARGUMENTS_H

#include "common/endings.h"
#include "common/err.h"
#include "scheduler/core/core.h"

#include <jansson.h>

/* "why": a reason to end, REASON_STOPPED unless given. */
int service_take_reason(const json_t *arguments, enum reason *reason, struct err *err);

/* "why": a sentence, if one is given: it goes into the store with each run that it is said of. */
int service_take_why(const json_t *arguments, const char **why, struct err *err);

/* Who is meant: a process of this node (`here`), a node, or a job (and one element of it). */
int service_take_sign(const json_t *arguments, const char *here, struct worker_sign *sign, struct err *err);

/* "ending": of runs whose worker is gone; ENDING_LOST unless given. */
int service_take_ending(const json_t *arguments, enum ending *ending, struct err *err);

#endif
