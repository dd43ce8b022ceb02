/* A file of data as a row of bytes: plain, compressed by gzip, or an entry of a ZIP archive. Readers ask for what they
 * need next; what is missing is said with the file and the byte. */
#ifndef GANNET_WORKER_DATA_BYTES_H
#define GANNET_WORKER_DATA_BYTES_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BYTES_UNKNOWN UINT64_MAX

struct bytes {
    const char *name; /* for sentences: the file, and the entry of an archive; outlives this */
    uint64_t at;      /* bytes read; of what is compressed: after unpacking */
    uint64_t length;  /* of all, or BYTES_UNKNOWN */
    void *self;
    /* Up to `size` bytes, as many as are there: 0 at the end; -1 with a sentence. */
    long (*pull)(void *self, void *to, size_t size, struct err *err);
    void (*shut)(void *self);
};

/* Opens a regular file, unpacking one that begins as gzip does. -1 with a sentence. */
int bytes_open(struct bytes *bytes, const char *path, struct err *err);
void bytes_close(struct bytes *bytes); /* {0} is fine */

/* Exactly `size` bytes; -1 with a sentence when there are fewer. */
int bytes_read(struct bytes *bytes, void *to, size_t size, struct err *err);

/* That nothing follows. */
int bytes_end(struct bytes *bytes, struct err *err);

/* Whether `more` bytes can follow and `memory` bytes be held: -1 with a sentence, before anything is allocated. `what`
 * says what the bytes are: "60000 x 784 values". */
int bytes_promise(const struct bytes *bytes, uint64_t more, double memory, const char *what, struct err *err);

/* The first bytes of a file, zeros behind its end: what its format is. -1 with a sentence, also of an empty one. */
enum { BYTES_MAGIC = 8 };
int bytes_magic(const char *path, unsigned char magic[BYTES_MAGIC], struct err *err);

/* gzip, where this build has zlib: bytes_gzip.c. */
int bytes_open_gzip(struct bytes *bytes, const char *path, struct err *err);

#endif
