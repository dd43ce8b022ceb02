/* What a generator of examples is: a table of options, and a function that makes one example; and what they share. */
#ifndef GANNET_WORKER_DATA_GENERATOR_H
#define GANNET_WORKER_DATA_GENERATOR_H

#include "common/rng.h"
#include "worker/data/dataset.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct generator_option {
    const char *name; /* NULL ends the table */
    double usual, min, max;
    bool whole; /* a whole number */
    const char *help;
};

enum { GENERATOR_MOST_OPTIONS = 8 };

/* The values of one dataset, in the order of the generator's options. */
struct generation {
    const struct generator *generator;
    double values[GENERATOR_MOST_OPTIONS];
};

struct generator {
    const char *name, *summary;
    const struct generator_option *options;

    /* What one example is; rank 1: plain inputs. */
    struct dataset_shape (*shape)(const struct generation *generation);

    /* Makes example n into x[I] with the random numbers of this example alone; its label. */
    int32_t (*example)(const struct generation *generation, size_t n, struct rng *rng, float *x);
};

/* What every generator has; the first rows of its table. */
#define GENERATOR_OPTIONS(examples, classes, most_classes, noise)                                                      \
    {"examples", examples, 4, 1e8, true, "how many are made"},                                                         \
        {"classes", classes, 2, most_classes, true, "different labels"},                                               \
        {"noise", noise, 0, 100, false, "the deviation of what is added to each input"},                               \
    {                                                                                                                  \
        "seed", 0, 0, 9e15, true, "other examples of the same kind"                                                    \
    }

/* The value of an option that the generator has. */
double generation_number(const struct generation *generation, const char *option);
size_t generation_size(const struct generation *generation, const char *option);

/* A product and a sum in one rounding are another number than in two: compilers leave them apart (GCC does with
 * -std=c17).
 */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Uniform in [low, high). */
static inline double generator_between(struct rng *rng, double low, double high)
{
    return low + (high - low) * rng_unit(rng);
}

/* A number of mean 0 and deviation 1: the sum of four uniform ones of 16 bits, whose variance is 4 / 12. */
static inline double generator_noise(struct rng *rng)
{
    uint64_t bits = rng_next(rng);
    uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return ((double)sum - 2 * 65535.0) * (1.7320508075688772 / 65536);
}

/* The sine of 2 pi `turns`, to about 1e-9: a Taylor polynomial, since the mathematical library's differs by machine. */
static inline double generator_sine(double turns)
{
    double r = turns - floor(turns + 0.5);
    r = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
    double x = r * 6.283185307179586, xx = x * x;
    double sum = 1 - xx / 156;
    sum = 1 - xx / 110 * sum;
    sum = 1 - xx / 72 * sum;
    sum = 1 - xx / 42 * sum;
    sum = 1 - xx / 20 * sum;
    return x * (1 - xx / 6 * sum);
}

static inline double generator_cosine(double turns)
{
    return generator_sine(turns + 0.25);
}

extern const struct generator generator_spirals, generator_checkerboard, generator_sequences, generator_shapes;

#endif
