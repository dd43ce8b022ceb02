/* Finds what a pattern describes (common/line_pattern.h) in a line. */
#ifndef GANNET_WORKER_PROGRAM_PRINTED_PATTERN_H
#define GANNET_WORKER_PROGRAM_PRINTED_PATTERN_H

#include "common/line_pattern.h"

#include <stdint.h>

/* The length of the metric's name that stands at `at`; 0: none. */
typedef size_t printed_name_call(void *context, const char *at, const char *end);

struct printed_match {
    const char *name; /* in the line; NULL: the pattern has none */
    size_t length;
    double value;
    double share;   /* the value, when a percent sign behind it counts */
    int64_t step;   /* -1: the pattern has none */
    bool comma;     /* it would be a match if its number had a point for its comma */
    const char *at; /* where it begins */
    size_t looked;  /* bytes that {any} went over, of all tries */
};

/* The place behind the first match that begins at `at` or later; NULL: there is none. */
const char *printed_match(const struct line_pattern *pattern, const char *at, const char *end, printed_name_call *name,
                          void *context, struct printed_match *out);

#endif
