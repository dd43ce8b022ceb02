/* What the core has done so far, counted: tests bound the work of an input by it, and whoever looks after a coordinator
 * reads where its work goes. */
#ifndef GANNET_SCHEDULER_CORE_COUNTERS_H
#define GANNET_SCHEDULER_CORE_COUNTERS_H

#include "common/counters.h"

struct core;

#define CORE_COUNTERS(X)                                                                                               \
    X(U64, inputs, "inputs", "messages, proposals, commits, ticks, commands")                                          \
    X(U64, outputs, "outputs", "of all kinds that followed from them")                                                 \
    X(U64, acts, "changes", "of trials that came to be on disk, and were acted on")                                    \
    X(U64, visits, "items", "looked at among the waiting trials and the vacant slots")                                 \
    X(U64, predictions, "forecasts", "of how long a trial takes")                                                      \
    X(U64, readings, "trials", "whose parameters were read from their JSON")                                           \
    X(U64, looks, "items",                                                                                             \
      "workers, slots and leases looked at because time passes, a node is held, or the session ends")                  \
    X(U64, holds, "nodes", "that are given nothing for a while, and again when they are")                              \
    X(U64, moves, "questions", "to early stopping which paused trial goes on")                                         \
    X(U64, leases, "leases", "that came or went")                                                                      \
    X(U64, lost, "workers", "that were lost or left")

struct core_counters {
    CORE_COUNTERS(COUNTER_FIELD)
};

/* Valid as long as the core. */
const struct core_counters *core_counters(const struct core *core);

#endif
