/* The different values of a table's column, numbered: numbers are one value however they are written (1e-05, 0.00001),
 * everything else is a text. */
#ifndef GANNET_WORKER_DATA_LEVELS_H
#define GANNET_WORKER_DATA_LEVELS_H

#include "common/arena.h"
#include "common/map.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct levels {
    struct arena memory;    /* the spellings and their texts */
    struct map spellings;   /* from the hash of a text to its struct spelling */
    struct map by_number;   /* from the bits of a number to the first spelling of it */
    double *numbers;        /* by code; NaN: a text */
    size_t count, capacity; /* codes in use */
};

/* {0} has no values. */
void levels_fini(struct levels *levels);

/* The code of a cell, from 0; a new one when it was not there yet. */
uint32_t levels_add(struct levels *levels, const char *cell);

/* The code of a parameter's value: a number within 1e-9 of it, the same text, true, false; NULL and null are found as
 * an empty cell or one that says null or None. false: none. */
bool levels_find(const struct levels *levels, const json_t *value, uint32_t *code);

#endif
