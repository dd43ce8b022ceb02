/* What the core has done so far, counted: tests bound the work of an input by it, and whoever looks after a coordinator
 * reads where its work goes. */
#ifndef GANNET_SCHEDULER_CORE_COUNTERS_H
#define GANNET_SCHEDULER_CORE_COUNTERS_H

#include <stdint.h>

struct core;

struct core_counters {
    uint64_t inputs;      /* messages, proposals, commits, ticks, commands */
    uint64_t outputs;     /* of all kinds */
    uint64_t acts;        /* changes of trials that came to be on disk, and what followed from them */
    uint64_t visits;      /* items looked at in the queue and among the vacant slots */
    uint64_t predictions; /* forecasts made for a trial */
    uint64_t readings;    /* parameters of a trial read from their JSON */
    uint64_t looks;       /* workers, slots and leases looked at because time passes or the session ends */
    uint64_t moves;       /* questions to early stopping which paused trial goes on */
    uint64_t leases;      /* that came or went */
    uint64_t lost;        /* workers that were lost or left */
};

/* Valid as long as the core. */
const struct core_counters *core_counters(const struct core *core);

#endif
