/* The two ways of convolutions; conv.cu chooses. Shapes: x[B,H,W,I], w[O,K,K,I], y[B,H',W',O]. */
#ifndef GANNET_WORKER_BACKEND_CUDA_CONV_CUH
#define GANNET_WORKER_BACKEND_CUDA_CONV_CUH

#include "worker/backend/cuda/cuda.cuh"

/* By cuDNN: false where it is not there, or has no deterministic way for this shape; nothing was done then. Biases and
 * activations are left to the caller. */
bool cuda_cudnn(struct cuda *self, const struct window *window, const struct tensor *x, const struct tensor *w,
                const struct tensor *y);
bool cuda_cudnn_back_data(struct cuda *self, const struct window *window, const struct tensor *dz,
                          const struct tensor *w, const struct tensor *dx);
bool cuda_cudnn_back_weights(struct cuda *self, const struct window *window, const struct tensor *x,
                             const struct tensor *dz, const struct tensor *dw);

/* By products of windows side by side in memory, some examples at a time; `after` is what the product does. */
void cuda_unfold(struct cuda *self, const struct window *window, const struct tensor *x, const struct tensor *w,
                 const struct tensor *y, enum cuda_after after, const void *bias);
void cuda_unfold_back_data(struct cuda *self, const struct window *window, const struct tensor *dz,
                           const struct tensor *w, const struct tensor *dx);
void cuda_unfold_back_weights(struct cuda *self, const struct window *window, const struct tensor *x,
                              const struct tensor *dz, const struct tensor *dw);

#endif
