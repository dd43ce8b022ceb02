/* Products of matrices, LANES of them at once. */
#ifndef GANNET_WORKER_LANES_PRODUCT_H
#define GANNET_WORKER_LANES_PRODUCT_H

#include "worker/lanes/vector.h"

/* A matrix: element [m,k] is at[m row + k step]. */
struct lanes_matrix {
    const lanes *at;
    size_t row, step;
};

/* c[M,N] = a[M,K] b[N,K]^T + bias[N]; NULL: 0. Rows of c lie `row` vectors apart. Each number adds its K products in
 * their order, so that it does not depend on what is in other lanes. */
void lanes_product(size_t M, size_t N, size_t K, const struct lanes_matrix *a, const struct lanes_matrix *b,
                   const lanes *bias, lanes *c, size_t row);

#endif
