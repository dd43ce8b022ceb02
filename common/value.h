/* One value of an experiment: what a parameter can be set to. */
#ifndef GANNET_COMMON_VALUE_H
#define GANNET_COMMON_VALUE_H

#include "common/buf.h"
#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum value_kind {
    VALUE_NONE, /* no value: an inactive parameter */
    VALUE_NULL, /* the value null */
    VALUE_BOOL,
    VALUE_INT,
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_LIST /* a JSON array: [64, 64] */
};

struct value {
    enum value_kind kind;
    union {
        bool truth;
        int64_t integer;
        double real;
        char *text; /* owned; of a list its JSON, in one way of writing */
    };
};

/* {0} is VALUE_NONE. */
void value_fini(struct value *value);

/* A copy that owns its text. */
struct value value_copy(const struct value *value);
struct value value_of_int(int64_t integer);
struct value value_of_real(double real);
struct value value_of_bool(bool truth);
struct value value_of_text(const char *text); /* copies */

/* Same kind and same content; an int and a real are equal when their numbers are, but within lists [1] is not [1.0]. */
bool value_equal(const struct value *a, const struct value *b);

/* Whether it is a number (int or real), and which. */
bool value_number(const struct value *value, double *number);

/* As JSON: 3, 0.001, true, null, "adam", [64, 64]. NaN and infinities as the texts "nan", "inf", "-inf". VALUE_NONE
 * adds null. */
void value_json(const struct value *value, struct buf *out);

/* For people, without quotes: 3, 0.001, true, null, adam. */
void value_show(const struct value *value, struct buf *out);

/* The same as JSON: a new reference. */
json_t *value_to_json(const struct value *value);

/* A JSON scalar, or an array of scalars and arrays, to a value; -1 with a sentence for objects. */
int value_from_json(const json_t *json, struct value *out, struct err *err);

#endif
