/* Grows one tree: the leaf whose division gains most is divided next, until there are enough leaves or none gains.
 * (Shi, "Best- first decision tree learning", 2007; as LightGBM does.) The histogram of the smaller child is counted,
 * that of the larger is what is left of the parent's.
 *
 * The same rows, inputs and gradients give the same tree with any number of threads. */
#ifndef GANNET_WORKER_BOOST_GROW_H
#define GANNET_WORKER_BOOST_GROW_H

#include "common/operations.h"
#include "worker/boost/bins.h"
#include "worker/boost/gradients.h"
#include "worker/boost/split.h"
#include "worker/boost/boosted_tree.h"

struct grow_rules {
    struct split_rules split;
    uint32_t max_leaves; /* at least 2 */
    uint32_t max_depth;  /* divisions between the root and a leaf; 0: not limited */
    double rate;         /* the learning rate: values are multiplied by it */
    int threads;
};

/* What growing comes to: a call is that for a leaf, or for two that are judged together, and its seconds are those of
 * the threads on average. Sums of whole numbers are no floating-point operations. */
struct grow_counts {
    bool timed;
    struct operation_count histograms, splits;
};

/* What a tree learns from. */
struct grow_sample {
    const struct bins *bins;
    const struct gradients *gradients;
    const uint32_t *rows; /* [count], rising; NULL: all rows */
    size_t count;
    const uint32_t *inputs; /* [input_count], rising: those that it may look at */
    size_t input_count;
    struct grow_counts *counts; /* that it is added to */
};

/* Memory that is kept from tree to tree. */
struct grower;
struct grower *grower_make(const struct bins *bins, uint32_t max_leaves);
void grower_free(struct grower *grower); /* NULL is fine */

/* The tree, which is the caller's. `scores` [N], when given, get the tree's values added for the rows of the sample. */
struct boosted_tree grow_tree(struct grower *grower, const struct grow_sample *sample, const struct grow_rules *rules,
                              float *scores);

#endif
