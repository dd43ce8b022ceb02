/* A regression tree over binned inputs. */
#ifndef GANNET_WORKER_BOOST_BOOSTED_TREE_H
#define GANNET_WORKER_BOOST_BOOSTED_TREE_H

#include "worker/boost/bins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node that divides. A child below 0 is the leaf ~child. */
struct boosted_node {
    uint32_t input;
    int32_t left, right;
    uint8_t bin;          /* rows of this bin and those below go left */
    uint8_t missing_left; /* so do rows whose value is missing */
};

/* Without nodes there is one leaf. */
struct boosted_tree {
    uint32_t leaves;
    struct boosted_node *nodes; /* [leaves - 1]; the first is the root */
    float *values;              /* [leaves] */
};

void boosted_tree_fini(struct boosted_tree *tree); /* {0} is fine */

/* Adds the tree's value of each row to out[N]. */
void boosted_tree_predict(const struct boosted_tree *tree, const struct bins *bins, float *out);

/* The value of one row. */
float boosted_tree_value(const struct boosted_tree *tree, const struct bins *bins, size_t row);

/* Whether its nodes lead from the root to each leaf once, and name inputs and bins that are there: what a checkpoint
 * holds may be anything. */
bool boosted_tree_is_sound(const struct boosted_tree *tree, const struct bins *bins);

#endif
