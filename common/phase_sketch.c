/* Quantiles of times; see phase_sketch.h. */
#include "common/phase_sketch.h"

#include <math.h>

static int bucket_of(double seconds)
{
    int octave;
    if (!(seconds > 0))
        return 0;
    if (seconds >= ldexp(1, PHASE_SKETCH_MOST))
        return PHASE_SKETCH_BUCKETS - 1;
    double part = frexp(seconds, &octave); /* in [1/2, 1) */
    if (octave < PHASE_SKETCH_LEAST)
        return 0;
    return (octave - PHASE_SKETCH_LEAST) * PHASE_SKETCH_PARTS + (int)((part - .5) * 2 * PHASE_SKETCH_PARTS);
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
