/* Means over the steps that sequences have; see backend.h. Shapes: B examples of T steps of D numbers. */
#include "worker/backend/cuda/device.cuh"

static __global__ void mean_steps(size_t count, size_t T, size_t D, struct numbers x, const int32_t *lengths,
                                  struct numbers y)
{
    size_t i = this_thread(), b = i / D;
    if (i >= count)
        return;
    size_t length = lengths ? (size_t)lengths[b] : T;
    float sum = 0;
    for (size_t t = 0; t < length; t++)
        sum += get(x, (b * T + t) * D + i % D);
    set(y, i, sum / (float)length);
}

void cuda_mean_steps(void *self, const struct tensor *x, const struct tensor *lengths, const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), mean_steps, tensor_count(y), x->size[1], x->size[2], numbers_of(x),
              lengths ? (const int32_t *)lengths->at : NULL, numbers_of(y));
}

static __global__ void mean_steps_back(size_t count, size_t T, size_t D, struct numbers dy, const int32_t *lengths,
                                       struct numbers dx)
{
    size_t i = this_thread(), t = i / D % T, b = i / D / T;
    if (i >= count)
        return;
    size_t length = lengths ? (size_t)lengths[b] : T;
    set(dx, i, t < length ? get(dy, b * D + i % D) / (float)length : 0);
}

void cuda_mean_steps_back(void *self, const struct tensor *dy, const struct tensor *lengths, const struct tensor *dx)
{
    CUDA_EACH(cuda_of(self), mean_steps_back, tensor_count(dx), dx->size[1], dx->size[2], numbers_of(dy),
              lengths ? (const int32_t *)lengths->at : NULL, numbers_of(dx));
}
