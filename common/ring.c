/* A growing queue; see ring.h. */
#include "common/ring.h"
#include "common/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void ring_init(struct ring *ring, size_t size)
{
    *ring = (struct ring){.size = size};
}

void ring_fini(struct ring *ring)
{
    free(ring->items);
    *ring = (struct ring){0};
}

/* Doubles the capacity, which is a power of two; the part that had wrapped around to the front moves behind the rest.
 */
static void grow_ring(struct ring *ring)
{
    size_t old = ring->capacity;
    ring->capacity = old ? old * 2 : 16;
    ring->items = mem_resize(ring->items, ring->capacity, ring->size);
    size_t wrapped = ring->head + ring->count > old ? ring->head + ring->count - old : 0;
    memcpy(ring->items + old * ring->size, ring->items, wrapped * ring->size);
}

void *ring_push(struct ring *ring)
{
    if (ring->count == ring->capacity)
        grow_ring(ring);
    size_t at = (ring->head + ring->count++) & (ring->capacity - 1);
    return memset(ring->items + at * ring->size, 0, ring->size);
}

void *ring_front(const struct ring *ring)
{
    return ring->count ? ring->items + ring->head * ring->size : NULL;
}

void ring_pop(struct ring *ring)
{
    assert(ring->count);
    ring->head = (ring->head + 1) & (ring->capacity - 1);
    ring->count--;
}
