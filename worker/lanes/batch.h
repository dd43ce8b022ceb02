/* What a batch begins and ends with: the examples of LANES networks, and their losses. Each network has an order of its
 * own, so that they see other examples at a time.
 *
 * Shapes: B examples in a batch, I inputs, C classes; rows of vectors are `row` apart. */
#ifndef GANNET_WORKER_LANES_BATCH_H
#define GANNET_WORKER_LANES_BATCH_H

#include "worker/lanes/vector.h"

#include <stdbool.h>

/* x[B,I] and labels[B] of the examples orders[f][0 .. B-1]; orders[f] NULL: those from `first` on, as they lie. */
void lanes_gather(const float *table, const int32_t *table_labels, const size_t *const orders[LANES], size_t first,
                  size_t B, size_t I, lanes *x, size_t row, lanes_int *labels);

/* Adds the losses of z[B,C] to `sum`, and to `hits` how many have their largest output at their label; puts the
 * gradient in the place of z, unless `forward`. What is computed is softmax_loss of worker/backend/backend.h. */
void lanes_loss(size_t B, size_t C, lanes *z, size_t row, const lanes_int *labels, const lanes *smoothing, bool forward,
                lanes_wide *sum, lanes_int *hits);

#endif
