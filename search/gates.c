/* When a parameter is active: its conditions brought down to gates on searched parameters. A gate asks whether one
 * coordinate has one of some natural numbers; an inactive parent has none, so a chain of conditions needs no recursion.
 */
#include "search/tables.h"
#include "common/mem.h"

#include <math.h>

/* The natural numbers that a condition allows; values that the parent can't have are dropped. */
static void init_gate(struct gate *gate, const struct space_entry *parent, const struct condition *condition)
{
    gate->coordinate = parent->coordinate;
    gate->naturals = MEM_ARRAY(double, condition->count);
    for (uint32_t i = 0; i < condition->count; i++)
        if (param_natural(&parent->param, &parent->scale, &condition->values[i], &gate->naturals[gate->count], NULL) ==
            0)
            gate->count++;
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
        entry->never = entry->never || parent->never || entry->own[i].count == 0;
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
    if (isnan(unit))
        return false;
    double natural = scale_natural(&parent->scale, unit);
    for (uint32_t i = 0; i < gate->count; i++)
        if (gate->naturals[i] == natural)
            return true;
    return false;
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
