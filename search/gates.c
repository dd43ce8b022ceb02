/* When a parameter is active: its conditions brought down to gates on searched parameters. A gate asks what natural
 * number one coordinate has; an inactive parent has none, so a chain of conditions needs no recursion.
 */
#include "search/tables.h"
#include "common/mem.h"

#include <math.h>

/* The natural numbers that a condition names; values that the parent can't have are dropped. */
static void name_values(struct gate *gate, const struct space_entry *parent, const struct condition *condition)
{
    gate->naturals = MEM_ARRAY(double, condition->count);
    for (uint32_t i = 0; i < condition->count; i++)
        if (param_natural(&parent->param, &parent->scale, &condition->values[i], &gate->naturals[gate->count], NULL) ==
            0)
            gate->count++;
}

/* The values of a choice, or a constant, that are numbers in the range. */
static void name_range(struct gate *gate, const struct param *parent, const struct condition *condition)
{
    double number;
    gate->naturals = MEM_ARRAY(double, parent->count);
    for (uint32_t i = 0; i < parent->count; i++)
        if (value_number(&parent->values[i], &number) && number >= condition->min && number <= condition->max)
            gate->naturals[gate->count++] = i;
}

static void init_gate(struct gate *gate, const struct space_entry *parent, const struct condition *condition)
{
    bool is_listed = parent->param.kind == PARAM_CHOICE || parent->param.kind == PARAM_CONSTANT;
    gate->coordinate = parent->coordinate;
    gate->excluded = condition->excluded;
    gate->min = condition->min;
    gate->max = condition->max;
    if (condition->values)
        name_values(gate, parent, condition);
    else if (is_listed)
        name_range(gate, &parent->param, condition);
}

bool gate_allows(const struct gate *gate, double natural)
{
    if (!gate->naturals)
        return isfinite(natural) && natural >= gate->min && natural <= gate->max;
    bool is_named = false;
    for (uint32_t i = 0; i < gate->count && !is_named; i++)
        is_named = gate->naturals[i] == natural;
    return !isnan(natural) && is_named != gate->excluded;
}

/* Whether no value of the parent opens it. */
static bool is_shut(const struct gate *gate, const struct space_entry *parent)
{
    if (parent->param.kind == PARAM_CONSTANT)
        return !gate_allows(gate, 0);
    return gate->naturals && !gate->excluded && gate->count == 0;
}

/* A gate is added once, though several constants may bring it along. */
static void add_gate(struct space_entry *entry, struct gate *gate, size_t *capacity)
{
    for (uint32_t i = 0; i < entry->gate_count; i++)
        if (entry->gates[i] == gate)
            return;
    MEM_GROW(entry->gates, *capacity, entry->gate_count + 1u);
    entry->gates[entry->gate_count++] = gate;
}

/* Parents come before their children, so a constant parent's gates are complete. */
static void make_gates(struct space *space, struct space_entry *entry)
{
    size_t capacity = 0;
    entry->own = MEM_ARRAY(struct gate, entry->param.condition_count);
    for (uint32_t i = 0; i < entry->param.condition_count; i++) {
        const struct condition *condition = &entry->param.conditions[i];
        const struct space_entry *parent = &space->entries[condition->parent];
        init_gate(&entry->own[i], parent, condition);
        entry->never = entry->never || parent->never || is_shut(&entry->own[i], parent);
        if (parent->param.kind != PARAM_CONSTANT)
            add_gate(entry, &entry->own[i], &capacity);
        for (uint32_t k = 0; parent->param.kind == PARAM_CONSTANT && k < parent->gate_count; k++)
            add_gate(entry, parent->gates[k], &capacity);
    }
}

void space_make_gates(struct space *space)
{
    for (size_t i = 0; i < space->count; i++)
        make_gates(space, &space->entries[space->order[i]]);
}

static bool is_open(const struct gate *gate, const struct space_entry *parent, double unit)
{
    return !isnan(unit) && gate_allows(gate, scale_natural(&parent->scale, unit));
}

bool entry_active(const struct space *space, const struct space_entry *entry, const double *unit)
{
    for (uint32_t i = 0; i < entry->gate_count; i++) {
        const struct gate *gate = entry->gates[i];
        if (!is_open(gate, space_searched(space, gate->coordinate), unit[gate->coordinate]))
            return false;
    }
    return !entry->never;
}
