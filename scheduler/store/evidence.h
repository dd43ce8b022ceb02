/* What a run's result says of how it ran, as evidence for a verdict (scheduler/verdict). */
#ifndef GANNET_SCHEDULER_STORE_EVIDENCE_H
#define GANNET_SCHEDULER_STORE_EVIDENCE_H

#include "scheduler/core/event.h"
#include "scheduler/verdict/verdict.h"

struct verdict_evidence evidence_of_run(const struct event_run *run);

#endif
