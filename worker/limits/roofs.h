/* What a run could have done in a second at most: the roofs of its roofline (Williams et al. 2009), each as the time
 * that its operations would take if nothing but that bounded them. */
#ifndef GANNET_WORKER_LIMITS_ROOFS_H
#define GANNET_WORKER_LIMITS_ROOFS_H

#include "common/operations.h"
#include "worker/limits/limits.h"

/* A second's; NAN: not known, or there is nothing to compute or to move. */
struct roofs {
    double flops; /* by the peak of the precision that each product is in */
    double bytes; /* from the smallest cache that holds what a call needs on average, or from memory */
};

/* Of operations by name. */
struct roofs roofs_of(const struct limits *limits, const struct operation_count operations[OPERATIONS_COUNT]);

/* What products of F32 did a second, if nine tenths of all work were such and it took long enough to say so; else 0. Of
 * convolutions there are algorithms that do less than is counted. */
double roofs_products(const struct operation_count operations[OPERATIONS_COUNT], double seconds);

#endif
