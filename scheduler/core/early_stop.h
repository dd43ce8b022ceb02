/* Early stopping as the core sees it: somebody who looks at trials on their way. The coordinator fills it in with a
 * stopper (scheduler/session/early_stopping.h); tests with whatever they need.
 *
 * All functions are called from within the core's inputs, in the order of the events that record them: telling a new
 * one the recorded calls again gives it the same state. None may block; `sample` has some 100 us. */
#ifndef GANNET_SCHEDULER_CORE_EARLY_STOP_H
#define GANNET_SCHEDULER_CORE_EARLY_STOP_H

#include "common/endings.h"

#include <stdbool.h>
#include <stdint.h>

enum early_stop_action { EARLY_STOP_GO_ON, EARLY_STOP_STOP, EARLY_STOP_PAUSE };

struct early_stop_decision {
    enum early_stop_action action;
    bool rung;        /* the trial was compared with others: the strategy is to observe it */
    uint32_t bracket; /* with several brackets, of which one the rung is, from 1; else 0 */
    double cut_off;   /* what the first metric would have had to come to; NAN: there is no such number */
    char why[200];
};

/* A paused trial is to go on, or to end as stopped early. */
struct early_stop_move {
    uint64_t trial;
    bool resume;
    double cut_off; /* up to which trials of its rung go on; NAN: there is no such number */
    char why[200];
};

struct early_stop {
    void *context;

    /* The step after which a trial that is about to run is to pause; 0: none. */
    uint64_t (*until)(void *context, uint64_t trial);

    /* The step at which a trial is complete; 0: not known yet. */
    uint64_t (*max_steps)(void *context);

    /* All objectives of a trial are known at a step, higher than any before: their values among those of all metrics,
     * NaN for the others. Recorded as EVENT_DECIDED. */
    void (*sample)(void *context, uint64_t trial, uint64_t step, const double *values, struct early_stop_decision *out);

    /* The next move with a trial of which PAUSE was said; false: none. It is made by the call that follows of one of
     * the next two. `last`: nothing runs, waits or will come. */
    bool (*next)(void *context, bool last, struct early_stop_move *out);

    /* A trial of which PAUSE was said goes on: EVENT_RESUMED. */
    void (*resumed)(void *context, uint64_t trial);

    /* A trial ended, judged before or not: EVENT_TRIAL_ENDED. One that failed may begin anew: EVENT_REOPENED. */
    void (*ended)(void *context, uint64_t trial, enum ending ending);
};

#endif
