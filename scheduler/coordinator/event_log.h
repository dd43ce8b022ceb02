/* Which events a person who reads coordinator.log wants to know of, and in which words. The normal way of trials is not
 * among them, and what may happen to any number of trials is told a few times a second at most: at thousands of trials
 * a second the log would fill the disk. */
#ifndef GANNET_SCHEDULER_COORDINATOR_EVENT_LOG_H
#define GANNET_SCHEDULER_COORDINATOR_EVENT_LOG_H

#include "common/err.h"
#include "scheduler/core/event.h"

/* How much was told lately. {0} at first. */
struct event_log {
    double second; /* the one that is counted */
    unsigned told, untold;
};

/* Writes the event to the log, or nothing. */
void event_log_event(struct event_log *log, const struct event *event);

/* A warning about something that may happen any number of times. */
void event_log_warning(struct event_log *log, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
