/* Reservoirs; see reservoir.h. */
#include "search/stop/reservoir.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The median of 1,000 numbers drawn from many lies within 3 % of the ranks, at 95 %. */
enum { MOST = 1000 };

void reservoir_fini(struct reservoir *reservoir)
{
    free(reservoir->values);
    *reservoir = (struct reservoir){0};
}

static void insert_value(struct reservoir *reservoir, double value)
{
    MEM_GROW(reservoir->values, reservoir->capacity, reservoir->count + 1);
    size_t at = reservoir->count++;
    for (; at && reservoir->values[at - 1] > value; at--)
        reservoir->values[at] = reservoir->values[at - 1];
    reservoir->values[at] = value;
}

static void take_out(struct reservoir *reservoir, size_t at)
{
    double *values = reservoir->values;
    memmove(values + at, values + at + 1, (--reservoir->count - at) * sizeof *values);
}

void reservoir_add(struct reservoir *reservoir, double value, uint64_t seed)
{
    uint64_t seen = ++reservoir->seen;
    if (reservoir->count == MOST) {
        struct rng rng = rng_make(seed, "reservoir", seen);
        if (rng_below(&rng, seen) >= MOST)
            return;
        take_out(reservoir, rng_below(&rng, MOST));
    }
    insert_value(reservoir, value);
}

double reservoir_median(const struct reservoir *reservoir)
{
    size_t count = reservoir->count;
    if (!count)
        return NAN;
    double low = reservoir->values[(count - 1) / 2], high = reservoir->values[count / 2];
    return low < high ? low + (high - low) / 2 : low;
}
