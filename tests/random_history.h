/* Made-up histories of an experiment: the events that a core could write, one after the other, chosen by a seed.
 * Workers come, go and come back; runs end in every way, are given back, lost, taken up again, win after all, or come
 * too late; values are NaN and infinite now and then. */
#ifndef GANNET_TESTS_RANDOM_HISTORY_H
#define GANNET_TESTS_RANDOM_HISTORY_H

#include "scheduler/core/event.h"

struct random_history;

struct random_history *random_history_create(uint64_t seed);
void random_history_destroy(struct random_history *random_history);

/* The next event; event_fini it. There is always one. */
struct event random_history_next(struct random_history *random_history);

#endif
