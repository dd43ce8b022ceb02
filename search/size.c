/* How many configurations there are. Parameters that no chain of conditions connects multiply; within a connected group
 * we walk over what its parents can be - each value that a condition names, and "any other" as one case that counts for
 * many - and multiply the levels of whatever is active in each case. */
#include "search/tables.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* Steps of the walk in one group after which an upper bound must do: a few milliseconds. */
enum { MOST_STEPS = 200000 };

/* Levels of a parent that a range may name before an upper bound must do. */
enum { MOST_NAMED = 1024 };

/* A value of a parent that no condition names. */
#define ANY_OTHER INFINITY

struct size_count {
    const struct space *space;
    uint32_t *group; /* D: a coordinate's group, named by its first coordinate */
    double **named;  /* D: the natural numbers that gates name, each once; NULL: no parent */
    uint32_t *named_count;
    bool *wide;     /* D: a range names too many of its numbers */
    double *chosen; /* D: the case being looked at: a natural number, ANY_OTHER, or NaN: inactive */
    uint32_t steps; /* of the walk in this group */
};

/* --- what gates say --- */

static bool has_number(const double *numbers, uint32_t count, double number)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static void name_value(struct size_count *count, uint32_t parent, double natural)
{
    if (has_number(count->named[parent], count->named_count[parent], natural))
        return;
    count->named[parent] = mem_resize(count->named[parent], count->named_count[parent] + 1, sizeof(double));
    count->named[parent][count->named_count[parent]++] = natural;
}

static void name_values(struct size_count *count, const struct gate *gate)
{
    const struct param_scale *scale = &space_searched(count->space, gate->coordinate)->scale;
    for (uint32_t i = 0; gate->naturals && i < gate->count; i++)
        name_value(count, gate->coordinate, gate->naturals[i]);
    count->wide[gate->coordinate] |= !gate->naturals && scale->levels > MOST_NAMED;
    for (uint64_t level = 0; !gate->naturals && level < scale->levels && level <= MOST_NAMED; level++)
        if (gate_allows(gate, scale_at(scale, level)))
            name_value(count, gate->coordinate, scale_at(scale, level));
}

static void join_counts(struct size_count *count, uint32_t a, uint32_t b)
{
    uint32_t from = count->group[a] > count->group[b] ? count->group[a] : count->group[b];
    uint32_t to = count->group[a] < count->group[b] ? count->group[a] : count->group[b];
    for (uint32_t c = 0; from != to && c < count->space->dimension; c++)
        if (count->group[c] == from)
            count->group[c] = to;
}

static void read_gates(struct size_count *count)
{
    for (uint32_t c = 0; c < count->space->dimension; c++)
        count->group[c] = c;
    for (uint32_t c = 0; c < count->space->dimension; c++) {
        const struct space_entry *entry = space_searched(count->space, c);
        for (uint32_t i = 0; i < entry->gate_count && !entry->never; i++) {
            name_values(count, entry->gates[i]);
            join_counts(count, c, entry->gates[i]->coordinate);
        }
    }
}

/* --- the walk --- */

static bool is_active(const struct size_count *count, const struct space_entry *entry)
{
    for (uint32_t i = 0; i < entry->gate_count; i++)
        if (!gate_allows(entry->gates[i], count->chosen[entry->gates[i]->coordinate]))
            return false;
    return !entry->never;
}

static double walk_params(struct size_count *count, uint32_t group, uint32_t from);

/* All cases of a parent that is active. */
static double walk_cases(struct size_count *count, uint32_t group, uint32_t c)
{
    double levels = (double)space_searched(count->space, c)->scale.levels;
    double sum = 0, others = levels - count->named_count[c];
    for (uint32_t i = 0; i < count->named_count[c]; i++) {
        count->chosen[c] = count->named[c][i];
        sum += walk_params(count, group, c + 1);
    }
    count->chosen[c] = ANY_OTHER;
    return others > 0 ? sum + others * walk_params(count, group, c + 1) : sum;
}

/* The configurations of the group's coordinates from `from` on, given what was chosen before. */
static double walk_params(struct size_count *count, uint32_t group, uint32_t from)
{
    double factor = 1;
    for (uint32_t c = from; c < count->space->dimension; c++) {
        const struct space_entry *entry = space_searched(count->space, c);
        if (count->group[c] != group)
            continue;
        if (++count->steps > MOST_STEPS)
            return factor;
        count->chosen[c] = NAN;
        if (!is_active(count, entry))
            continue;
        if (count->named[c])
            return factor * walk_cases(count, group, c);
        factor *= (double)entry->scale.levels;
    }
    return factor;
}

/* As if no condition were there. */
static double group_bound(const struct size_count *count, uint32_t group)
{
    double product = 1;
    for (uint32_t c = group; c < count->space->dimension; c++)
        if (count->group[c] == group && !space_searched(count->space, c)->never)
            product *= (double)space_searched(count->space, c)->scale.levels;
    return product;
}

static bool is_wide(const struct size_count *count, uint32_t group)
{
    for (uint32_t c = group; c < count->space->dimension; c++)
        if (count->group[c] == group && count->wide[c])
            return true;
    return false;
}

static void multiply_groups(struct space *space, struct size_count *count)
{
    for (uint32_t c = 0; c < space->dimension; c++) {
        if (count->group[c] != c)
            continue;
        count->steps = is_wide(count, c) ? MOST_STEPS + 1 : 0;
        double number = walk_params(count, c, c);
        bool gave_up = count->steps > MOST_STEPS;
        space->size *= gave_up ? group_bound(count, c) : number;
        space->exact = space->exact && !gave_up;
    }
}

void space_measure(struct space *space)
{
    space->size = 1;
    space->exact = true;
    uint32_t dimension = space->dimension;
    for (uint32_t c = 0; c < dimension; c++)
        if (!space_searched(space, c)->scale.levels && !space_searched(space, c)->never)
            space->size = INFINITY;
    if (isinf(space->size))
        return;
    struct size_count count = {.space = space,
                               .group = MEM_ARRAY(uint32_t, dimension),
                               .named = MEM_ARRAY(double *, dimension),
                               .named_count = MEM_ARRAY(uint32_t, dimension),
                               .wide = MEM_ARRAY(bool, dimension),
                               .chosen = MEM_ARRAY(double, dimension)};
    read_gates(&count);
    multiply_groups(space, &count);
    for (uint32_t c = 0; c < dimension; c++)
        free(count.named[c]);
    free(count.named);
    free(count.named_count);
    free(count.group);
    free(count.wide);
    free(count.chosen);
}
