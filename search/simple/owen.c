/* Nested uniform scrambling; see owen.h. */
#include "search/simple/owen.h"

static uint32_t reversed(uint32_t x)
{
    x = (x >> 16) | (x << 16);
    x = (x & 0xff00ff00u) >> 8 | (x & 0x00ff00ffu) << 8;
    x = (x & 0xf0f0f0f0u) >> 4 | (x & 0x0f0f0f0fu) << 4;
    x = (x & 0xccccccccu) >> 2 | (x & 0x33333333u) << 2;
    return (x & 0xaaaaaaaau) >> 1 | (x & 0x55555555u) << 1;
}

/* Sums carry upwards and products with even numbers shift upwards, so each digit depends only on those below it. */
static uint32_t mixed_upwards(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

uint32_t owen_scramble(uint32_t x, uint32_t seed)
{
    return reversed(mixed_upwards(reversed(x), seed));
}
