/* Augmentation as parameters of kernels that learn from images. Their start sets `augment` of struct
 * classifier_training by it. */
#ifndef GANNET_WORKER_KERNELS_AUGMENT_PARAMS_H
#define GANNET_WORKER_KERNELS_AUGMENT_PARAMS_H

#include "worker/data/augment.h"
#include "worker/kernels/kernel_settings.h"

/* clang-format off */
/* The rows of a kernel's parameters that augment_params_read reads. */
#define AUGMENT_PARAMS                                                                                                 \
    {"flip", "number", "0", "the probability that left and right of an image are swapped in training", 0, 1},          \
        {"crop", "integer", "0", "rows and columns of zeros around it before a random part is cut out", 0, 1024},      \
        {"shift", "number", "0", "the share of its size that it is moved by at most; edges are repeated", 0, 1},       \
        {"cutout", "integer", "0", "rows and columns of a random square in it that becomes zero", 0, 4096}
/* clang-format on */

struct augment augment_params_read(const struct kernel_settings *settings);

#endif
