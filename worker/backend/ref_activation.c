/* Activations and dropout; see backend.h. */
#include "worker/backend/ref.h"

#include "common/clones.h"
#include "worker/backend/random.h"

#include <math.h>

static float sigmoid(float z)
{
    return 1 / (1 + expf(-z));
}

float ref_value(enum activation f, float z)
{
    switch (f) {
    case ACTIVATION_RELU:
        return z > 0 ? z : 0;
    case ACTIVATION_TANH:
        return tanhf(z);
    case ACTIVATION_SIGMOID:
        return sigmoid(z);
    case ACTIVATION_GELU:
        return z / 2 * (1 + erff(z * (float)M_SQRT1_2));
    default:
        return z;
    }
}

static float ref_slope(enum activation f, float kept)
{
    switch (f) {
    case ACTIVATION_RELU:
        return kept > 0 ? 1 : 0;
    case ACTIVATION_TANH:
        return 1 - kept * kept;
    case ACTIVATION_SIGMOID:
        return kept * (1 - kept);
    case ACTIVATION_GELU: /* the normal distribution's F(z) + z F'(z) */
        return (1 + erff(kept * (float)M_SQRT1_2)) / 2 + kept * expf(-kept * kept / 2) * 0.39894228f;
    default:
        return 1;
    }
}

void ref_activate(void *self, enum activation f, const struct tensor *z, const struct tensor *a)
{
    size_t count = tensor_count(z);
    const float *zs = ref_read(self, z);
    float *as = ref_write(self, a);
    for (size_t i = 0; i < count; i++)
        as[i] = ref_value(f, zs[i]);
    ref_done(self);
}

void ref_activate_back(void *self, enum activation f, const struct tensor *kept, const struct tensor *da,
                       const struct tensor *dz)
{
    size_t count = tensor_count(dz);
    const float *ks = ref_read(self, kept), *das = ref_read(self, da);
    float *dzs = ref_write(self, dz);
    for (size_t i = 0; i < count; i++)
        dzs[i] = das[i] * ref_slope(f, ks[i]);
    ref_done(self);
}

/* Dropout goes over blocks of numbers, so that the draws of one stay in the nearest cache between its two loops. */
enum { DROPOUT_BLOCK = 1024 };

/* The draws of so many numbers of a block, and of those that share their bits, from bits `first` of the stream on. */
CLONES static void draw_block(uint64_t stream, size_t first, size_t count, uint16_t *draws)
{
#pragma omp simd
    for (size_t i = 0; i < (count + RANDOM_A_DRAW - 1) / RANDOM_A_DRAW; i++) {
        uint64_t bits = random_bits(stream, first + i);
        draws[4 * i] = (uint16_t)bits;
        draws[4 * i + 1] = (uint16_t)(bits >> 16);
        draws[4 * i + 2] = (uint16_t)(bits >> 32);
        draws[4 * i + 3] = (uint16_t)(bits >> 48);
    }
}

CLONES static void drop_block(size_t count, const uint16_t *draws, uint32_t bound, float kept, const float *xs,
                              float *ys)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        ys[i] = draws[i] < bound ? 0 : xs[i] * kept;
}

void ref_drop(size_t count, float share, uint64_t stream, size_t skip, const float *xs, float *ys)
{
    uint32_t bound = (uint32_t)random_bound(share);
    const float kept = 65536.0f / (65536.0f - (float)bound);
    uint16_t draws[DROPOUT_BLOCK + RANDOM_A_DRAW];
    for (size_t i = 0; i < count; i += DROPOUT_BLOCK) {
        size_t some = count - i < DROPOUT_BLOCK ? count - i : DROPOUT_BLOCK;
        draw_block(stream, i / RANDOM_A_DRAW, skip + some, draws);
        drop_block(some, draws + skip, bound, kept, xs + i, ys + i);
    }
}

void ref_dropout(void *self, float share, uint64_t stream, size_t skip, const struct tensor *x, const struct tensor *y)
{
    const float *xs = ref_read(self, x);
    ref_drop(tensor_count(x), share, stream, skip, xs, ref_write(self, y));
    ref_done(self);
}
