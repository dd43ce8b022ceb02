/* Made-up histories of an experiment: the events that a core could write, one after the other, chosen by a seed.
 * Workers come, go and come back; runs end in every way, are given back, lost, taken up again, win after all, or come
 * too late; values are NaN and infinite now and then. */
#ifndef GANNET_TESTS_CHRONICLE_H
#define GANNET_TESTS_CHRONICLE_H

#include "scheduler/core/event.h"

struct chronicle;

struct chronicle *chronicle_create(uint64_t seed);
void chronicle_destroy(struct chronicle *chronicle);

/* The next event; event_fini it. There is always one. */
struct event chronicle_next(struct chronicle *chronicle);

#endif
