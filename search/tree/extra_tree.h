/* One extremely randomised regression tree over points of mixed and conditional spaces.
 *
 * Geurts, Ernst, Wehenkel: "Extremely randomized trees" (Machine Learning 63, 2006): every split tries one random cut
 * in each coordinate and takes the best of them. Here a cut of a coordinate without an order is a random half of its
 * choices; points that lack a coordinate go to one side, chosen by chance, or are cut off from those that have it. A
 * tree grows by single rows too: a row falls into its leaf, which splits when it has enough rows.
 *
 * Alphabet: D coordinates, n rows. */
#ifndef GANNET_SEARCH_TREE_EXTRA_TREE_H
#define GANNET_SEARCH_TREE_EXTRA_TREE_H

#include "common/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What trees are grown on. Owned by the forest. */
struct tree_rows {
    uint32_t dimension;  /* D */
    const bool *nominal; /* D: coordinates without an order; their numbers are levels */
    uint32_t count;      /* n */
    float *x;            /* n x D: NaN: inactive */
    float *y;            /* n: what is to be predicted */
    size_t capacity;
};

/* An inner node, or a leaf. Children are side by side. A leaf sends everything left, to itself: so points can go down
 * side by side, however deep their leaves lie. */
struct tree_node {
    uint64_t mask;     /* nominal: the levels (modulo 64) that go left; else 0; of a leaf: its number */
    float cut;         /* otherwise: less goes left; nominal: -infinity; of a leaf: infinity */
    uint32_t feature;  /* that is asked for; of a leaf: any */
    uint32_t left;     /* its left child, the right one is next; of a leaf: itself */
    bool missing_left; /* where inactive coordinates go */
};

/* What a leaf knows of its rows. */
struct leaf {
    double sum, squares; /* of y */
    uint32_t count;
    uint32_t first;   /* its latest row; see tree.next */
    uint32_t pending; /* points in it that are not rows yet */
    uint32_t node;    /* whose leaf it is */
    uint32_t depth;
};

struct extra_tree {
    struct tree_node *nodes;
    struct leaf *leaves;
    uint32_t *next; /* n: the row before it in the same leaf */
    size_t node_count, node_capacity, leaf_count, leaf_capacity, next_capacity;
    struct rng rng;
};

/* {0} with rng set is an empty tree. */
void extra_tree_fini(struct extra_tree *tree);

/* Grows it anew on all rows. `smallest`: leaves of fewer rows are not split; 2 or more. */
void extra_tree_grow(struct extra_tree *tree, const struct tree_rows *rows, uint32_t smallest);

/* Takes in one row more, which must follow the last one it has. The tree was grown before. */
void extra_tree_insert(struct extra_tree *tree, const struct tree_rows *rows, uint32_t row, uint32_t smallest);

/* Learns that the rows' y have changed: the leaves are filled anew, the cuts stay. */
void extra_tree_refill(struct extra_tree *tree, const struct tree_rows *rows);

/* The leaf of a point of D coordinates, as in rows; those of `count` points one after the other. */
struct leaf *extra_tree_leaf(const struct extra_tree *tree, const float *x);
void extra_tree_leaves(const struct extra_tree *tree, uint32_t dimension, const float *x, uint32_t count,
                       struct leaf **leaves);

#endif
