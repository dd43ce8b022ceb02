/* The sequences that a kernel learns from: their shape, said by the data or by the kernel's option `steps`, and what
 * those are filled up with that are shorter than others. */
#ifndef GANNET_WORKER_KERNELS_SEQUENCE_SHAPE_H
#define GANNET_WORKER_KERNELS_SEQUENCE_SHAPE_H

#include "worker/kernels/classifier.h"

/* clang-format off */
#define SEQUENCE_PADDING                                                                                               \
    {"padding", "none|nan|number", "none", "what fills up shorter sequences at their end; nan: empty cells, too", 0, 0}
/* clang-format on */

/* Loads what the source says, of a kernel with SEQUENCE_PADDING; `tokens`: each input is a step, else the kernel has
 * the option steps. -1 with a sentence. */
int sequence_data_open(struct classifier *classifier, struct dataset_source *source, bool tokens, struct err *err);

/* The shape of one sequence, [1,T,F]: T steps of F numbers. -1 with a sentence that names the option. */
int sequence_shape_read(const struct kernel_settings *settings, const struct dataset *data, struct tensor *one,
                        struct err *err);

#endif
