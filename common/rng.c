/* Seeded random streams; see rng.h. */
#include "common/rng.h"
#include "common/hash.h"

#include <assert.h>
#include <math.h>

static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t rng_mix(uint64_t a, uint64_t b)
{
    return scramble(scramble(a + 0x9e3779b97f4a7c15u) ^ (b * 0xd6e8feb86659fd93u + 0xa0761d6478bd642fu));
}

struct rng rng_make(uint64_t seed, const char *stream, uint64_t number)
{
    return (struct rng){rng_mix(rng_mix(seed, hash_text(stream)), number)};
}

uint64_t rng_next(struct rng *rng)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return scramble(rng->state);
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    assert(bound > 0);
    unsigned __int128 product = (unsigned __int128)rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = -bound % bound;
        while ((uint64_t)product < threshold)
            product = (unsigned __int128)rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

double rng_normal(struct rng *rng)
{
    double u = 1.0 - rng_unit(rng); /* (0, 1]: the logarithm is finite */
    double v = rng_unit(rng);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}
