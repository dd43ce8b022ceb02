/* The type of a kernel's option or parameter, as its table writes it: "integer", "path|map", "sgd|adam" (kernel.h); and
 * which names a row is of. */
#ifndef GANNET_COMMON_ROW_TYPE_H
#define GANNET_COMMON_ROW_TYPE_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

struct row_type {
    const char *alternatives; /* several separated by |; words that name no type stand for themselves */
    double min, max;          /* the range of a number, both included; min >= max: not limited */
};

/* Steps through the alternatives: the next one's length, 0 at the end; *at moves behind it. */
size_t row_type_next(const char **at, const char **word);

/* Whether a value is of one of them, and in the range. */
bool row_type_takes(struct row_type type, const json_t *value);

/* Adds "number from 0 to 1", "sgd or adam", ... */
void row_type_describe(struct row_type type, struct buf *out);

/* Whether a row of this name is that of `name`: "x*" is of all names that begin with x. */
bool row_type_covers(const char *row, const char *name);

#endif
