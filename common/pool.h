/* Things of one size that come and go by thousands: what is given back serves the next one, which spares the allocator
 * its walks through memory that is not in any cache. */
#ifndef GANNET_COMMON_POOL_H
#define GANNET_COMMON_POOL_H

#include <stddef.h>

struct pool {
    struct pool_item *spare; /* given back, and not taken again */
    size_t count;            /* of these */
};

/* {0} is an empty pool. A zeroed item of `size` bytes, of which all of a pool have as many; never NULL. */
void *pool_take(struct pool *pool, size_t size);

/* Gives back an item that was taken; NULL is fine. */
void pool_give(struct pool *pool, void *item);

/* Frees what was given back. */
void pool_fini(struct pool *pool);

#endif
