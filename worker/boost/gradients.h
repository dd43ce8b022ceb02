/* First and second derivatives of the loss of each row, as whole numbers. Sums of whole numbers are exact: they are the
 * same in every order and with any number of threads, and what one half of a node has is exactly the whole less the
 * other half. (Rounded gradients cost no accuracy with far fewer bits: Shi et al., "Quantized Training of Gradient
 * Boosting Decision Trees", NeurIPS 2022. Here g has 30, h as many as leave room for the count of rows beside it, 30 at
 * most.)
 *
 * Shapes: N rows. A sum is (g, h and count in one number): the lowest `count_bits` bits of the second count rows. */
#ifndef GANNET_WORKER_BOOST_GRADIENTS_H
#define GANNET_WORKER_BOOST_GRADIENTS_H

#include <stddef.h>
#include <stdint.h>

/* Of one row, of a bin, of a node. Both halves are added and subtracted at once. */
typedef int64_t gradient_sum __attribute__((vector_size(16)));

struct gradients {
    size_t count;     /* N */
    gradient_sum *of; /* [N] */
    int count_bits;
    double g_unit, h_unit; /* what 1 stands for */
};

void gradients_init(struct gradients *gradients, size_t count);
void gradients_fini(struct gradients *gradients); /* {0} is fine */

/* The largest |g| and h that will come; then the derivatives of row n. h is at least one unit. */
void gradients_set_range(struct gradients *gradients, double g_most, double h_most);
void gradients_put(struct gradients *gradients, size_t n, double g, double h);

static inline double gradients_g(const struct gradients *gradients, gradient_sum sum)
{
    return (double)sum[0] * gradients->g_unit;
}

static inline double gradients_h(const struct gradients *gradients, gradient_sum sum)
{
    return (double)((uint64_t)sum[1] >> gradients->count_bits) * gradients->h_unit;
}

static inline uint64_t gradients_rows(const struct gradients *gradients, gradient_sum sum)
{
    return (uint64_t)sum[1] & (((uint64_t)1 << gradients->count_bits) - 1);
}

#endif
