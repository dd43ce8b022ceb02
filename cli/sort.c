/* Sorting trials; see sort.h. */
#include "cli/sort.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* What a trial is compared by. */
struct key {
    json_t *trial;
    const json_t *value;
    int rank; /* 0: a number, 1: a text, 2: anything else */
    json_int_t number;
    int sign; /* -1: the other way round */
};

static int compare(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    double x = json_number_value(a->value), y = json_number_value(b->value);
    int order = 0;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->rank == 0)
        order = (x > y) - (x < y);
    else if (a->rank == 1)
        order = strcmp(json_string_value(a->value), json_string_value(b->value));
    return order ? order * a->sign : (a->number > b->number) - (a->number < b->number);
}

json_t *sort_trials(const json_t *trials, const struct column *column, bool reverse, uint64_t limit)
{
    size_t count = json_array_size(trials);
    struct key *keys = MEM_ARRAY(struct key, count + 1);
    for (size_t i = 0; i < count; i++) {
        json_t *trial = json_array_get(trials, i);
        const json_t *value = column_get(column, trial);
        keys[i] = (struct key){.trial = trial,
                               .value = value,
                               .rank = json_is_number(value)   ? 0
                                       : json_is_string(value) ? 1
                                                               : 2,
                               .number = json_integer_value(json_object_get(trial, "trial")),
                               .sign = reverse ? -1 : 1};
    }
    qsort(keys, count, sizeof *keys, compare);
    json_t *out = json_array();
    for (size_t i = 0; i < count && (!limit || i < limit); i++)
        json_array_append(out, keys[i].trial);
    free(keys);
    return out;
}
