/* How long one time of a phase took, as a histogram of constant size: what its quantiles are read from.
 *
 * An octave of seconds is divided linearly into PHASE_SKETCH_PARTS buckets, as HdrHistogram does (Tene,
 * hdrhistogram.org), so that the middle of a bucket is within 1 / (2 * 16) of everything in it: 3.2 %. That the
 * relative error of a quantile is bounded by that of a bucket's middle is Masson, Rim and Lee 2019, "DDSketch",
 * proposition 3. */
#ifndef GANNET_COMMON_PHASE_SKETCH_H
#define GANNET_COMMON_PHASE_SKETCH_H

#include <stdint.h>

enum {
    PHASE_SKETCH_PARTS = 16,
    PHASE_SKETCH_LEAST = -27, /* the first octave: from 2^-28 s, 4 ns, which is a look at the clock */
    PHASE_SKETCH_MOST = 17,   /* the last one: to 2^17 s, 36 hours */
    PHASE_SKETCH_BUCKETS = (PHASE_SKETCH_MOST - PHASE_SKETCH_LEAST + 1) * PHASE_SKETCH_PARTS
};

struct phase_sketch {
    uint64_t count;
    uint32_t buckets[PHASE_SKETCH_BUCKETS];
};

/* `count` times that took so long; what lies outside the octaves counts in the nearest bucket. */
void phase_sketch_add(struct phase_sketch *sketch, double seconds, uint64_t count);

/* The time that the share of all does not exceed (0.95: the 95th percentile); 0 of none. */
double phase_sketch_quantile(const struct phase_sketch *sketch, double share);

#endif
