/* The order of ended trials; see standing.h. */
#include "search/history/standing.h"

#include <math.h>
#include <stdlib.h>

/* How far a trial is beyond its limits, in all; a limit that it did not report on is broken beyond measure. */
static double excess_of(const struct record *record, uint32_t limits)
{
    double sum = 0;
    for (uint32_t i = 0; record->excess && i < limits; i++)
        sum += isnan(record->excess[i]) ? INFINITY : fmax(0, record->excess[i]);
    return sum;
}

static struct standing judge(const struct record *record, const struct gannet_problem *problem, uint32_t index)
{
    double excess = excess_of(record, problem->limits);
    struct standing standing = {.index = index, .step = problem->max_steps ? record->step : 0};
    if (record->failed)
        return (struct standing){.index = index, .tier = STANDING_FAILED};
    standing.tier = excess > 0 ? STANDING_BREAKS : STANDING_KEEPS;
    standing.key = excess > 0 ? excess : record->loss;
    return standing;
}

bool standing_equal(const struct standing *a, const struct standing *b)
{
    return a->tier == b->tier && a->step == b->step && a->key == b->key;
}

static int compare(const void *left, const void *right)
{
    const struct standing *a = left, *b = right;
    if (a->tier != b->tier)
        return a->tier < b->tier ? -1 : 1;
    if (a->step != b->step)
        return a->step > b->step ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

void standing_order(const struct history *history, const struct gannet_problem *problem, struct standing *out)
{
    uint32_t count = history_count(history);
    for (uint32_t i = 0; i < count; i++)
        out[i] = judge(history_record(history, i), problem, i);
    qsort(out, count, sizeof *out, compare);
}
