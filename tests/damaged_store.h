/* Stores with values that no row should have: a rich one is made once, and an input says what becomes of it. For
 * fuzzers: what goes wrong on the way aborts. */
#ifndef GANNET_TESTS_DAMAGED_STORE_H
#define GANNET_TESTS_DAMAGED_STORE_H

#include "common/buf.h"

#include <stdint.h>

/* It has the first events of this made-up history (tests/random_history.h). */
enum { DAMAGED_STORE_SEED = 9, DAMAGED_STORE_EVENTS = 80 };

struct damaged_store {
    char *path;
    struct buf whole; /* the store as it was made */
};

void damaged_store_init(struct damaged_store *self, const char *path);
void damaged_store_fini(struct damaged_store *self);

/* Writes the store with the damage that the bytes say: when the first one is even, which columns of which rows become
 * what, three bytes each; else which bytes of the file, four each. None: it is whole. */
void damaged_store_write(const struct damaged_store *self, const uint8_t *data, size_t size);

#endif
