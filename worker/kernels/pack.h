/* What kernels put into checkpoints: the bytes of numbers and arrays one after the other, taken out in the same order.
 * They are read on the kind of machine that wrote them, by the same version of the kernel. */
#ifndef GANNET_WORKER_KERNELS_PACK_H
#define GANNET_WORKER_KERNELS_PACK_H

#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What is left to be taken out. */
struct pack {
    const char *at;
    size_t left;
    bool torn; /* something was asked for that is not there */
};

/* Adds an array of `count` items of `size` bytes, with its length before it; NULL is an empty one. */
static inline void pack_add(struct buf *out, const void *items, size_t count, size_t size)
{
    size_t length = items ? count * size : 0;
    buf_add(out, &length, sizeof length);
    if (length)
        buf_add(out, items, length);
}

/* Takes an array of exactly this length out, into `items` (NULL: an empty one); else the pack is torn. */
static inline void pack_take(struct pack *pack, void *items, size_t count, size_t size)
{
    size_t length = 0, wanted = items ? count * size : 0;
    if (!pack->torn && pack->left >= sizeof length)
        memcpy(&length, pack->at, sizeof length);
    else
        pack->torn = true;
    if (pack->torn || length != wanted || pack->left - sizeof length < length) {
        pack->torn = true;
        return;
    }
    if (length)
        memcpy(items, pack->at + sizeof length, length);
    pack->at += sizeof length + length;
    pack->left -= sizeof length + length;
}

/* All was there and nothing is left; else -1 with a sentence. */
static inline int pack_end(const struct pack *pack, struct err *err)
{
    if (!pack->torn && !pack->left)
        return 0;
    return err_set(err, "it was saved by a trial of another shape");
}

#endif
