/* When and where attempts ran, in columns: some 40 bytes each, of all that were read so far. */
#ifndef GANNET_CLI_FETCH_SPANS_H
#define GANNET_CLI_FETCH_SPANS_H

#include "cli/fetch/attempts.h"
#include "cli/view/span_class.h"

struct span {
    double started; /* seconds since 1970 */
    float seconds;  /* NaN: it runs */
    float queue, launch, stage;
    uint32_t trial, worker;
    uint16_t slot;
    uint8_t attempt, class;
};

struct spans {
    struct span *items;
    size_t count, capacity;
    double first, last; /* when the first began and the last ended; NaN: there are none */
    uint64_t oldest;    /* told: of the attempts of the oldest trial, */
    double since;       /* when the last ended */
};

/* Adds an attempt. */
void spans_add(struct spans *spans, const struct attempt *attempt);
void spans_fini(struct spans *spans);

/* How long a span lies between two times, seconds; one that runs lasts until `now`. */
double span_overlap(const struct span *span, double from, double to, double now);
double span_end(const struct span *span, double now);

#endif
