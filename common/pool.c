/* Items that serve again; see pool.h. */
#include "common/pool.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* The address sanitizer sees the use of what was freed, and not of what was given back. */
#ifdef GANNET_SANITIZED
static const size_t most_spare = 0;
#else
static const size_t most_spare = 8192;
#endif

struct pool_item {
    struct pool_item *next;
};

void *pool_take(struct pool *pool, size_t size)
{
    struct pool_item *item = pool->spare;
    if (!item)
        return mem_zero(1, size < sizeof *item ? sizeof *item : size);
    pool->spare = item->next;
    pool->count--;
    return memset(item, 0, size);
}

void pool_give(struct pool *pool, void *item)
{
    if (!item || pool->count >= most_spare) {
        free(item);
        return;
    }
    ((struct pool_item *)item)->next = pool->spare;
    pool->spare = item;
    pool->count++;
}

void pool_fini(struct pool *pool)
{
    for (struct pool_item *item = pool->spare, *next; item; item = next) {
        next = item->next;
        free(item);
    }
    *pool = (struct pool){0};
}
