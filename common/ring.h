/* A queue of items of one size, first in, first out, that grows. */
#ifndef GANNET_COMMON_RING_H
#define GANNET_COMMON_RING_H

#include <stddef.h>

struct ring {
    char *items; /* `capacity` of them */
    size_t size; /* of one item */
    size_t capacity, head, count;
};

/* For items of `size` bytes. */
void ring_init(struct ring *ring, size_t size);
void ring_fini(struct ring *ring);

/* A new zeroed item at the end; valid until the next push. */
void *ring_push(struct ring *ring);

/* The first item, or NULL; valid until the next push or pop. */
void *ring_front(const struct ring *ring);

/* Drops the first item; there must be one. */
void ring_pop(struct ring *ring);

#endif
