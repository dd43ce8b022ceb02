/* What all kernels that train a network have in common beside their optimizer: rows of their parameters, and what those
 * come to. */
#ifndef GANNET_WORKER_KERNELS_RECIPE_H
#define GANNET_WORKER_KERNELS_RECIPE_H

#include "worker/backend/tensor.h"
#include "worker/kernels/kernel_settings.h"
#include "worker/nn/loss_scale.h"

/* clang-format off */
/* The rows of a kernel's parameters that recipe_read reads. */
#define RECIPE_PARAMS                                                                                                  \
    {"precision", "fp32|bf16", "fp32", "of activations, data gradients and weights in products", 0, 0},                \
        {"loss_scale", LOSS_SCALES, "none", "computes with larger gradients, so that small ones are not lost", 0, 0},  \
        {"loss_scale_factor", "number", "1024", "how much larger; of dynamic: at first", 1, 1e38},                     \
        {"loss_scale_interval", "integer", "2000", "of dynamic: steps without overflow before it doubles", 1, 1e9}
/* clang-format on */

struct recipe {
    enum tensor_type precision; /* F32 or BF16: network_create_in */
    struct loss_scale_rule scale;
};

struct recipe recipe_read(const struct kernel_settings *settings);

#endif
