/* A set of small numbers in ascending order, as people and /sys write them: "0-3,8". Processors, NUMA nodes, GPUs. */
#ifndef GANNET_WORKER_HARDWARE_NUMBERS_H
#define GANNET_WORKER_HARDWARE_NUMBERS_H

#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct numbers {
    uint32_t *items; /* ascending, none twice */
    size_t count, capacity;
};

enum {
    NUMBERS_LARGEST = 1 << 20
}; /* no machine has that many processors; keeps a mistyped range from filling memory */

/* {0} is an empty set. */
void numbers_fini(struct numbers *set);

void numbers_add(struct numbers *set, uint32_t number);
void numbers_merge(struct numbers *set, const struct numbers *more);
bool numbers_has(const struct numbers *set, uint32_t number);

/* Adds "0-3,8" to out; nothing when the set is empty. */
void numbers_show(const struct numbers *set, struct buf *out);

/* Adds the numbers of a list to the set; "" has none. -1 with a sentence when it is no list. */
int numbers_read(const char *text, struct numbers *set, struct err *err);

#endif
