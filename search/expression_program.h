/* What a constraint becomes when it is read (expression.c) and runs when it is evaluated (evaluate.c): steps for a
 * small stack machine. */
#ifndef GANNET_SEARCH_EXPRESSION_PROGRAM_H
#define GANNET_SEARCH_EXPRESSION_PROGRAM_H

#include "search/expression.h"

/* Operands that may wait on the stack at one time; the parser refuses what needs more. */
enum { PROGRAM_STACK = 256 };

enum step_code {
    STEP_PUSH, /* operand */
    STEP_READ, /* param */
    STEP_NOT,
    STEP_NEGATE,
    STEP_CALL_ONE, /* one */
    STEP_CALL_TWO, /* two: arithmetic and functions of two numbers */
    STEP_AND,
    STEP_OR,
    STEP_EQUAL,
    STEP_UNEQUAL,
    STEP_LESS,
    STEP_LESS_EQUAL,
    STEP_GREATER,
    STEP_GREATER_EQUAL
};

struct expression_step {
    enum step_code code;
    union {
        struct operand operand;
        uint32_t param;
        double (*one)(double);
        double (*two)(double, double);
    };
};

struct expression {
    struct expression_step *steps;
    size_t count, capacity;
    char **texts; /* the literals, owned */
    size_t text_count, text_capacity;
    uint32_t *params; /* the parameters read */
    size_t param_count, param_capacity;
};

#endif
