/* The histogram of a node: for each bin of each input the sum of the gradients of the node's rows in it. All splits of
 * the node are judged by it. (Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree", NeurIPS 2017.)
 *
 * A histogram is gradient_sum[bins->total]; that of input f begins at bins->of[f].first. */
#ifndef GANNET_WORKER_BOOST_HISTOGRAM_H
#define GANNET_WORKER_BOOST_HISTOGRAM_H

#include "worker/boost/bins.h"
#include "worker/boost/gradients.h"

/* Inputs that are counted in one pass over the rows. */
enum { HISTOGRAM_TOGETHER = 4 };

/* Fills the part of a histogram that belongs to `count` inputs, at most HISTOGRAM_TOGETHER of them. rows[n] are the
 * rows of the node and of[n] their gradients; rows NULL: all rows, in their order. */
void histogram_fill(const struct bins *bins, const uint32_t *inputs, size_t count, const uint32_t *rows, size_t n,
                    const gradient_sum *of, gradient_sum *out);

/* Takes what one child has from what the parent has: what is left is the other child's. For one input. */
void histogram_subtract(const struct bins *bins, uint32_t input, gradient_sum *from, const gradient_sum *child);

#endif
