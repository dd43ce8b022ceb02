/* Several losses made one, by weights drawn anew for every proposal: each proposal then looks for another part of the
 * front, and many of them cover it.
 *
 * The augmented Chebyshev function of ParEGO: max_k w_k f_k + 0.05 sum_k w_k f_k, with losses scaled to 0..1. Its
 * minima over all weights are the whole front, dents included; the sum keeps points out that are only weakly optimal.
 * (Knowles: "ParEGO: a hybrid algorithm with on-line landscape approximation for expensive multiobjective optimization
 * problems", IEEE TEVC 10(1), 2006, equations 2 and 3.)
 *
 * Alphabet: m objectives, n points; points are n rows of m losses. */
#ifndef GANNET_SEARCH_PARETO_CHEBYSHEV_H
#define GANNET_SEARCH_PARETO_CHEBYSHEV_H

#include <stddef.h>
#include <stdint.h>

/* Weights drawn evenly from all that are above 0 and sum to 1; `random` is as in gannet_ask. */
void chebyshev_draw(uint64_t random, uint32_t m, double *weights);

/* How losses are scaled: low[k] becomes 0 and high[k] becomes 1, the best and the worst loss of the front of these
 * points, so that far outliers change nothing. Equal ends are moved apart; losses that are no numbers are left out. */
void chebyshev_scale(const double *points, size_t n, uint32_t m, double *low, double *high);

/* The one loss. A missing (NaN) loss makes it infinite. */
double chebyshev_loss(const double *losses, uint32_t m, const double *weights, const double *low, const double *high);

#endif
