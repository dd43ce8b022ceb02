/* A point that a person measured elsewhere: read and checked before it becomes a trial, by the command line and by a
 * living coordinator alike. */
#ifndef GANNET_SCHEDULER_SESSION_ADDED_POINT_H
#define GANNET_SCHEDULER_SESSION_ADDED_POINT_H

#include "scheduler/core/event.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

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

#endif
