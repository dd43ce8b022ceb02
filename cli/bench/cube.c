/* Arranging rows; see cube.h. */
#include "cli/bench/cube.h"
#include "common/mem.h"

#include <stdlib.h>

/* The index of a text in a list, added when it is new. Texts of rows are the same pointer when they are the same. */
static size_t place_text(const char ***list, size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == text)
            return i;
    *list = mem_resize(*list, *count + 1, sizeof **list);
    (*list)[*count] = text;
    return (*count)++;
}

/* Adds a number to an ascending list that it is not in. */
static void add_number(uint64_t **list, size_t *count, uint64_t number)
{
    size_t at = 0;
    while (at < *count && (*list)[at] < number)
        at++;
    if (at < *count && (*list)[at] == number)
        return;
    *list = mem_resize(*list, *count + 1, sizeof **list);
    for (size_t i = (*count)++; i > at; i--)
        (*list)[i] = (*list)[i - 1];
    (*list)[at] = number;
}

static size_t place_number(const uint64_t *list, uint64_t number)
{
    size_t at = 0;
    while (list[at] != number)
        at++;
    return at;
}

void cube_init(struct cube *cube, const struct rows *rows)
{
    *cube = (struct cube){0};
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        place_text(&cube->tables, &cube->T, row->table);
        place_text(&cube->strategies, &cube->S, row->strategy);
        add_number(&cube->workers, &cube->W, row->workers);
        add_number(&cube->trials, &cube->N, row->trials);
        add_number(&cube->seeds, &cube->R, row->seed);
    }
    cube->cells = MEM_ARRAY(const struct row *, cube->T * cube->S * cube->W * cube->N * cube->R + 1);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        size_t at = place_text(&cube->tables, &cube->T, row->table);
        at = at * cube->S + place_text(&cube->strategies, &cube->S, row->strategy);
        at = at * cube->W + place_number(cube->workers, row->workers);
        at = at * cube->N + place_number(cube->trials, row->trials);
        cube->cells[at * cube->R + place_number(cube->seeds, row->seed)] = row;
    }
}

void cube_fini(struct cube *cube)
{
    free(cube->tables);
    free(cube->strategies);
    free(cube->workers);
    free(cube->trials);
    free(cube->seeds);
    free(cube->cells);
    *cube = (struct cube){0};
}
