/* IDX files; see idx.h. */
#include "worker/data/idx.h"

#include "common/path.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 4, BYTES = 0x08 }; /* the first four bytes; the type of unsigned bytes */
enum { GZIP_1 = 0x1f, GZIP_2 = 0x8b };

static size_t read_magic(const char *path, unsigned char *magic)
{
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(magic, 1, MAGIC, file) : 0;
    if (file)
        fclose(file);
    return length;
}

bool idx_is(const char *path)
{
    unsigned char magic[MAGIC];
    return read_magic(path, magic) == MAGIC &&
           ((magic[0] == 0 && magic[1] == 0) || (magic[0] == GZIP_1 && magic[1] == GZIP_2));
}

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Reads the sizes; -1 unless exactly so many bytes follow. */
static int read_sizes(struct idx *idx, const unsigned char *at, size_t length)
{
    size_t dimensions = at[3], header = MAGIC + 4 * dimensions;
    if (!dimensions || length < header)
        return -1;
    idx->count = number_at(at + MAGIC);
    idx->size = 1;
    for (size_t i = 1; i < dimensions; i++)
        if (__builtin_mul_overflow(idx->size, (size_t)number_at(at + MAGIC + 4 * i), &idx->size))
            return -1;
    size_t bytes;
    idx->bytes = at + header;
    return __builtin_mul_overflow(idx->count, idx->size, &bytes) || !bytes || bytes != length - header ? -1 : 0;
}

static int read_all(struct idx *idx, const char *path, struct err *err)
{
    if (path_read(path, &idx->memory, SIZE_MAX, err))
        return -1;
    const unsigned char *at = (const unsigned char *)idx->memory.data;
    size_t length = idx->memory.length;
    if (length >= 2 && at[0] == GZIP_1 && at[1] == GZIP_2)
        return err_set(err, "%s: is compressed; unpack it first: gunzip %s", path, path);
    if (length < MAGIC || at[0] || at[1])
        return err_set(err, "%s: is no IDX file; these begin with two zero bytes", path);
    if (at[2] != BYTES)
        return err_set(err, "%s: holds values of type 0x%02x; only unsigned bytes (0x08) are read", path, at[2]);
    if (read_sizes(idx, at, length))
        return err_set(err, "%s: its length does not fit the sizes in its header; is it whole?", path);
    return 0;
}

int idx_read(struct idx *idx, const char *path, struct err *err)
{
    *idx = (struct idx){0};
    int result = read_all(idx, path, err);
    if (result)
        idx_fini(idx);
    return result;
}

void idx_fini(struct idx *idx)
{
    buf_fini(&idx->memory);
    *idx = (struct idx){0};
}
