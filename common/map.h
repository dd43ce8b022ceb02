/* A hash map from 64-bit keys to pointers: trial numbers, peers, fingerprints. Open addressing, robust to any keys. */
#ifndef GANNET_COMMON_MAP_H
#define GANNET_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    struct map_entry *entries; /* `capacity` of them; a power of two */
    size_t capacity, count;    /* count: keys in use */
};

struct map_entry {
    uint64_t key;
    void *value; /* NULL: free */
};

/* {0} is an empty map. The map does not own its values. */
void map_fini(struct map *map);

/* The value at key, or NULL. */
void *map_get(const struct map *map, uint64_t key);

/* Sets key to a value that is not NULL; the value that was there before, or NULL. */
void *map_put(struct map *map, uint64_t key, void *value);

/* Takes the key out; its value, or NULL. */
void *map_remove(struct map *map, uint64_t key);

/* Walks all entries in no order: start with *at = 0; false at the end. The map must not change meanwhile. */
bool map_next(const struct map *map, size_t *at, struct map_entry *out);

#endif
