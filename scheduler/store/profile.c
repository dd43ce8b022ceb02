/* Where the time of a run went, as one text in its row; see profile.h. Nanoseconds are whole numbers: they are printed
 * in a twentieth of the time that doubles take. */
#include "scheduler/store/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

static uint64_t nanoseconds(double seconds)
{
    double nanos = round(seconds * 1e9);
    return !(nanos > 0) ? 0 : nanos < 9e18 ? (uint64_t)nanos : (uint64_t)9e18;
}

/* The numbers of a phase behind its own number or name. */
static char *put_times(char *at, const struct phase_time *time)
{
    bool is_single = time->min == time->seconds && time->max == time->seconds;
    const uint64_t numbers[] = {nanoseconds(time->seconds), time->count, nanoseconds(time->min),
                                nanoseconds(time->max)};
    for (int i = 0; i < (is_single ? 2 : 4); i++) {
        *at++ = ',';
        at = put_number(at, numbers[i]);
    }
    *at++ = ']';
    return at;
}

/* The brackets of a phase; the first one opens the list. */
static char *open_phase(char *at, const char *out)
{
    *at = at == out ? '[' : ',';
    at[1] = '[';
    return at + 2;
}

static char *put_named(char *at, const struct msg_named *named)
{
    struct phase_time time = {named->seconds, named->count, named->min, named->max};
    size_t length = strnlen(named->name, PHASE_NAME_LONGEST);
    *at++ = '"';
    memcpy(at, named->name, length);
    at[length] = '"';
    return put_times(at + length + 1, &time);
}

const char *profile_encode(const struct phase_time *phases, const struct msg_named *named, uint32_t count, char *out)
{
    char *at = out;
    for (uint64_t phase = 0; phase < PHASES_COUNT; phase++)
        if (phases[phase].count)
            at = put_times(put_number(open_phase(at, out), phase), &phases[phase]);
    for (uint32_t i = 0; i < count && i < PHASES_NAMED_MOST; i++)
        at = put_named(open_phase(at, out), &named[i]);
    if (at == out)
        return NULL;
    *at++ = ']';
    *at = '\0';
    return out;
}

/* The numbers in brackets from `at` on; NULL: there are none, or not such. */
static const char *get_numbers(const char *at, uint64_t *numbers, int most, int *count)
{
    for (*count = 0; *count < most && (*at == '[' || *at == ','); ++*count) {
        char *end;
        if (at[1] < '0' || at[1] > '9')
            return NULL;
        errno = 0;
        numbers[*count] = strtoull(at + 1, &end, 10);
        if (errno)
            return NULL;
        at = end;
    }
    return *at == ']' ? at + 1 : NULL;
}

/* The times behind a phase's number or name. */
static struct phase_time times_of(const uint64_t *numbers, int count)
{
    double seconds = (double)numbers[0] / 1e9;
    bool is_single = count < 4;
    return (struct phase_time){.seconds = seconds,
                               .count = numbers[1],
                               .min = is_single ? seconds : (double)numbers[2] / 1e9,
                               .max = is_single ? seconds : (double)numbers[3] / 1e9};
}

void profile_decode(const char *text, struct phase_time *out)
{
    enum { NUMBERS = 5 };
    uint64_t numbers[NUMBERS];
    int count;
    for (const char *at = text; (*at == '[' || *at == ',') && (at = get_numbers(at + 1, numbers, NUMBERS, &count));)
        if (count >= 3 && numbers[0] < PHASES_COUNT)
            out[numbers[0]] = times_of(numbers + 1, count - 1);
}

const char *profile_next_named(const char *at, char *name, struct phase_time *out)
{
    enum { NUMBERS = 4 };
    uint64_t numbers[NUMBERS];
    int count = 0;
    if (!(at = strstr(at, "[\"")))
        return NULL;
    at += 2;
    size_t length = strcspn(at, "\"");
    if (length > PHASE_NAME_LONGEST || !at[length])
        return NULL;
    memcpy(name, at, length);
    name[length] = '\0';
    at = get_numbers(at + length + 1, numbers, NUMBERS, &count);
    if (!at || count < 2 || !phase_is_name(name))
        return NULL;
    *out = times_of(numbers, count);
    return at;
}
