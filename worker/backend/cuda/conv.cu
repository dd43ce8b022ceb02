/* Convolutions; see backend.h and conv.cuh. */
#include "worker/backend/cuda/conv.cuh"

void cuda_conv(void *self, const struct window *window, const struct tensor *x, const struct tensor *w,
               const struct tensor *b, enum activation f, const struct tensor *y)
{
    struct cuda *cuda = cuda_of(self);
    if (cuda_cudnn(cuda, window, x, w, y)) {
        cuda_finish(cuda, b, f, y);
        return;
    }
    enum cuda_after after = cuda_after_of(b, f);
    bool biased = after == CUDA_AFTER_BIAS || after == CUDA_AFTER_BIAS_RELU;
    cuda_unfold(cuda, window, x, w, y, after, biased ? cuda_bias(cuda, b, y->type) : NULL);
    if (after == CUDA_AFTER_NOTHING)
        cuda_finish(cuda, b, f, y);
}

void cuda_conv_back_data(void *self, const struct window *window, const struct tensor *dz, const struct tensor *w,
                         const struct tensor *dx)
{
    if (!cuda_cudnn_back_data(cuda_of(self), window, dz, w, dx))
        cuda_unfold_back_data(cuda_of(self), window, dz, w, dx);
}

void cuda_conv_back_weights(void *self, const struct window *window, const struct tensor *x, const struct tensor *dz,
                            const struct tensor *dw, const struct tensor *db)
{
    if (!cuda_cudnn_back_weights(cuda_of(self), window, x, dz, dw))
        cuda_unfold_back_weights(cuda_of(self), window, x, dz, dw);
    cuda_sum_columns(cuda_of(self), dz, dz->size[3], db);
}
