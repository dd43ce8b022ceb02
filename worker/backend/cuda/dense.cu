/* Dense layers as products of matrices; see backend.h. Shapes: B examples, I inputs, O outputs. */
#include "worker/backend/cuda/cuda.cuh"

void cuda_dense(void *self, const struct tensor *x, const struct tensor *w, const struct tensor *b, enum activation f,
                const struct tensor *y)
{
    struct cuda *cuda = cuda_of(self);
    struct cuda_product product = {w->size[0], x->size[0], tensor_width(x),     false, false,
                                   x->type,    y->type,    cuda_after_of(b, f), false};
    bool biased = product.after == CUDA_AFTER_BIAS || product.after == CUDA_AFTER_BIAS_RELU;
    cuda_multiply(cuda, &product, w->at, x->at, y->at, biased ? cuda_bias(cuda, b, y->type) : NULL);
    if (product.after == CUDA_AFTER_NOTHING)
        cuda_finish(cuda, b, f, y);
}

void cuda_dense_back_data(void *self, const struct tensor *dz, const struct tensor *w, const struct tensor *dx)
{
    struct cuda_product product = {tensor_width(dx), dz->size[0], w->size[0],         true, false,
                                   dz->type,         dx->type,    CUDA_AFTER_NOTHING, false};
    cuda_multiply(cuda_of(self), &product, w->at, dz->at, dx->at, NULL);
}

void cuda_dense_back_weights(void *self, const struct tensor *x, const struct tensor *dz, const struct tensor *dw,
                             const struct tensor *db)
{
    struct cuda_product product = {tensor_width(x), dw->size[0], x->size[0],         true, true,
                                   x->type,         dw->type,    CUDA_AFTER_NOTHING, false};
    cuda_multiply(cuda_of(self), &product, x->at, dz->at, dw->at, NULL);
    cuda_sum_columns(cuda_of(self), dz, dw->size[0], db);
}
