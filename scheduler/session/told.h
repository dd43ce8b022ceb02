/* What the searcher is told of a trial, from what the core and the store know of it: values become losses and
 * violations. */
#ifndef GANNET_SCHEDULER_SESSION_TOLD_H
#define GANNET_SCHEDULER_SESSION_TOLD_H

#include "common/endings.h"
#include "common/metric.h"
#include "search/searcher.h"

struct told {
    uint64_t trial;
    enum ending ending;
    const double *values; /* of the experiment's metrics, NaN where there is none; NULL: there is none at all */
    double seconds;
    double energy;      /* joules; 0: not known */
    uint64_t step;      /* the last one that the values were seen at; 0: not known */
    const char *params; /* a person added the trial, with these: it was never asked for; NULL: it was */
    bool observed;      /* it goes on or is paused: how it stands at a rung; `ending` says nothing */
};

/* -1 with a sentence when the parameters of a trial that was added don't fit the space: then nothing is told. */
int told_pass_on(const struct told *told, const struct metrics *metrics, struct searcher *searcher, struct err *err);

#endif
