/* What all kernels that train a network have in common beside their optimizer: rows of their parameters, and what those
 * come to. */
#ifndef GANNET_WORKER_KERNELS_RECIPE_H
#define GANNET_WORKER_KERNELS_RECIPE_H

#include "worker/backend/tensor.h"
#include "worker/kernels/kernel_settings.h"
#include "worker/nn/loss_scale.h"
#include "worker/nn/patience.h"
#include "worker/nn/schedule.h"

/* clang-format off */
/* The rows of a kernel's parameters that recipe_read reads. */
#define RECIPE_PARAMS                                                                                                  \
    {"precision", "fp32|bf16|tf32", "fp32", "of activations, data gradients and weights in products", 0, 0},           \
        {"loss_scale", LOSS_SCALES, "none", "computes with larger gradients, so that small ones are not lost", 0, 0},  \
        {"loss_scale_factor", "number", "1024", "how much larger; of dynamic: at first", 1, 1e38},                     \
        {"loss_scale_interval", "integer", "2000", "of dynamic: steps without overflow before it doubles", 1, 1e9},    \
        {"lr_scaling", LR_SCALINGS, "none", "of the learning rate with the batch, which lr_batch is right for", 0, 0}, \
        {"lr_batch", "integer", "64", "the batch that lr is meant for, when it is scaled", 1, 1e6},                    \
        {"patience", "integer", "0", "epochs without a better objective after which training ends; 0: all", 0, 1e6},   \
        KERNEL_THREADS_PARAM
/* clang-format on */

struct recipe {
    enum tensor_type precision; /* F32 or BF16: network_create */
    bool coarse;                /* F32, multiplied in TF32 */
    struct loss_scale_rule scale;
    enum lr_scaling lr_scaling;
    double lr_batch;  /* the batch that lr is meant for */
    int64_t patience; /* epochs; 0: none */
};

struct recipe recipe_read(const struct kernel_settings *settings);

/* The learning rate for batches of this size. */
double recipe_lr(const struct recipe *recipe, double lr, size_t batch);

/* Of a trial whose objective has that name: of accuracies larger ones are better. */
struct patience recipe_patience(const struct recipe *recipe, const char *metric);

#endif
