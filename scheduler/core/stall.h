/* Trials that go on later without having come further. */
#ifndef GANNET_SCHEDULER_CORE_STALL_H
#define GANNET_SCHEDULER_CORE_STALL_H

#include "common/endings.h"

#include <stdbool.h>
#include <stddef.h>

struct core;
struct event_sampled;
struct trial;

/* New samples of the running attempt. */
void stall_note_samples(struct trial *trial, const struct event_sampled *sampled);

/* An attempt ended, its worker says how: whether the trial has stood still too often. `why` gets the sentence. */
bool stall_count(struct core *core, struct trial *trial, enum ending ending, char *why, size_t size);

/* Puts a waiting trial off that is to pause before it goes on; false: it is not. */
bool stall_delay(struct core *core, struct trial *trial);

void stall_tick(struct core *core); /* those whose pause is over join the queue */

#endif
