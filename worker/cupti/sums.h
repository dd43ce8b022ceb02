/* What a process did on GPUs, summed by names: a bounded table in memory that is taken once. What is beyond it is one
 * sum more. No lock: whoever calls has one. */
#ifndef GANNET_WORKER_CUPTI_SUMS_H
#define GANNET_WORKER_CUPTI_SUMS_H

#include "worker/cupti/short_name.h"

#include <stdint.h>

enum { SUMS_NAMES = 256, SUMS_PLACES = 1024 };

#define SUMS_OTHERS "other kernels"

struct cupti_sum {
    char name[SHORT_NAME_LONGEST + 1];
    uint64_t calls, bytes;
    uint64_t nanoseconds, min, max;
};

/* {0} is empty. */
struct cupti_sums {
    struct cupti_sum names[SUMS_NAMES + 1]; /* behind the last: the others */
    uint32_t count;
    uint16_t places[SUMS_PLACES]; /* by the hash of a name: 1 + its place in `names`; 0: none */
    uint64_t lost;                /* records that could not be read, or say no time */
};

/* A call of `nanoseconds`, of a short name. */
void sums_add(struct cupti_sums *sums, const char *name, uint64_t nanoseconds, uint64_t bytes);

#endif
