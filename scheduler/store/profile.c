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

static char *put_phase(char *at, uint64_t phase, const struct phase_time *time)
{
    bool is_single = time->min == time->seconds && time->max == time->seconds;
    const uint64_t numbers[] = {phase, nanoseconds(time->seconds), time->count, nanoseconds(time->min),
                                nanoseconds(time->max)};
    for (int i = 0; i < (is_single ? 3 : 5); i++) {
        *at++ = i ? ',' : '[';
        at = put_number(at, numbers[i]);
    }
    *at++ = ']';
    return at;
}

const char *profile_encode(const struct phase_time *phases, char *out)
{
    char *at = out;
    for (uint64_t phase = 0; phase < PHASES_COUNT; phase++)
        if (phases[phase].count) {
            *at = at == out ? '[' : ',';
            at++;
            at = put_phase(at, phase, &phases[phase]);
        }
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

void profile_decode(const char *text, struct phase_time *out)
{
    enum { NUMBERS = 5 };
    uint64_t numbers[NUMBERS];
    int count;
    for (const char *at = text; (*at == '[' || *at == ',') && (at = get_numbers(at + 1, numbers, NUMBERS, &count));) {
        if (count < 3 || numbers[0] >= PHASES_COUNT)
            continue;
        double seconds = (double)numbers[1] / 1e9;
        bool is_single = count < NUMBERS;
        out[numbers[0]] = (struct phase_time){.seconds = seconds,
                                              .count = numbers[2],
                                              .min = is_single ? seconds : (double)numbers[3] / 1e9,
                                              .max = is_single ? seconds : (double)numbers[4] / 1e9};
    }
}
