/* Where the time of a run went, as one text in its row; see profile.h. */
#include "scheduler/store/profile.h"

#include "common/msg_profile.h"
#include "scheduler/store/whole.h"

#include <string.h>

static uint64_t nanoseconds(double seconds)
{
    return whole_of(seconds * 1e9);
}

/* The numbers of a phase behind its own number or name. */
static char *put_times(char *at, const struct phase_time *time)
{
    bool is_single = time->min == time->seconds && time->max == time->seconds;
    bool has_quantiles = time->p50 > 0 && time->p95 > 0;
    const double more[] = {time->min, time->max, time->p50, time->p95};
    *at++ = ',';
    at = whole_put(at, nanoseconds(time->seconds));
    *at++ = ',';
    at = whole_put(at, time->count);
    for (int i = 0; i < (is_single ? 0 : has_quantiles ? 4 : 2); i++) {
        *at++ = ',';
        at = whole_put(at, nanoseconds(more[i]));
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
    struct phase_time time = msg_named_time(named);
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
            at = put_times(whole_put(open_phase(at, out), phase), &phases[phase]);
    for (uint32_t i = 0; i < count && i < PHASES_NAMED_MOST; i++)
        at = put_named(open_phase(at, out), &named[i]);
    if (at == out)
        return NULL;
    *at++ = ']';
    *at = '\0';
    return out;
}

/* The times behind a phase's number or name. */
static struct phase_time times_of(const uint64_t *numbers, int count)
{
    double seconds = (double)numbers[0] / 1e9;
    bool is_single = count < 4;
    return (struct phase_time){.seconds = seconds,
                               .count = numbers[1],
                               .min = is_single ? seconds : (double)numbers[2] / 1e9,
                               .max = is_single ? seconds : (double)numbers[3] / 1e9,
                               .p50 = is_single   ? seconds
                                      : count > 5 ? (double)numbers[4] / 1e9
                                                  : 0,
                               .p95 = is_single   ? seconds
                                      : count > 5 ? (double)numbers[5] / 1e9
                                                  : 0};
}

void profile_decode(const char *text, struct phase_time *out)
{
    enum { NUMBERS = 7 };
    uint64_t numbers[NUMBERS];
    int count;
    for (const char *at = text; (*at == '[' || *at == ',') && (at = whole_list(at + 1, numbers, NUMBERS, &count));)
        if (count >= 3 && numbers[0] < PHASES_COUNT)
            out[numbers[0]] = times_of(numbers + 1, count - 1);
}

const char *profile_next_named(const char *at, char *name, struct phase_time *out)
{
    enum { NUMBERS = 6 };
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
    at = whole_list(at + length + 1, numbers, NUMBERS, &count);
    if (!at || count < 2 || !phase_is_name(name))
        return NULL;
    *out = times_of(numbers, count);
    return at;
}
