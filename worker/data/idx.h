/* IDX files, the format of MNIST (LeCun, Cortes, Burges 1998): big-endian, 0 0 TYPE DIMENSIONS, a 32-bit size for each
 * dimension, then the values. Only values of one unsigned byte are read. */
#ifndef GANNET_WORKER_DATA_IDX_H
#define GANNET_WORKER_DATA_IDX_H

#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

struct idx {
    size_t count, size;         /* of the first dimension; the others multiplied */
    const unsigned char *bytes; /* count * size */
    struct buf memory;
};

/* Whether a file begins like an IDX file (or a compressed one, which idx_read refuses in words). */
bool idx_is(const char *path);

/* Reads a whole file. -1 with a sentence. */
int idx_read(struct idx *idx, const char *path, struct err *err);
void idx_fini(struct idx *idx);

#endif
