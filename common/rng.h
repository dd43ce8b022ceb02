/* Random numbers that are the same on every machine.
 *
 * A generator is made from a seed, a stream's name and a number, so "the draws for trial 131" do not depend on how
 * many draws were made for other trials: parallel searches stay reproducible. The generator is SplitMix64
 * (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014). */
#ifndef GANNET_COMMON_RNG_H
#define GANNET_COMMON_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

/* The generator of (seed, stream, number); stream is a short constant name such as "random" or "dropout". */
struct rng rng_make(uint64_t seed, const char *stream, uint64_t number);

/* The next 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* Uniform in [0, 1), 53 bits. */
double rng_unit(struct rng *rng);

/* Uniform in 0 .. bound-1 without bias (Lemire 2019); bound > 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/* Standard normal (Box-Muller; uses two uniform draws a call, so that streams stay aligned). */
double rng_normal(struct rng *rng);

/* Mixes two numbers into one well-spread 64-bit hash. */
uint64_t rng_mix(uint64_t a, uint64_t b);

#endif
