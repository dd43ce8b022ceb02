/* Running a constraint: a stack of operands and no memory but it; see expression_program.h. */
#include "search/expression_program.h"

#include <assert.h>
#include <string.h>

struct operand operand_of_value(const struct value *value)
{
    double number;
    if (value_number(value, &number))
        return (struct operand){.kind = OPERAND_NUMBER, .number = number};
    if (value->kind == VALUE_BOOL)
        return (struct operand){.kind = OPERAND_TRUTH, .truth = value->truth};
    if (value->kind == VALUE_TEXT || value->kind == VALUE_LIST)
        return (struct operand){.kind = OPERAND_TEXT, .text = value->text};
    return (struct operand){.kind = OPERAND_NULL};
}

static bool is_equal(const struct operand *a, const struct operand *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case OPERAND_NUMBER:
        return a->number == b->number;
    case OPERAND_TRUTH:
        return a->truth == b->truth;
    case OPERAND_TEXT:
        return strcmp(a->text, b->text) == 0;
    case OPERAND_NULL:
        return true;
    }
    return false;
}

/* Two operands become one. */
static struct operand join_operands(const struct expression_step *step, const struct operand *a,
                                    const struct operand *b)
{
    struct operand truth = {.kind = OPERAND_TRUTH};
    switch (step->code) {
    case STEP_CALL_TWO:
        return (struct operand){.kind = OPERAND_NUMBER, .number = step->two(a->number, b->number)};
    case STEP_AND:
        truth.truth = a->truth && b->truth;
        break;
    case STEP_OR:
        truth.truth = a->truth || b->truth;
        break;
    case STEP_EQUAL:
        truth.truth = is_equal(a, b);
        break;
    case STEP_UNEQUAL:
        truth.truth = !is_equal(a, b);
        break;
    case STEP_LESS:
        truth.truth = a->number < b->number;
        break;
    case STEP_LESS_EQUAL:
        truth.truth = a->number <= b->number;
        break;
    case STEP_GREATER:
        truth.truth = a->number > b->number;
        break;
    case STEP_GREATER_EQUAL:
        truth.truth = a->number >= b->number;
        break;
    default:
        assert(false);
    }
    return truth;
}

bool expression_true(const struct expression *expression, struct operand (*read)(const void *context, uint32_t param),
                     const void *context)
{
    struct operand stack[PROGRAM_STACK], *top = stack; /* top: the first free one */
    for (const struct expression_step *step = expression->steps; step < expression->steps + expression->count; step++) {
        switch (step->code) {
        case STEP_PUSH:
            *top++ = step->operand;
            break;
        case STEP_READ:
            *top++ = read(context, step->param);
            break;
        case STEP_NOT:
            top[-1] = (struct operand){.kind = OPERAND_TRUTH, .truth = !top[-1].truth};
            break;
        case STEP_NEGATE:
            top[-1].number = -top[-1].number;
            break;
        case STEP_CALL_ONE:
            top[-1].number = step->one(top[-1].number);
            break;
        default:
            top--;
            top[-1] = join_operands(step, &top[-1], &top[0]);
        }
    }
    return top == stack + 1 && stack[0].kind == OPERAND_TRUTH && stack[0].truth;
}
