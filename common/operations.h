/* Operations of training by name, what is counted of each, and which are timed.
 *
 * Calls, floating-point operations and bytes are always counted; an operation is timed when its bit is set, which costs
 * two looks at the clock and waits until it is done. OPERATION_step stands for the timed steps as a whole. */
#ifndef GANNET_COMMON_OPERATIONS_H
#define GANNET_COMMON_OPERATIONS_H

#include "common/err.h"
#include "common/operation_list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum operation {
#define OPERATION(slot, name) OPERATION_##slot,
    OPERATIONS(OPERATION) FURTHER_OPERATIONS(OPERATION)
#undef OPERATION
        OPERATIONS_COUNT
};

_Static_assert(OPERATIONS_COUNT <= 64, "a bit for each");

#define OPERATIONS_ALL (~(uint64_t)0)

/* What came of an operation's calls. */
struct operation_count {
    uint64_t calls;
    double flops;         /* a multiplication and an addition are two, any other function of a number one */
    double flops_bf16;    /* those of them in products of numbers in bf16; known in the process that computes them */
    double flops_skipped; /* multiplications by 0, with their additions, that were left out and are not among the flops;
                             known there, too */
    double bytes;         /* read and written, each tensor once */
    uint64_t timed;       /* of the calls */
    double seconds;       /* of the timed calls */
    double min, max;      /* seconds of one */
};

/* The name of an operation in tables. */
const char *operation_name(enum operation operation);

/* A call that took so long. */
void operation_time(struct operation_count *count, double seconds);

/* Adds all of `more` to `sum`. */
void operation_merge(struct operation_count *sum, const struct operation_count *more);

/* Which operations of which steps a run times. */
struct operation_choice {
    uint64_t timed; /* a bit for each operation; 0: none */
    int64_t first;  /* the first step in which they are timed; 0: from the beginning */
    int64_t last;   /* and the last; 0: to the end */
};

/* The bits of those whose name matches: a name, or with * for any letters; 0: none does. */
uint64_t operations_like(const char *pattern);

/* Reads {"operations": ["conv*", "gemm"], "first": 10, "last": 20}, as a task has it; of NULL nothing is timed. */
struct operation_choice operation_choice_read(const json_t *json);

/* The bits that are timed in a step. */
uint64_t operation_choice_at(const struct operation_choice *choice, int64_t step);

#endif
