/* Sums by names; see sums.h. */
#include "worker/cupti/sums.h"

#include <string.h>

/* FNV-1a. */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

/* The table is never more than a quarter full, so that a free place is near. */
static struct cupti_sum *find_sum(struct cupti_sums *sums, const char *name)
{
    uint32_t place = hash_of(name) % SUMS_PLACES;
    for (; sums->places[place]; place = (place + 1) % SUMS_PLACES)
        if (strcmp(sums->names[sums->places[place] - 1].name, name) == 0)
            return &sums->names[sums->places[place] - 1];
    if (sums->count == SUMS_NAMES) {
        strcpy(sums->names[SUMS_NAMES].name, SUMS_OTHERS);
        return &sums->names[SUMS_NAMES];
    }
    struct cupti_sum *sum = &sums->names[sums->count++];
    sums->places[place] = (uint16_t)sums->count;
    memcpy(sum->name, name, strnlen(name, SHORT_NAME_LONGEST));
    return sum;
}

/* Whoever reads a sum has 63 bits for it. */
static uint64_t add_bounded(uint64_t sum, uint64_t more)
{
    const uint64_t most = UINT64_C(1) << 60;
    return more < most && sum < most - more ? sum + more : most;
}

void sums_add(struct cupti_sums *sums, const char *name, uint64_t nanoseconds, uint64_t bytes)
{
    struct cupti_sum *sum = find_sum(sums, name);
    if (!sum->calls || nanoseconds < sum->min)
        sum->min = nanoseconds;
    if (nanoseconds > sum->max)
        sum->max = nanoseconds;
    sum->calls++;
    sum->nanoseconds = add_bounded(sum->nanoseconds, nanoseconds);
    sum->bytes = add_bounded(sum->bytes, bytes);
}
