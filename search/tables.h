/* What the files that make up the space share: struct space with the tables that space_finish makes. Only they include
 * this; everybody else sees space.h. */
#ifndef GANNET_SEARCH_TABLES_H
#define GANNET_SEARCH_TABLES_H

#include "search/scale.h"
#include "search/space.h"

struct expression;

/* What a condition on a searched parameter comes down to: the parameter at this coordinate has one of these natural
 * numbers, or none of them, or one in a range. (A condition on a constant comes down to the constant's own gates, or to
 * `never`.) */
struct gate {
    uint32_t coordinate;
    uint32_t count;
    double *naturals; /* NULL: a range */
    bool excluded;
    double min, max;
};

/* A parameter with its tables. */
struct space_entry {
    struct param param;
    struct param_scale scale; /* of searched parameters */
    uint32_t coordinate;      /* of searched parameters: where in a point */
    struct gate *own;         /* from its conditions, condition_count of them; freed with the entry */
    struct gate **gates;      /* all that must be open for it to be active: its own and those of constant parents */
    uint32_t gate_count;
    bool never; /* no configuration makes it active */
    uint64_t name_hash;
    uint64_t *value_hashes; /* of choices */
    char **value_texts;     /* of choices, for strategies */
};

/* An expression that must be true, and the parameters that it reads. */
struct constraint {
    char *text;
    struct expression *expression;
};

/* The host that strategies are handed: its functions, and the space behind them. */
struct space_host {
    struct gannet_host functions; /* first: a strategy's pointer to it is a pointer to the whole */
    const struct space *space;
};

struct space {
    struct space_entry *entries; /* P, as added */
    size_t count, capacity;
    struct constraint *constraints;
    size_t constraint_count, constraint_capacity;
    bool finished;
    uint32_t *order;             /* P indices: parents before children, otherwise as added */
    uint32_t *searched;          /* D indices: the entry of each coordinate */
    uint32_t dimension;          /* D */
    double size;                 /* configurations */
    bool exact;                  /* size is no upper bound */
    struct gannet_param *params; /* D */
    struct gannet_space public;
    struct space_host host;
};

/* The entry of a coordinate. */
static inline const struct space_entry *space_searched(const struct space *space, uint32_t coordinate)
{
    return &space->entries[space->searched[coordinate]];
}

/* param_value.c: the value of a parameter's natural number (free with value_fini), and the natural number of a value,
 * -1 with a sentence when the parameter can't have it. Of constants the natural number is 0. */
struct value param_value(const struct param *param, double natural);
int param_natural(const struct param *param, const struct param_scale *scale, const struct value *value,
                  double *natural, struct err *err);

/* order.c: fills space->order; -1 with a sentence naming the circle. */
int space_sort(struct space *space, uint32_t *culprit, struct err *err);

/* gates.c: fills the gates of all entries, in the order found. */
void space_make_gates(struct space *space);

/* Whether a parent's natural number opens a gate; one that is inactive (NaN) does not. */
bool gate_allows(const struct gate *gate, double natural);

/* Whether a parameter is active, given a point that is canonical in all coordinates before its own. */
bool entry_active(const struct space *space, const struct space_entry *entry, const double *unit);

/* size.c: fills space->size and space->exact. */
void space_measure(struct space *space);

/* fingerprint.c: fills the hashes of an entry; the hash of a value (equal values, equal hashes). */
void fingerprint_prepare(struct space_entry *entry);
uint64_t fingerprint_value(const struct value *value);

/* host.c: fills what strategies see. */
void space_describe(struct space *space);

#endif
