/* Phases by name and their sums; see phases.h. */
#include "common/phases.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
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

_Static_assert(PHASE_SKETCH_PARTS == 16, "the first four bits behind the point");

/* A double above 0 is its exponent, in binary64 1022 more than that of frexp(3), and behind it 52 bits of its part: the
 * exponent and the first four of these are the bucket's number, counted from 0 s on. */
static int bucket_of(double seconds)
{
    enum { LOWER_BITS = 52 - 4, FIRST = (1022 + PHASE_SKETCH_LEAST) * PHASE_SKETCH_PARTS };
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    int bucket = seconds > 0 ? (int)(bits >> LOWER_BITS) - FIRST : 0;
    return bucket < 0 ? 0 : bucket < PHASE_SKETCH_BUCKETS ? bucket : PHASE_SKETCH_BUCKETS - 1;
}

static double middle_of(int bucket)
{
    int octave = bucket / PHASE_SKETCH_PARTS + PHASE_SKETCH_LEAST, part = bucket % PHASE_SKETCH_PARTS;
    return ldexp(.5 + (part + .5) / (2 * PHASE_SKETCH_PARTS), octave);
}

void phase_sketch_add(struct phase_sketch *sketch, double seconds, uint64_t count)
{
    uint32_t *bucket = &sketch->buckets[bucket_of(seconds)];
    uint32_t most = UINT32_MAX - *bucket;
    uint32_t taken = count < most ? (uint32_t)count : most;
    *bucket += taken;
    sketch->count += taken;
}

double phase_sketch_quantile(const struct phase_sketch *sketch, double share)
{
    double rank = share * (double)(sketch->count ? sketch->count - 1 : 0);
    uint64_t below = 0;
    for (int i = 0; i < PHASE_SKETCH_BUCKETS; i++) {
        below += sketch->buckets[i];
        if ((double)below > rank)
            return middle_of(i);
    }
    return 0;
}
