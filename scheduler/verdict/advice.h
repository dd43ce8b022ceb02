/* What to do about what bounded a run, for the kind of run that it was. */
#ifndef GANNET_SCHEDULER_VERDICT_ADVICE_H
#define GANNET_SCHEDULER_VERDICT_ADVICE_H

#include "scheduler/verdict/advice_list.h"
#include "scheduler/verdict/verdict.h"

/* Kinds of runs; see advice_list.h. */
enum advice_for {
    FOR_PROGRAM = 1,
    FOR_KERNEL = 2,
    FOR_NETWORK = 4,
    FOR_SMALL = 8,
    FOR_TREES = 16,
    FOR_MEMORY = 32,
    FOR_AUGMENTED = 64
};

/* The kinds that the runs of an experiment are of, by its frozen text; as bits. */
unsigned advice_whom(const char *spec);

/* A sentence, or "": nothing is known to help. */
const char *advice_find(enum verdict_kind kind, unsigned whom);

#endif
