/* All workers of an experiment in short, in the order in which they are shown: those that are there by node, then those
 * that are gone. Some 100 bytes each. */
#ifndef GANNET_CLI_FETCH_PLACES_H
#define GANNET_CLI_FETCH_PLACES_H

#include "cli/data/source.h"

struct place_worker {
    uint64_t worker, number; /* as reader_places has them */
    char *node;
    uint32_t part;       /* of several that are there on a node, from 1; 0: it has the node alone, or is gone */
    double joined, gone; /* seconds since 1970; gone NaN: it has not been missed */
    uint32_t slots, numa;
    uint64_t first; /* how many slots the workers before it have */
};

struct places {
    struct place_worker *workers;
    size_t count;
    uint64_t slots;
    uint32_t *at; /* by `worker`: its place + 1; 0: there is none */
    size_t at_count;
    double read; /* when, on the monotonic clock; 0: never */
};

/* Reads them again unless that was done a moment ago. -1 with a sentence. */
int places_update(struct places *places, struct source *source, struct err *err);
void places_fini(struct places *places);

/* One by its `worker`; NULL: there is none. */
const struct place_worker *places_find(const struct places *places, uint64_t worker);

#endif
