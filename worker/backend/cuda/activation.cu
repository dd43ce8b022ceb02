/* Activations, what follows products, and dropout; see backend.h. */
#include "worker/backend/cuda/device.cuh"

#include <math.h>

static __global__ void activate(size_t count, enum activation f, struct numbers z, struct numbers a)
{
    size_t i = this_thread();
    if (i < count)
        set(a, i, device_value(f, get(z, i)));
}

void cuda_activate(void *self, enum activation f, const struct tensor *z, const struct tensor *a)
{
    CUDA_EACH(cuda_of(self), activate, tensor_count(z), f, numbers_of(z), numbers_of(a));
}

static __global__ void activate_back(size_t count, enum activation f, struct numbers kept, struct numbers da,
                                     struct numbers dz)
{
    size_t i = this_thread();
    if (i < count)
        set(dz, i, get(da, i) * device_slope(f, get(kept, i)));
}

void cuda_activate_back(void *self, enum activation f, const struct tensor *kept, const struct tensor *da,
                        const struct tensor *dz)
{
    CUDA_EACH(cuda_of(self), activate_back, tensor_count(dz), f, numbers_of(kept), numbers_of(da), numbers_of(dz));
}

/* --- what follows products --- */

enum cuda_after cuda_after_of(const struct tensor *b, enum activation f)
{
    if (f == ACTIVATION_NONE)
        return b ? CUDA_AFTER_BIAS : CUDA_AFTER_NOTHING;
    if (f == ACTIVATION_RELU)
        return b ? CUDA_AFTER_BIAS_RELU : CUDA_AFTER_RELU;
    return CUDA_AFTER_NOTHING;
}

static __global__ void finish(size_t count, size_t O, struct numbers b, enum activation f, struct numbers y)
{
    size_t i = this_thread();
    if (i < count)
        set(y, i, device_value(f, get(y, i) + (b.at ? get(b, i % O) : 0)));
}

void cuda_finish(struct cuda *self, const struct tensor *b, enum activation f, const struct tensor *y)
{
    if (b || f != ACTIVATION_NONE)
        CUDA_EACH(self, finish, tensor_count(y), y->size[y->axes - 1], numbers_of(b), f, numbers_of(y));
}

const void *cuda_bias(struct cuda *self, const struct tensor *b, enum tensor_type type)
{
    if (b->type == type)
        return b->at;
    struct tensor copy = *b;
    copy.type = type;
    copy.at = cuda_scratch(self, CUDA_SCRATCH_NARROW, tensor_bytes(&copy));
    cuda_cast(self, b, &copy);
    return copy.at;
}

/* --- dropout --- */

/* A thread makes the four numbers of one draw, but for the first `skip` of all. */
static __global__ void drop(size_t draws, size_t skip, size_t count, uint32_t bound, float kept, uint64_t stream,
                            struct numbers x, struct numbers y)
{
    size_t n = this_thread();
    if (n >= draws)
        return;
    uint64_t bits = random_word(stream, n);
    for (size_t at = n * DRAWS; at < skip + count && at < (n + 1) * DRAWS; at++, bits >>= 16)
        if (at >= skip)
            set(y, at - skip, (bits & 0xffff) < bound ? 0 : get(x, at - skip) * kept);
}

void cuda_dropout(void *self, float share, uint64_t stream, size_t skip, const struct tensor *x, const struct tensor *y)
{
    size_t count = tensor_count(x);
    uint32_t bound = (uint32_t)lround((double)share * 65536); /* random_bound */
    CUDA_EACH(cuda_of(self), drop, (skip + count + DRAWS - 1) / DRAWS, skip, count, bound,
              65536.0f / (65536.0f - (float)bound), stream, numbers_of(x), numbers_of(y));
}
