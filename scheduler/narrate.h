/* Which events a person who reads coordinator.log wants to know of, and in which words. The normal way of trials is not
 * among them: at thousands of trials a second it would fill the disk. */
#ifndef GANNET_SCHEDULER_NARRATE_H
#define GANNET_SCHEDULER_NARRATE_H

#include "scheduler/core/event.h"

/* Writes the event to the log, or nothing. */
void narrate_event(const struct event *event);

#endif
