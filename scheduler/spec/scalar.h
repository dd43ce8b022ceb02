/* What an unquoted YAML scalar is, by the core schema of YAML 1.2: 1e-5 is a number, `no` a text, 010 ten. */
#ifndef GANNET_SCHEDULER_SPEC_SCALAR_H
#define GANNET_SCHEDULER_SPEC_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

enum scalar_kind { SCALAR_NULL, SCALAR_BOOL, SCALAR_INT, SCALAR_REAL, SCALAR_TEXT };

struct scalar {
    enum scalar_kind kind;
    bool huge; /* REAL: written as a whole number, but larger than an int64_t can hold */
    union {
        bool truth;
        int64_t integer;
        double real;
    };
};

struct scalar scalar_resolve(const char *text);

/* yes, no, on, off in any case: switches in YAML 1.1, texts in 1.2. */
bool scalar_was_switch(const char *text);

/* A decimal whole number with a zero in front: octal in YAML 1.1. */
bool scalar_was_octal(const char *text);

#endif
