/* What boosted trees minimise: the loss of N rows whose K scores are sums of trees, and its derivatives by the scores.
 *
 *     squares   K = 1      loss = (y - s)^2 / 2    g = s - y                 h = 1
 *     logistic  K = 1      loss = -log p(label)    g = p - [label]           h = p (1 - p)      p = 1 / (1 + exp(-s))
 *     softmax   K classes  the same                g_k = p_k - [label is k]  h_k = p_k (1 - p_k)  p = softmax(s)
 *
 * (Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics 29(5), 2001.)
 * Scores and probabilities lie class by class: [K, N]. */
#ifndef GANNET_WORKER_BOOST_OBJECTIVE_H
#define GANNET_WORKER_BOOST_OBJECTIVE_H

#include "worker/boost/gradients.h"

#include <stddef.h>
#include <stdint.h>

enum objective_kind { OBJECTIVE_SQUARES, OBJECTIVE_LOGISTIC, OBJECTIVE_SOFTMAX };

/* The rows: targets for squares, labels 0 .. classes-1 for the others. Not owned. */
struct objective {
    enum objective_kind kind;
    size_t count, scores; /* N, K */
    const float *targets;
    const int32_t *labels;
};

/* The scores from which all rows begin, begin[K], by which a constant minimises the loss: the mean of the targets, or
 * the logarithms of the classes' shares. */
void objective_begin(const struct objective *objective, float *begin);

/* What the scores are worth. */
struct objective_loss {
    double loss;     /* mean: of -log p, or of (y - s)^2 */
    double accuracy; /* the share of rows whose likeliest class is right; NaN for squares */
};

/* Takes scores s[K, N] to out[K, N]: probabilities, or for squares the scores themselves; and sums up the loss. */
struct objective_loss objective_predict(const struct objective *objective, const float *scores, float *out,
                                        int threads);

/* The derivatives of score k, from what objective_predict gave. */
void objective_derive(const struct objective *objective, const float *predicted, size_t k, struct gradients *out,
                      int threads);

#endif
