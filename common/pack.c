/* Numbers and arrays in a file; see pack.h. */
#include "common/pack.h"

#include "common/hash.h"

#include <errno.h>
#include <string.h>

static inline uint64_t hash_word(uint64_t value, uint64_t word)
{
    value = (value ^ HASH_START ^ word) * 0x100000001b3u;
    return value ^ value >> 32;
}

static void hash_byte(struct pack_hash *hash, unsigned char byte)
{
    hash->word |= (uint64_t)byte << 8 * hash->filled;
    if (++hash->filled < sizeof hash->word)
        return;
    hash->value = hash_word(hash->value, hash->word);
    hash->word = 0;
    hash->filled = 0;
}

void pack_hash_add(struct pack_hash *hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (; length && hash->filled; length--)
        hash_byte(hash, *at++);
    for (; length >= sizeof word; length -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash->value = hash_word(hash->value, word);
    }
    for (; length; length--)
        hash_byte(hash, *at++);
}

uint64_t pack_hash_value(const struct pack_hash *hash)
{
    return hash_word(hash_word(hash->value, hash->word), hash->filled);
}

void pack_add_bytes(struct pack_writer *out, const void *bytes, size_t length)
{
    if (out->error || !length)
        return;
    errno = EIO; /* a write that fails without saying why */
    if (fwrite(bytes, 1, length, out->file) != length) {
        out->error = errno;
        return;
    }
    pack_hash_add(&out->hash, bytes, length);
    out->length += length;
}

void pack_add_length(struct pack_writer *out, size_t length)
{
    pack_add_bytes(out, &length, sizeof length);
}

void pack_add(struct pack_writer *out, const void *items, size_t count, size_t size)
{
    size_t length = items ? count * size : 0;
    pack_add_length(out, length);
    pack_add_bytes(out, items, length);
}

bool pack_take_bytes(struct pack_reader *in, void *bytes, size_t length)
{
    in->torn |= length > in->left;
    if (in->torn || !length)
        return !in->torn;
    errno = 0;
    if (fread(bytes, 1, length, in->file) != length) {
        in->error = errno;
        in->torn = true;
        return false;
    }
    pack_hash_add(&in->hash, bytes, length);
    in->left -= length;
    return true;
}

bool pack_take_length(struct pack_reader *in, size_t length)
{
    size_t found;
    if (pack_take_bytes(in, &found, sizeof found))
        in->torn = found != length || length > in->left;
    return !in->torn;
}

void pack_take(struct pack_reader *in, void *items, size_t count, size_t size)
{
    size_t length = items ? count * size : 0;
    if (pack_take_length(in, length))
        pack_take_bytes(in, items, length);
}

int pack_end(const struct pack_reader *in, struct err *err)
{
    if (!in->torn && !in->left)
        return 0;
    return err_set(err, "it was saved by a trial of another shape or optimizer");
}
