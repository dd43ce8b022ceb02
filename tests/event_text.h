/* Events as lines for people, from their table: for traces, and to compare events. */
#ifndef GANNET_TESTS_EVENT_TEXT_H
#define GANNET_TESTS_EVENT_TEXT_H

#include "common/buf.h"
#include "scheduler/core/event.h"

/* Adds the event: "RETURNED trial=3 attempt=1 worker=7 slot=0 resumed=0". */
void event_print(const struct event *event, struct buf *out);

/* An event of this kind in which every field says something: texts and lists come from `memory`, numbers from
 * `start` on. */
struct event event_sample(enum event_kind kind, uint32_t start, struct arena *memory);

#endif
