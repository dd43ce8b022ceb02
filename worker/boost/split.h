/* Where a node is divided best.
 *
 * With G and H the sums of first and second derivatives over the rows of a node, its best value is -G / (H + l2), and
 * what a division into L and R gains is G_L^2 / (H_L + l2) + G_R^2 / (H_R + l2) - G^2 / (H + l2). (Chen and Guestrin,
 * "XGBoost: A Scalable Tree Boosting System", KDD 2016, equations 5 and 7, without the factor 1/2.) */
#ifndef GANNET_WORKER_BOOST_SPLIT_H
#define GANNET_WORKER_BOOST_SPLIT_H

#include "worker/boost/bins.h"
#include "worker/boost/gradients.h"

#include <stdbool.h>

/* What a split has to keep to. */
struct split_rules {
    double l2;          /* added to H */
    double min_gain;    /* less is no gain */
    uint64_t min_rows;  /* of each side */
    double min_hessian; /* H of each side */
};

struct split {
    double gain; /* 0: there is none */
    uint32_t input;
    uint8_t bin;       /* rows of this bin and those below go left */
    bool missing_left; /* so do rows whose value is missing; else they go right */
    gradient_sum left; /* the sum of the rows that go left */
};

/* The best split of a node by one input: `part` is the input's part of the node's histogram, `all` the sum of its rows.
 */
struct split split_find(const struct bins *bins, uint32_t input, const gradient_sum *part, gradient_sum all,
                        const struct gradients *units, const struct split_rules *rules);

/* -G / (H + l2). */
double split_value(gradient_sum sum, const struct gradients *units, const struct split_rules *rules);

#endif
