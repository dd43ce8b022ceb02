/* What was said on a run's stream so far: the metrics with their last steps, so that a value that is printed as well
 * counts once, and the phases that have begun. */
#ifndef GANNET_WORKER_PROGRAM_STREAM_SAID_H
#define GANNET_WORKER_PROGRAM_STREAM_SAID_H

#include "worker/program/stream_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STREAM_SAID_METRICS = 256, /* names of a run, each of which becomes a row of the store */
    STREAM_SAID_PHASES = 16,   /* begun at the same time */
    STREAM_SAID_PRINTED = 64   /* the last printed values that are remembered */
};

struct stream_metric;

struct stream_said {
    struct stream_metric *metrics; /* those that were told */
    size_t metric_count, metric_capacity;
    struct {
        char name[STREAM_NAME_LONGEST + 1];
        int64_t step;
    } * printed;          /* STREAM_SAID_PRINTED of them, a ring; NULL: none was */
    size_t printed_count; /* in all */
    struct {
        char name[PHASE_NAME_LONGEST + 1]; /* "": free */
        double since;
    } phases[STREAM_SAID_PHASES];
};

/* Zeroed: nothing was said. */
void stream_said_fini(struct stream_said *said);

/* A metric is told at *step; -1: one more than the last one. *step becomes that, or -1 when the value was printed and
 * counted already. False: there are too many metrics. */
bool stream_said_metric(struct stream_said *said, const char *name, int64_t *step);

/* A metric was printed: whether that counts. What was told once is not looked for in the output any more. */
bool stream_said_printed(struct stream_said *said, const char *name, int64_t step);

/* A phase begins (again); false: too many have. It ends: false: it had not begun. */
bool stream_said_begin(struct stream_said *said, const char *name, double now);
bool stream_said_end(struct stream_said *said, const char *name, double now, double *seconds);

/* Ends one that has begun, with its name in `out` (of PHASE_NAME_LONGEST + 1); false: there is none. */
bool stream_said_end_any(struct stream_said *said, double now, char *out, double *seconds);

#endif
