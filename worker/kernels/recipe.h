/* What all kernels that train a network have in common beside their optimizer: rows of their parameters, and what those
 * come to. */
#ifndef GANNET_WORKER_KERNELS_RECIPE_H
#define GANNET_WORKER_KERNELS_RECIPE_H

#include "worker/backend/tensor.h"
#include "worker/kernels/kernel_settings.h"

/* clang-format off */
/* The rows of a kernel's parameters that recipe_read reads. */
#define RECIPE_PARAMS                                                                                                  \
    {"precision", "fp32|bf16", "fp32", "of activations, data gradients and weights in products", 0, 0}
/* clang-format on */

struct recipe {
    enum tensor_type precision; /* F32 or BF16: network_create_in */
};

struct recipe recipe_read(const struct kernel_settings *settings);

#endif
