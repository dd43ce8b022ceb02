/* The limits of a process that computes for long: those that were kept, or measured here as soon as that costs less
 * than 1 % of what it has worked. One process of a user's measures at a time; the others look again later. */
#ifndef GANNET_WORKER_LIMITS_LIMITS_WATCH_H
#define GANNET_WORKER_LIMITS_LIMITS_WATCH_H

#include "worker/limits/limits.h"

#include <stdint.h>

struct limits_watch {
    struct limits limits;
    double worked; /* processor seconds since it was last looked whether limits are known */
    bool known, given_up;
};

/* What is kept of so many threads. */
void limits_watch_open(struct limits_watch *watch, int threads);

/* It has worked so long. Whether measuring is due. */
bool limits_watch_worked(struct limits_watch *watch, double seconds);

/* Measures what is due, unless it is kept by now. `room` is how many bytes more this process may have: without so much
 * nothing is measured. Whether it did. */
bool limits_watch_measure(struct limits_watch *watch, uint64_t room);

/* A run of products in F32 did so many floating-point operations in a second of processor time, by all threads: a limit
 * that it beats was measured too low, is raised and kept. Whether it was. */
bool limits_watch_beaten(struct limits_watch *watch, double flops);

#endif
