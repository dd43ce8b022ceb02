/* How fast the cores of a slot were clocked during a run, by looks from time to time, and how long they were slowed
 * down for heat. An idle core's clock says nothing of a run, so each look takes that of the fastest. */
#ifndef GANNET_WORKER_PROFILE_FREQUENCY_H
#define GANNET_WORKER_PROFILE_FREQUENCY_H

#include "common/run_counters.h"

#include <stddef.h>
#include <stdint.h>

enum { FREQUENCY_CORES = 16 }; /* of a larger slot so many are looked at */

struct frequency_core {
    uint32_t cpu;                      /* the system's number */
    double hot_before, package_before; /* milliseconds at the first look of the present run */
    double hot, package;               /* at the last */
};

/* {0} knows no core. */
struct frequency_watch {
    struct frequency_core cores[FREQUENCY_CORES];
    uint32_t count;
    double base;     /* MHz; NaN: not known */
    double sum;      /* MHz, of all looks of the present run */
    uint32_t looks;  /* how many these were; 0: none */
    double at, cost; /* when the last was, and how long it took */
};

/* The cores of a slot, by their numbers. Nothing stays open: a worker may have more cores than descriptors. */
void frequency_init(struct frequency_watch *watch, const uint32_t *cpus, size_t count);

void frequency_begin(struct frequency_watch *watch); /* a run begins */

/* Looks, unless the last time is a moment ago: half a percent of one core's time goes to it. `sys` is "/sys" but in
 * tests. */
void frequency_look(struct frequency_watch *watch, const char *sys, double now);

/* Sets what the looks at the present run found. */
void frequency_end(const struct frequency_watch *watch, struct run_counters *out);

/* Calls `why` with a sentence for each that this machine does not tell, as its first core shows. */
void frequency_why(const char *sys, void (*why)(void *context, enum run_counter counter, const char *sentence),
                   void *context);

#endif
