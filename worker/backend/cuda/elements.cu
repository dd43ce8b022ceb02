/* Operations element by element; see backend.h. */
#include "worker/backend/cuda/device.cuh"

static __global__ void add(size_t count, struct numbers a, struct numbers b, struct numbers y)
{
    size_t i = this_thread();
    if (i < count)
        set(y, i, get(a, i) + get(b, i));
}

void cuda_add(void *self, const struct tensor *a, const struct tensor *b, const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), add, tensor_count(y), numbers_of(a), numbers_of(b), numbers_of(y));
}

/* beta 0: y is not looked at, which may hold what is no number. */
static __global__ void mix(size_t count, float alpha, struct numbers x, float beta, struct numbers y)
{
    size_t i = this_thread();
    if (i < count)
        set(y, i, alpha * get(x, i) + (beta == 0 ? 0 : beta * get(y, i)));
}

void cuda_mix(void *self, float alpha, const struct tensor *x, float beta, const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), mix, tensor_count(y), alpha, numbers_of(x), beta, numbers_of(y));
}

static __global__ void cast(size_t count, struct numbers x, struct numbers y)
{
    size_t i = this_thread();
    if (i < count)
        set(y, i, get(x, i));
}

void cuda_cast(void *self, const struct tensor *x, const struct tensor *y)
{
    if (x->type == y->type)
        cuda_copy(self, x, y);
    else
        CUDA_EACH(cuda_of(self), cast, tensor_count(x), numbers_of(x), numbers_of(y));
}

/* Whoever meets a number without end says so; they all say the same. */
static __global__ void scale(size_t count, float factor, float *x, int32_t *finite)
{
    size_t i = this_thread();
    if (i >= count)
        return;
    union float_bits as;
    as.number = x[i] *= factor;
    if (finite && (as.bits & 0x7f800000) == 0x7f800000)
        *finite = 0;
}

static __global__ void write_whole(size_t count, int32_t value, int32_t *to)
{
    size_t i = this_thread();
    if (i < count)
        to[i] = value;
}

void cuda_scale(void *self, float factor, const struct tensor *x, const struct tensor *finite)
{
    int32_t *all = finite ? (int32_t *)finite->at : NULL;
    if (all)
        CUDA_EACH(cuda_of(self), write_whole, 1, 1, all);
    CUDA_EACH(cuda_of(self), scale, tensor_count(x), factor, (float *)x->at, all);
}

static __global__ void fill(size_t count, float value, struct numbers y)
{
    size_t i = this_thread();
    if (i < count)
        set(y, i, value);
}

void cuda_fill(void *self, float value, const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), fill, tensor_count(y), value, numbers_of(y));
}
