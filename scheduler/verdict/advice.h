/* What to do about what bounded a run, for the kind of run that it was. */
#ifndef GANNET_SCHEDULER_VERDICT_ADVICE_H
#define GANNET_SCHEDULER_VERDICT_ADVICE_H

#include "scheduler/verdict/advice_list.h"
#include "scheduler/verdict/verdict.h"

#include <stdbool.h>

/* Kinds of runs; see advice_list.h. */
enum advice_for {
    FOR_PROGRAM = 1,
    FOR_KERNEL = 2,
    FOR_NETWORK = 4,
    FOR_SMALL = 8,
    FOR_TREES = 16,
    FOR_MEMORY = 32,
    FOR_AUGMENTED = 64,
    FOR_THREADS = 128,
    FOR_LEARNER = FOR_NETWORK | FOR_TREES,
    FOR_ANY = FOR_PROGRAM | FOR_KERNEL
};

/* What tells the kinds of an experiment's runs apart. */
struct advice_facts {
    const char *kernel; /* NULL: a person's program */
    bool makes_data;    /* the kernel's option `data` says generate */
    bool augments;      /* an option or parameter of augmentation is given */
    bool has_threads;   /* a parameter is called `threads` */
};

/* The kinds that they are of, as bits. */
unsigned advice_whom(const struct advice_facts *facts);

/* Whether an option or parameter of that name is one of augmentation. */
bool advice_augments(const char *name);

/* A sentence, or "": nothing is known to help. */
const char *advice_find(enum verdict_kind kind, unsigned whom);

#endif
