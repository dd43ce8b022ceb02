/* Phases by name and their sums; see phases.h. */
#include "common/phases.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

static const char *const rows[][2] = {
#define X(id, name, help) {name, help},
    PHASES(X)
#undef X
};

const char *phase_name(enum phase phase)
{
    assert(phase < PHASES_COUNT);
    return rows[phase][0];
}

const char *phase_help(enum phase phase)
{
    assert(phase < PHASES_COUNT);
    return rows[phase][1];
}

int phase_named(const char *name)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        if (strcmp(name, rows[i][0]) == 0)
            return i;
    return -1;
}

bool phase_is_name(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || (name[length] && strchr("_-./", name[length])))
        length++;
    return length && length <= PHASE_NAME_LONGEST && !name[length];
}

/* The sketch has the first time with the second one: most phases of short runs occur once, and it takes no time. */
static void add_to_sketch(struct phase_time *time, double seconds)
{
    if (time->count == 1)
        phase_sketch_add(time->sketch, time->seconds, 1);
    phase_sketch_add(time->sketch, seconds, 1);
}

void phase_add(struct phase_time *time, double seconds)
{
    struct phase_time one = {.seconds = seconds, .count = 1, .min = seconds, .max = seconds};
    if (time->sketch && time->count)
        add_to_sketch(time, seconds);
    phase_merge(time, &one);
}

/* A quantile is never beyond what was seen. */
static double quantile_of(const struct phase_time *time, double share)
{
    double quantile = phase_sketch_quantile(time->sketch, share);
    return quantile < time->min ? time->min : quantile > time->max ? time->max : quantile;
}

void phase_close(struct phase_time *time)
{
    bool knows = time->sketch && time->count && time->sketch->count == time->count;
    bool is_single = time->sketch && time->count == 1;
    time->p50 = knows ? quantile_of(time, .50) : is_single ? time->seconds : 0;
    time->p95 = knows ? quantile_of(time, .95) : time->p50;
    time->sketch = NULL;
}

void phase_merge(struct phase_time *sum, const struct phase_time *more)
{
    if (!more->count)
        return;
    if (!sum->count || more->min < sum->min)
        sum->min = more->min;
    if (!sum->count || more->max > sum->max)
        sum->max = more->max;
    sum->p50 = sum->count ? 0 : more->p50;
    sum->p95 = sum->count ? 0 : more->p95;
    sum->seconds += more->seconds;
    sum->count += more->count;
}
