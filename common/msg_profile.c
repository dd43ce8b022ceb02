/* Profiles in messages; see msg_profile.h. */
#include "common/msg_profile.h"

uint32_t msg_phases_make(const struct phase_time *phases, struct msg_phase *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PHASES_COUNT; i++) {
        const struct phase_time *time = &phases[i];
        if (time->count)
            out[count++] =
                (struct msg_phase){i, time->seconds, time->count, time->min, time->max, time->p50, time->p95};
    }
    return count;
}

struct phase_time msg_phase_time(const struct msg_phase *phase)
{
    return (struct phase_time){.seconds = phase->seconds,
                               .count = phase->count,
                               .min = phase->min,
                               .max = phase->max,
                               .p50 = phase->p50,
                               .p95 = phase->p95};
}

struct phase_time msg_named_time(const struct msg_named *named)
{
    return (struct phase_time){.seconds = named->seconds,
                               .count = named->count,
                               .min = named->min,
                               .max = named->max,
                               .p50 = named->p50,
                               .p95 = named->p95};
}

struct msg_named msg_named_make(const char *name, const struct phase_time *time)
{
    return (struct msg_named){name, time->seconds, time->count, time->min, time->max, time->p50, time->p95};
}

uint32_t msg_operations_make(const struct operation_count *counts, struct msg_operation *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPERATIONS_COUNT; i++) {
        const struct operation_count *one = &counts[i];
        if (one->calls)
            out[count++] = (struct msg_operation){i,          one->calls,   one->flops, one->bytes,
                                                  one->timed, one->seconds, one->min,   one->max};
    }
    return count;
}
