/* What the node's processors and their memory have used, in joules: the running average power limits (RAPL) that the
 * kernel gives out below /sys/class/powercap. The counters begin anew every few minutes of full load, so whoever wants
 * to know the difference of two readings reads in between. */
#ifndef GANNET_WORKER_PROFILE_ENERGY_H
#define GANNET_WORKER_PROFILE_ENERGY_H

#include "worker/profile/held_file.h"

/* A processor of 500 W counts 262 kJ in nine minutes, and then from 0 again. */
#define ENERGY_OFTEN 60.0 /* seconds between two readings at most */

struct energy_zone;

/* {0} has not looked for zones. */
struct energy_watch {
    struct energy_zone *zones; /* processors, and their memory */
    size_t count;
    bool has_looked;
    double processors, memory; /* joules since the first reading; NaN: they can't be read */
};

/* Reads all zones; `sys` is "/sys" but in tests. */
void energy_read(struct energy_watch *watch, const char *sys);

/* Why `processors`, or with `of_memory` the other, is not known, and what helps. */
void energy_why(const struct energy_watch *watch, const char *sys, bool of_memory, char *out, size_t size);

void energy_close(struct energy_watch *watch);

#endif
