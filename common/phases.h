/* The phases of a trial's time, in the order they are shown. Numbers are on the wire and in stores: rows are only
 * added. Programs may name further ones. */
#ifndef GANNET_COMMON_PHASES_H
#define GANNET_COMMON_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#define PHASES(X)                                                                                                      \
    X(QUEUE, "queue", "from the proposal to the lease: waiting for a slot")                                            \
    X(LAUNCH, "launch", "from the lease to the first work of the trainer: messages, start of the process")             \
    X(DATA, "data", "reading and preparing data")                                                                      \
    X(FORWARD, "forward", "forward passes of training")                                                                \
    X(BACKWARD, "backward", "backward passes")                                                                         \
    X(UPDATE, "update", "optimizer updates")                                                                           \
    X(EVALUATION, "evaluation", "validation")                                                                          \
    X(CHECKPOINT, "checkpoint", "saving and loading checkpoints")                                                      \
    X(WORK, "work", "work that the program did not break down")                                                        \
    X(IDLE, "idle", "the rest of the run: neither work nor launch")                                                    \
    X(ALLREDUCE, "allreduce",                                                                                          \
      "averaging gradients over the ranks of a trial, as far as the backward pass does not hide it")                   \
    X(STAGE, "stage", "opening the data: reading, making and packing it, once for each trainer, within its first run") \
    X(COMPILE, "compile", "making operations ready for shapes that are new to the process")

enum phase {
#define X(id, name, help) PHASE_##id,
    PHASES(X)
#undef X
        PHASES_COUNT
};

enum {
    PHASE_NAME_LONGEST = 40, /* bytes of a name that a program gave */
    PHASES_NAMED_MOST = 16   /* such names of a run */
};

/* How long one time of a phase took, as a histogram of constant size: what its quantiles are read from.
 *
 * An octave of seconds is divided linearly into PHASE_SKETCH_PARTS buckets, as HdrHistogram does (Tene,
 * hdrhistogram.org), so that the middle of a bucket is within 1 / (2 * 16) of everything in it: 3.2 %. That the
 * relative error of a quantile is bounded by that of a bucket's middle is Masson, Rim and Lee 2019, "DDSketch",
 * proposition 3. */
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

/* Time spent in one phase; seconds are zero or more. */
struct phase_time {
    double seconds;              /* in all */
    uint64_t count;              /* how many times; 0: the phase did not occur */
    double min, max;             /* of one time */
    double p50, p95;             /* of one time, to 3.2 %: the median, and what 95 of 100 do not exceed; 0: not known */
    struct phase_sketch *sketch; /* where phase_add counts each time; NULL: nowhere */
};

const char *phase_name(enum phase phase);
const char *phase_help(enum phase phase);

/* The phase of that name, or -1. */
int phase_named(const char *name);

/* Whether a program may call a phase so: letters, digits and _ - . /, PHASE_NAME_LONGEST at most. Stores have such
 * names in texts, unquoted. */
bool phase_is_name(const char *name);

/* Adds one stretch of `seconds`. */
void phase_add(struct phase_time *time, double seconds);

/* Sets p50 and p95 by the sketch, which is used up. */
void phase_close(struct phase_time *time);

/* Adds all of `more` to `sum`. What one time took is known of the whole only when the other was nothing. */
void phase_merge(struct phase_time *sum, const struct phase_time *more);

#endif
