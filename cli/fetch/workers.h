/* What the files of the section workers have in common: what is kept from one reading to the next. */
#ifndef GANNET_CLI_FETCH_WORKERS_H
#define GANNET_CLI_FETCH_WORKERS_H

#include "cli/fetch/attempts.h"
#include "cli/fetch/places.h"
#include "cli/fetch/sections.h"
#include "common/map.h"

/* What ended last in a slot. */
struct last_run {
    uint64_t told, trial;
    char reason[24];
    double ended;              /* seconds since 1970 */
    double cores, memory, gpu; /* that it used: cores on average, bytes, a share of its GPUs; NaN: not known */
};

/* Attempts that failed on a worker. */
struct worker_trouble {
    uint64_t count, trial; /* trial: of the last one */
    double time;
    char text[200];
};

struct workers_memory {
    struct places places;
    struct attempts attempts;
    struct map last;     /* worker and slot -> struct last_run */
    struct map troubles; /* worker -> struct worker_trouble */
    uint64_t trouble;    /* the last that was read */
};

/* Reads what has changed. -1 with a sentence. */
int workers_update(struct workers_memory *memory, struct source *source, struct err *err);
void workers_memory_free(void *data);

const struct last_run *workers_last(const struct workers_memory *memory, uint64_t worker, uint64_t slot);
const struct worker_trouble *workers_trouble(const struct workers_memory *memory, uint64_t worker);

#endif
