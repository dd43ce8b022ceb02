/* The one hash of bytes: FNV-1a, 64 bits (Fowler, Noll, Vo). Not for secrets. */
#ifndef GANNET_COMMON_HASH_H
#define GANNET_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

/* Continues `hash` (HASH_START at first) over `length` bytes. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = HASH_START;
    for (; *text; text++)
        hash = hash_bytes(hash, text, 1);
    return hash;
}

#endif
