/* See gradients.h. */
#include "worker/boost/gradients.h"

#include "common/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_BITS = 30 };

void gradients_init(struct gradients *gradients, size_t count)
{
    *gradients = (struct gradients){.count = count, .of = mem_aligned(count, sizeof(gradient_sum))};
    while (count >> gradients->count_bits)
        gradients->count_bits++;
    assert(gradients->count_bits <= 30);
}

void gradients_fini(struct gradients *gradients)
{
    free(gradients->of);
    *gradients = (struct gradients){0};
}

void gradients_set_range(struct gradients *gradients, double g_most, double h_most)
{
    int bits = 64 - 2 * gradients->count_bits; /* h, its sum over all rows, and their count fit into 64 */
    bits = bits < MOST_BITS ? bits : MOST_BITS;
    gradients->g_unit = g_most > 0 ? ldexp(g_most, -MOST_BITS) : 1;
    gradients->h_unit = h_most / (ldexp(1, bits) - 1);
}

void gradients_put(struct gradients *gradients, size_t n, double g, double h)
{
    double most = ldexp(1, MOST_BITS), g_units = g / gradients->g_unit, h_units = h / gradients->h_unit;
    int64_t whole = h_units > 1 ? llrint(fmin(h_units, most)) : 1;
    g_units = fabs(g_units) <= most ? g_units : 0; /* what is no number: the loss says so */
    gradients->of[n] = (gradient_sum){llrint(g_units), (int64_t)((uint64_t)whole << gradients->count_bits) + 1};
}
