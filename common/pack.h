/* Numbers and arrays one after the other in a file, taken out in the same order. Both ways go piece by piece and hash
 * as they go, so that what is saved never is in memory as a whole. They are read on the kind of machine that wrote
 * them, by the same version of who wrote them. Any bytes may come: what does not fit is torn. */
#ifndef GANNET_COMMON_PACK_H
#define GANNET_COMMON_PACK_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of an array that are in memory beside it: whoever copies from elsewhere (a device) does it in such pieces. */
enum { PACK_PIECE = 1 << 20 };

/* The hash of bytes that come in parts: FNV-1a (common/hash.h) of words of 8 bytes, with a shift that lets their upper
 * bits count, too. 4 GB/s where FNV-1a itself does 0.9, which large models would wait for. {0} is that of none. */
struct pack_hash {
    uint64_t value;
    uint64_t word;   /* bytes that are no whole word yet, */
    unsigned filled; /* so many */
};

void pack_hash_add(struct pack_hash *hash, const void *bytes, size_t length);
uint64_t pack_hash_value(const struct pack_hash *hash);

/* What is written. {.file = ...} is ready for use. */
struct pack_writer {
    FILE *file;
    struct pack_hash hash; /* of all bytes so far */
    uint64_t length;       /* of all bytes so far */
    int error;             /* errno of the first write that failed, behind which nothing is written; 0: none */
};

/* Adds an array of `count` items of `size` bytes, with its length before it; NULL is an empty one. */
void pack_add(struct pack_writer *out, const void *items, size_t count, size_t size);

/* The same in parts: the length, then its bytes by any number of calls. */
void pack_add_length(struct pack_writer *out, size_t length);
void pack_add_bytes(struct pack_writer *out, const void *bytes, size_t length);

/* What is left to be taken out. */
struct pack_reader {
    FILE *file;
    struct pack_hash hash; /* of all bytes so far */
    uint64_t left;         /* bytes */
    int error;             /* errno of a read that failed; 0: none */
    bool torn;             /* something was asked for that is not there */
};

/* Takes an array of exactly this length out, into `items` (NULL: an empty one); else the pack is torn and `items` is as
 * it was, or holds a part. */
void pack_take(struct pack_reader *in, void *items, size_t count, size_t size);

/* The same in parts: false when the next array has not this length or is not there, and the pack is torn. */
bool pack_take_length(struct pack_reader *in, size_t length);
bool pack_take_bytes(struct pack_reader *in, void *bytes, size_t length);

/* All was there and nothing is left; else -1 with a sentence. */
int pack_end(const struct pack_reader *in, struct err *err);

#endif
