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

void phase_add(struct phase_time *time, double seconds)
{
    struct phase_time one = {seconds, 1, seconds, seconds};
    phase_merge(time, &one);
}

void phase_merge(struct phase_time *sum, const struct phase_time *more)
{
    if (!more->count)
        return;
    if (!sum->count || more->min < sum->min)
        sum->min = more->min;
    if (!sum->count || more->max > sum->max)
        sum->max = more->max;
    sum->seconds += more->seconds;
    sum->count += more->count;
}
