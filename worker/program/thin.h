/* Which samples of a run are recorded. Of each metric the first 10,000 are, then some 500 each time that their number
 * doubles, evenly, and at the run's end the last one and the extremes among those that were left out: a program that
 * prints fifteen million values takes the room of fifteen thousand. What is left out depends on what came before it
 * alone. Metrics of one step are recorded together, so that early stopping finds them together.
 *
 * A trial's value does not depend on it: the result of a run says what each metric came to over all samples. */
#ifndef GANNET_WORKER_PROGRAM_THIN_H
#define GANNET_WORKER_PROGRAM_THIN_H

#include "common/arena.h"
#include "common/buf.h"
#include "common/msg.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    THIN_WHOLE = 10000,      /* as many of a metric are all recorded */
    THIN_PER_DOUBLING = 500, /* a curve of a thousand pixels does not show what is missing */
    THIN_MOST_METRICS = 64   /* of others nothing is recorded; an experiment has 64 at most */
};

struct thin_metric {
    const char *name;
    uint64_t count, kept; /* samples that came, and those of them that are recorded */
    bool has_kept;        /* one was recorded, of */
    int64_t kept_step;    /* this step */
    bool holds;           /* the last one is not recorded */
    struct msg_sample last;
    uint64_t low_number, high_number; /* places among those that came, from 1, of the extremes left out; 0: none */
    struct msg_sample low, high;
};

/* One of a run; zeroed at first. */
struct thin {
    struct thin_metric *metrics;
    size_t count, capacity;
    uint32_t kept;     /* of all metrics */
    bool any;          /* something was left out */
    bool crowded;      /* there were more metrics than there is room for */
    bool has_due_step; /* the last sample whose turn it was is of */
    int64_t due_step;
};

typedef void thin_keep(void *context, const struct msg_sample *sample);

/* Takes a sample, and calls `keep` for it, for others of its step as well, or not at all. `most`: as many are recorded
 * of a run. Names are copied into `memory`. */
void thin_take(struct thin *thin, struct arena *memory, const struct msg_sample *sample, uint32_t most, thin_keep *keep,
               void *context);
/* The run has ended: the last ones and the extremes. */
void thin_end(struct thin *thin, thin_keep *keep, void *context);
/* The sentence that says what was left out; nothing when all is recorded. */
void thin_print(const struct thin *thin, struct buf *out);
void thin_fini(struct thin *thin);

#endif
