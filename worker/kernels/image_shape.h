/* The shape of the images that a kernel learns from: said by the data, or by the kernel's options. */
#ifndef GANNET_WORKER_KERNELS_IMAGE_SHAPE_H
#define GANNET_WORKER_KERNELS_IMAGE_SHAPE_H

#include "worker/data/augment.h"
#include "worker/data/dataset.h"
#include "worker/kernels/kernel_settings.h"

/* clang-format off */
#define IMAGE_OPTIONS                                                                                                  \
    {"height", "integer", "0", "rows of an image; 0: as the data says, else as many as columns", 0, 1e6},              \
    {"channels", "integer", "0", "numbers of a pixel, which lie side by side; 0: as the data says, else 1", 0, 1e6}
/* clang-format on */

/* *image becomes the shape of one, [H,W,channels], of a kernel that has these options. -1 with a sentence: the data's
 * inputs are no such images. */
int image_shape_read(const struct kernel_settings *settings, const struct dataset *data, struct dataset_shape *image,
                     struct err *err);

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
