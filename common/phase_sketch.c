/* Quantiles of times; see phase_sketch.h. */
#include "common/phase_sketch.h"

#include <math.h>
#include <string.h>

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
