/* Constraints as people write them:
 *
 *     width * layers <= 4096
 *     optimizer != 'sgd' or momentum >= 0.5
 *     not nesterov && log10(lr) < -2
 *
 * Numbers, 'texts' and "texts", true, false, null, the names of parameters; from loose to tight: or ||, and &&, not !,
 * < <= > >= == !=, + -, * / %, - + in front, ^ ** (to the right); brackets; min max abs log log2 log10 exp sqrt floor
 * ceil round. Kinds are checked when the text is read: what is read without an error can be evaluated on any
 * configuration, in bounded memory. What makes no number (log of -1) compares as false. */
#ifndef GANNET_SEARCH_EXPRESSION_H
#define GANNET_SEARCH_EXPRESSION_H

#include "search/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an operand is; of a parameter the union of what its values are. */
enum operand_kind { OPERAND_NUMBER = 1, OPERAND_TRUTH = 2, OPERAND_TEXT = 4, OPERAND_NULL = 8 };

struct operand {
    enum operand_kind kind;
    union {
        double number;
        bool truth;
        const char *text; /* not owned */
    };
};

/* The operand that a value is. */
struct operand operand_of_value(const struct value *value);

struct expression;

/* Reads a text that must come out true or false, over the parameters that the space has by now. NULL with a sentence;
 * *column (from 0) is where. The space is not needed afterwards. */
struct expression *expression_parse(const char *text, const struct space *space, size_t *column, struct err *err);

/* The same of an expression that is no constraint: how its operands, and it, are called in sentences about mistakes. */
struct expression_words {
    const char *operand; /* "parameter" */
    const char *whole;   /* "a constraint must be true or false, like width <= 512" */
};
struct expression *expression_parse_as(const char *text, const struct space *space,
                                       const struct expression_words *words, size_t *column, struct err *err);
void expression_destroy(struct expression *expression); /* NULL is fine */

/* The indices of the parameters it reads, some of them perhaps more than once; how many there are. */
size_t expression_reads(const struct expression *expression, const uint32_t **params);

/* Whether it is true; `read` gives the value of a parameter, of a kind that it had when the text was read, or, of an
 * optional one, null where it has none: with a number that is NaN, false, or no text, which is then less than nothing,
 * not true, and equal to null alone. */
bool expression_true(const struct expression *expression, struct operand (*read)(const void *context, uint32_t param),
                     const void *context);

#endif
