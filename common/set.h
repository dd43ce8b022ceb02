/* A set of 64-bit numbers that are spread well already: fingerprints, hashes. Open addressing, 9 to 19 bytes a number,
 * so that a million of them take at most 19 MB. */
#ifndef GANNET_COMMON_SET_H
#define GANNET_COMMON_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set {
    uint64_t *places;       /* `capacity` of them, a power of two; 0: free */
    size_t capacity, count; /* count: numbers in the set */
    bool has_zero;          /* 0 is in it */
};

/* {0} is an empty set. */
void set_fini(struct set *set);

/* Puts a number in; one that is in already is fine. */
void set_add(struct set *set, uint64_t number);

bool set_has(const struct set *set, uint64_t number);

#endif
