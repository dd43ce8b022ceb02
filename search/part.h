/* A piece of a constraint as far as it was read: what it may be, checked against what an operator needs. */
#ifndef GANNET_SEARCH_PART_H
#define GANNET_SEARCH_PART_H

#include "search/expression.h"

struct expression_part {
    unsigned kinds;            /* of operand_kind: all that it may be */
    size_t column;             /* where it begins */
    const struct param *param; /* the parameter it is, or NULL */
    bool is_literal;           /* it is `literal`, as written */
    struct operand literal;
};

/* All kinds that a parameter's values have. */
unsigned part_kinds(const struct param *param);

/* "a number", "true or false", ... for a sentence. */
const char *part_kind_words(unsigned kinds);

/* Whether the part is always of one kind, as `by` (an operator or a function) needs it; whether two parts can ever be
 * equal, so that comparing them makes sense. -1 with a sentence; *column is where. */
int part_need(const struct expression_part *part, unsigned kind, const char *by, size_t *column, struct err *err);
int part_check_equal(const struct expression_part *left, const struct expression_part *right, size_t *column,
                     struct err *err);

#endif
