/* The kernels by name, for kernel_list.c; everybody else finds them through kernel.h. */
#ifndef GANNET_WORKER_KERNELS_KERNEL_LIST_H
#define GANNET_WORKER_KERNELS_KERNEL_LIST_H

#include "worker/kernels/kernel.h"

extern const struct kernel kernel_logreg, kernel_mlp, kernel_synth, kernel_table;

#endif
