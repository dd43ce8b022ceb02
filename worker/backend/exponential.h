/* exp for loops that the compiler puts into vector registers, which a call of the library's would keep it from. */
#ifndef GANNET_WORKER_BACKEND_EXPONENTIAL_H
#define GANNET_WORKER_BACKEND_EXPONENTIAL_H

#include <stdint.h>

/* e^x to two units of the last place, for x from -87 to 88; below it is about 1e-38, NaN remains NaN. With n the whole
 * number next to x / ln 2, e^x = 2^n e^r where |r| <= ln 2 / 2: a polynomial (Cephes 2.2, expf). */
static inline float exponential(float x)
{
    union {
        int32_t bits;
        float number;
    } power;
    x = x < -87 ? -87 : x;
    x = x > 88 ? 88 : x;
    float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f; /* 1.5 x 2^23 has no bits left behind the point */
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;   /* ln 2 in two parts */
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    power.bits = ((int32_t)(n >= -127 ? n : 0) + 127) * (1 << 23); /* NaN is in p already, and no whole number */
    return (p * r * r + r + 1) * power.number;
}

#endif
