/* Operations of a run as one text in its row; see operations.h. */
#include "scheduler/store/operations.h"

#include "scheduler/store/whole.h"

/* A line of the text: what its numbers stand for. */
enum { AT_OPERATION, AT_CALLS, AT_FLOPS, AT_BYTES, AT_SECONDS, AT_MIN, AT_MAX, AT_TIMED, NUMBERS };

/* How many of the numbers say something. */
static int list_numbers(const struct msg_operation *one, uint64_t numbers[NUMBERS])
{
    numbers[AT_OPERATION] = one->operation;
    numbers[AT_CALLS] = one->calls;
    numbers[AT_FLOPS] = whole_of(one->flops / 1e3);
    numbers[AT_BYTES] = whole_of(one->bytes / 1e3);
    numbers[AT_SECONDS] = whole_of(one->seconds * 1e9);
    numbers[AT_MIN] = whole_of(one->min * 1e9);
    numbers[AT_MAX] = whole_of(one->max * 1e9);
    numbers[AT_TIMED] = one->timed;
    return !one->timed ? AT_SECONDS : one->timed == one->calls ? AT_TIMED : NUMBERS;
}

const char *operations_encode(const struct msg_operation *operations, uint32_t count, char *out)
{
    char *at = out;
    for (uint32_t i = 0; i < count && i < OPERATIONS_COUNT; i++) {
        uint64_t numbers[NUMBERS];
        int used = list_numbers(&operations[i], numbers);
        *at++ = i ? ',' : '[';
        for (int n = 0; n < used; n++) {
            *at++ = n ? ',' : '[';
            at = whole_put(at, numbers[n]);
        }
        *at++ = ']';
    }
    if (at == out)
        return NULL;
    *at++ = ']';
    *at = '\0';
    return out;
}

static void add_count(const uint64_t numbers[NUMBERS], int count, struct operation_count *sum)
{
    bool timed = count > AT_MAX;
    struct operation_count one = {.calls = numbers[AT_CALLS],
                                  .flops = (double)numbers[AT_FLOPS] * 1e3,
                                  .bytes = (double)numbers[AT_BYTES] * 1e3,
                                  .timed = !timed             ? 0
                                           : count > AT_TIMED ? numbers[AT_TIMED]
                                                              : numbers[AT_CALLS],
                                  .seconds = timed ? (double)numbers[AT_SECONDS] / 1e9 : 0,
                                  .min = timed ? (double)numbers[AT_MIN] / 1e9 : 0,
                                  .max = timed ? (double)numbers[AT_MAX] / 1e9 : 0};
    operation_merge(sum, &one);
}

void operations_decode(const char *text, struct operation_count *out)
{
    uint64_t numbers[NUMBERS];
    int count;
    for (const char *at = text; (*at == '[' || *at == ',') && (at = whole_list(at + 1, numbers, NUMBERS, &count));)
        if (count > AT_BYTES && numbers[AT_OPERATION] < OPERATIONS_COUNT)
            add_count(numbers, count, &out[numbers[AT_OPERATION]]);
}
