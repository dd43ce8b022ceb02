/* Operations by name; see operations.h. */
#include "common/operations.h"

#include <assert.h>
#include <fnmatch.h>

static const char *const names[] = {
#define OPERATION(slot, name) [OPERATION_##slot] = name,
    OPERATIONS(OPERATION) FURTHER_OPERATIONS(OPERATION)
#undef OPERATION
};

const char *operation_name(enum operation operation)
{
    assert(operation < OPERATIONS_COUNT);
    return names[operation];
}

void operation_time(struct operation_count *count, double seconds)
{
    if (!count->timed || seconds < count->min)
        count->min = seconds;
    if (seconds > count->max)
        count->max = seconds;
    count->seconds += seconds;
    count->timed++;
}

void operation_merge(struct operation_count *sum, const struct operation_count *more)
{
    sum->calls += more->calls;
    sum->flops += more->flops;
    sum->flops_bf16 += more->flops_bf16;
    sum->flops_skipped += more->flops_skipped;
    sum->bytes += more->bytes;
    if (!more->timed)
        return;
    sum->min = sum->timed && sum->min < more->min ? sum->min : more->min;
    sum->max = sum->max > more->max ? sum->max : more->max;
    sum->seconds += more->seconds;
    sum->timed += more->timed;
}

uint64_t operations_like(const char *pattern)
{
    uint64_t found = 0;
    for (int i = 0; i < OPERATIONS_COUNT; i++)
        if (i != OPERATION_step && fnmatch(pattern, names[i], 0) == 0)
            found |= (uint64_t)1 << i;
    return found;
}

struct operation_choice operation_choice_read(const json_t *json)
{
    struct operation_choice choice = {.first = json_integer_value(json_object_get(json, "first")),
                                      .last = json_integer_value(json_object_get(json, "last"))};
    const json_t *pattern;
    size_t index;
    json_array_foreach(json_object_get(json, "operations"), index, pattern)
    {
        if (json_is_string(pattern))
            choice.timed |= operations_like(json_string_value(pattern));
    }
    return choice;
}

uint64_t operation_choice_at(const struct operation_choice *choice, int64_t step)
{
    bool is_in = step >= choice->first && (choice->last <= 0 || step <= choice->last);
    return is_in ? choice->timed : 0;
}
