/* Constraints on a space: expressions that must be true wherever all their parameters are active; see space.h. */
#include "search/tables.h"
#include "search/expression.h"
#include "common/mem.h"

#include <assert.h>

int space_constrain(struct space *space, const char *expression, size_t *column, struct err *err)
{
    struct expression *parsed = expression_parse(expression, space, column, err);
    if (!parsed)
        return -1;
    MEM_GROW(space->constraints, space->constraint_capacity, space->constraint_count + 1);
    space->constraints[space->constraint_count++] = (struct constraint){mem_text(expression), parsed};
    return 0;
}

uint32_t space_constraint_count(const struct space *space)
{
    return (uint32_t)space->constraint_count;
}

const char *space_constraint(const struct space *space, uint32_t index)
{
    assert(index < space->constraint_count);
    return space->constraints[index].text;
}

/* A configuration to be judged. */
struct judged_constraint {
    const struct space *space;
    const double *unit;
};

static struct operand read_param(const void *context, uint32_t param)
{
    const struct judged_constraint *judged = context;
    const struct space_entry *entry = &judged->space->entries[param];
    if (entry->param.kind == PARAM_CONSTANT)
        return operand_of_value(&entry->param.values[0]);
    double natural = scale_natural(&entry->scale, judged->unit[entry->coordinate]);
    if (entry->param.kind == PARAM_CHOICE)
        return operand_of_value(&entry->param.values[(uint32_t)natural]);
    return (struct operand){.kind = OPERAND_NUMBER, .number = natural};
}

static bool keeps_constraint(const struct judged_constraint *judged, const struct expression *expression)
{
    const uint32_t *params;
    size_t count = expression_reads(expression, &params);
    for (size_t i = 0; i < count; i++)
        if (!entry_active(judged->space, &judged->space->entries[params[i]], judged->unit))
            return true;
    return expression_true(expression, read_param, judged);
}

int64_t space_violated(const struct space *space, const double *unit)
{
    struct judged_constraint judged = {space, unit};
    for (size_t i = 0; i < space->constraint_count; i++)
        if (!keeps_constraint(&judged, space->constraints[i].expression))
            return (int64_t)i;
    return -1;
}

bool space_allowed(const struct space *space, const double *unit)
{
    return space_violated(space, unit) < 0;
}
