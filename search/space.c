/* The space: building it, and what is in it; see space.h. Points are in point.c. */
#include "search/tables.h"
#include "search/expression.h"
#include "common/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct space *space_create(void)
{
    return MEM_NEW(struct space);
}

static void entry_fini(struct space_entry *entry)
{
    for (uint32_t i = 0; entry->own && i < entry->param.condition_count; i++)
        free(entry->own[i].naturals);
    free(entry->own);
    free(entry->gates);
    for (uint32_t i = 0; entry->value_texts && i < entry->param.count; i++)
        free(entry->value_texts[i]);
    free(entry->value_texts);
    free(entry->value_hashes);
    scale_fini(&entry->scale);
    param_fini(&entry->param);
}

void space_destroy(struct space *space)
{
    if (!space)
        return;
    for (size_t i = 0; i < space->count; i++)
        entry_fini(&space->entries[i]);
    for (size_t i = 0; i < space->constraint_count; i++) {
        expression_destroy(space->constraints[i].expression);
        free(space->constraints[i].text);
    }
    free(space->constraints);
    free(space->entries);
    free(space->order);
    free(space->searched);
    free(space->params);
    free(space);
}

void space_add(struct space *space, struct param *param)
{
    assert(!space->finished && space->constraint_count == 0);
    MEM_GROW(space->entries, space->capacity, space->count + 1);
    space->entries[space->count++] = (struct space_entry){.param = *param};
    *param = (struct param){0};
}

static int check_params(const struct space *space, uint32_t *culprit, struct err *err)
{
    *culprit = 0;
    if (space->count > SPACE_MOST_PARAMS)
        return err_set(err, "there are %zu parameters; a space can have %d", space->count, SPACE_MOST_PARAMS);
    for (; *culprit < space->count; ++*culprit) {
        const struct param *param = &space->entries[*culprit].param;
        if (param_check(param, err))
            return -1;
        if (space_find(space, param->name) != *culprit)
            return err_set(err, "the parameter '%s' is there twice", param->name);
        for (uint32_t i = 0; i < param->condition_count; i++)
            if (param->conditions[i].parent >= space->count)
                return err_set(err, "'%s' has a condition on a parameter that does not exist", param->name);
    }
    return 0;
}

/* Searched parameters get their coordinates in the order found. */
static void place_coordinates(struct space *space)
{
    space->searched = MEM_ARRAY(uint32_t, space->count);
    for (size_t i = 0; i < space->count; i++) {
        struct space_entry *entry = &space->entries[space->order[i]];
        if (entry->param.kind == PARAM_CONSTANT)
            continue;
        entry->coordinate = space->dimension;
        space->searched[space->dimension++] = space->order[i];
        scale_init(&entry->scale, &entry->param);
        fingerprint_prepare(entry);
    }
}

int space_finish(struct space *space, uint32_t *culprit, struct err *err)
{
    assert(!space->finished);
    space->finished = true;
    space->order = MEM_ARRAY(uint32_t, space->count);
    if (check_params(space, culprit, err) || space_sort(space, culprit, err))
        return -1;
    place_coordinates(space);
    space_make_gates(space);
    space_measure(space);
    space_describe(space);
    return 0;
}

uint32_t space_count(const struct space *space)
{
    return (uint32_t)space->count;
}

const struct param *space_param(const struct space *space, uint32_t index)
{
    assert(index < space->count);
    return &space->entries[index].param;
}

int64_t space_find(const struct space *space, const char *name)
{
    for (size_t i = 0; i < space->count; i++)
        if (strcmp(space->entries[i].param.name, name) == 0)
            return (int64_t)i;
    return -1;
}

uint32_t space_dimension(const struct space *space)
{
    return space->dimension;
}

double space_size(const struct space *space, bool *exact)
{
    if (exact)
        *exact = space->exact;
    return space->size;
}
