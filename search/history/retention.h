/* Which records of a long history stay: the best half, and of the others a sample that each of them had the same chance
 * to be in. */
#ifndef GANNET_SEARCH_HISTORY_RETENTION_H
#define GANNET_SEARCH_HISTORY_RETENTION_H

#include "search/history/history.h"

#include <stdbool.h>
#include <stddef.h>

/* A trial of a history, with the numbers that its pointers point to. */
struct kept {
    struct record record;   /* what was told of it */
    struct pending pending; /* what others see of it while it runs */
    uint64_t lot;           /* drawn once and for all: of the others those with the lowest lots stay */
    uint64_t place;         /* rises in the order of first mention */
    double numbers[];       /* D coordinates, then the losses, then the violations */
};

/* Whether a record has a loss and no limit is known to be broken or unknown. */
bool retention_is_valid(const struct record *record, uint32_t limits);

/* Reorders `count` records, which are in order of place: the `most` that stay come first, in order of place; those that
 * don't behind them. `dear`, which may be NULL, stays in any case. */
void retention_choose(struct kept **records, size_t count, size_t most, const struct gannet_problem *problem,
                      const struct kept *dear);

#endif
