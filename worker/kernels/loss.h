/* The loss of a classifier: cross entropy of the softmax of its outputs. */
#ifndef GANNET_WORKER_KERNELS_LOSS_H
#define GANNET_WORKER_KERNELS_LOSS_H

#include <stddef.h>
#include <stdint.h>

/* Sums over examples. */
struct loss {
    double sum;  /* of the losses */
    size_t hits; /* examples whose largest output is that of their class */
    size_t count;
};

/* Adds the losses of z[B,C] with the classes labels[B]; dz[B,C] receives the gradient of their mean, unless it is NULL:
 *     loss = log(sum_c exp(z_c)) - z_label,    dz = (softmax(z) - onehot(label)) / B */
void loss_add(struct loss *loss, size_t B, size_t C, const float *z, const int32_t *labels, float *dz);

/* The mean loss, and the share of hits. */
double loss_mean(const struct loss *loss);
double loss_accuracy(const struct loss *loss);

#endif
