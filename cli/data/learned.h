/* What ended trials came to, in columns: their points in the unit cube and their values. Of very many an even part is
 * kept, always the same for the same trials. */
#ifndef GANNET_CLI_DATA_LEARNED_H
#define GANNET_CLI_DATA_LEARNED_H

#include "cli/data/source.h"
#include "scheduler/spec/spec.h"

enum { LEARNED_MOST = 16384 };

struct learned_trial {
    uint64_t told, trial;
    bool failed, has_value, feasible, completed;
    double ended;
};

struct learned {
    uint32_t dimension, metrics; /* D, M */
    uint64_t told, every;        /* the last that was read; one of so many is kept */
    bool more;                   /* the last reading did not come to the end */
    size_t count, capacity;
    struct learned_trial *trials;
    double *units;  /* D of each: NaN where a parameter is inactive */
    double *values; /* M of each */
    struct {
        size_t *items;
        size_t count, capacity;
    } front; /* what nothing dominates, of several objectives */
};

void learned_init(struct learned *learned, const struct spec *spec);
void learned_fini(struct learned *learned);

/* Reads what has ended since. -1 with a sentence. */
int learned_update(struct learned *learned, struct source *source, const struct spec *spec, struct err *err);

/* Whether it may be the best. */
bool learned_counts(const struct learned_trial *trial);

#endif
