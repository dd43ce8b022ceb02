/* Trials that a person adds because they were measured elsewhere: by hand, on another machine, before there was a
 * search. Each is one of its own that has completed, counts for the best, and is told to the strategy in its place in
 * the order of tells; limits.max_trials leaves room for as many others. */
#ifndef GANNET_SCHEDULER_SESSION_ADD_H
#define GANNET_SCHEDULER_SESSION_ADD_H

#include "scheduler/session/amend.h"
#include "scheduler/spec/spec.h"

enum { ADD_MOST = 1000000 }; /* points at once */

/* A point that was checked, as it is recorded. */
struct added_point {
    char *params; /* a JSON object, all active parameters in their order */
    uint64_t fingerprint;
    double *values; /* of the experiment's metrics */
};

/* Reads {"params": {"lr": 0.1, ...}, "values": {"loss": 0.3}}: a whole configuration of this space that keeps its
 * constraints, and finite values of all metrics that trials are judged by. -1 with a sentence; added_point_fini in any
 * case. */
int added_point_read(const struct spec *spec, const json_t *json, struct added_point *out, struct err *err);
void added_point_fini(struct added_point *point);

/* What is recorded of it: borrows from the point. */
struct event_added added_point_event(const struct added_point *point, const struct metrics *metrics, uint64_t told);

/* Adds these points (an array of such objects) to an experiment that no coordinator runs, all or none. *first: the
 * number of the first trial, the others follow. The sentence is for all that is not AMEND_FINE. */
enum amend_fault add_trials(const struct rundir *dir, const json_t *points, uint64_t *first, struct err *err);

#endif
