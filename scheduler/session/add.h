/* Trials that a person adds because they were measured elsewhere: by hand, on another machine, before there was a
 * search. Each is one of its own that has completed, counts for the best, and is told to the strategy in its place in
 * the order of tells; limits.max_trials leaves room for as many others. */
#ifndef GANNET_SCHEDULER_SESSION_ADD_H
#define GANNET_SCHEDULER_SESSION_ADD_H

#include "scheduler/session/added_point.h"
#include "scheduler/session/amend.h"

enum { ADD_MOST = 1000000 }; /* points at once */

/* Adds these points (an array of objects as added_point_read takes them) to an experiment that no coordinator runs, all
 * or none. *first: the number of the first trial, the others follow. The sentence is for all that is not AMEND_FINE. */
enum amend_fault add_trials(const struct rundir *dir, const json_t *points, uint64_t *first, struct err *err);

#endif
