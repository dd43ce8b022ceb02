/* Random bits by place: number i of a stream is a function of both, so that every backend draws the same whatever the
 * order in which it looks. It is SplitMix64 (Steele, Lea, Flood 2014), as common/rng.h has it: bits i are the (i+1)-th
 * draw of a generator whose state is the stream. */
#ifndef GANNET_WORKER_BACKEND_RANDOM_H
#define GANNET_WORKER_BACKEND_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { RANDOM_A_DRAW = 4 }; /* numbers of 16 bits in one of 64: number n of a stream is lane n % 4 of bits n / 4 */

#define RANDOM_STRIDE 0x9e3779b97f4a7c15u

static inline uint64_t random_bits(uint64_t stream, uint64_t i)
{
    uint64_t z = stream + (i + 1) * RANDOM_STRIDE;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The stream behind the first `count` numbers of this one. */
static inline uint64_t random_after(uint64_t stream, size_t count)
{
    return stream + (count + RANDOM_A_DRAW - 1) / RANDOM_A_DRAW * RANDOM_STRIDE;
}

/* The stream of row `row` of rows of T numbers, each of whole draws; that behind the last of R rows is row R's. */
static inline uint64_t random_row(uint64_t stream, size_t row, size_t T)
{
    return stream + row * ((T + RANDOM_A_DRAW - 1) / RANDOM_A_DRAW) * RANDOM_STRIDE;
}

/* The share as a bound of 16 bits: a number below it is dropped. What is kept is scaled by 65536 / (65536 - bound). */
static inline uint64_t random_bound(float share)
{
    return (uint64_t)lround((double)share * 65536);
}

#endif
