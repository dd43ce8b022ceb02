/* The shape of the sequences that a kernel learns from: said by the data, or by the kernel's option `steps`. */
#ifndef GANNET_WORKER_KERNELS_SEQUENCE_SHAPE_H
#define GANNET_WORKER_KERNELS_SEQUENCE_SHAPE_H

#include "worker/backend/tensor.h"
#include "worker/data/dataset.h"
#include "worker/kernels/kernel_settings.h"

/* The shape of one sequence, [1,T,F]: T steps of F numbers. -1 with a sentence that names the option. */
int sequence_shape_read(const struct kernel_settings *settings, const struct dataset *data, struct tensor *one,
                        struct err *err);

#endif
