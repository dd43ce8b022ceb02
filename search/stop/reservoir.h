/* A bounded sample of numbers in order: all of the first so many, then each later one takes the place of a random one
 * with the probability that keeps the sample fair (Vitter: "Random sampling with a reservoir", 1985, algorithm R). What
 * it holds is a function of the numbers, their order and the seed. */
#ifndef GANNET_SEARCH_STOP_RESERVOIR_H
#define GANNET_SEARCH_STOP_RESERVOIR_H

#include <stddef.h>
#include <stdint.h>

struct reservoir {
    double *values; /* in order */
    size_t count, capacity;
    uint64_t seen; /* numbers added in all */
};

/* {0} is an empty one. */
void reservoir_fini(struct reservoir *reservoir);

/* Adds a number (not NaN). */
void reservoir_add(struct reservoir *reservoir, double value, uint64_t seed);

/* The median; NaN of an empty one. */
double reservoir_median(const struct reservoir *reservoir);

#endif
