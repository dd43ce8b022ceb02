/* Extremely randomised trees; see extra_tree.h. */
#include "search/tree/extra_tree.h"
#include "common/mem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    DEEPEST = 60,        /* random cuts of n rows give a depth of about 3 log2(n); this ends degenerate ones */
    NOBODY = UINT32_MAX, /* no row */
    LANES = 8            /* points that go down a tree side by side */
};

/* A way to cut the rows of a leaf in two. */
struct cut {
    struct tree_node node; /* feature, and what goes left */
    double gain;           /* sum^2 / count of both sides: the larger, the less variance is left (-DBL_MAX: none) */
};

void extra_tree_fini(struct extra_tree *tree)
{
    free(tree->nodes);
    free(tree->leaves);
    free(tree->next);
}

/* --- where points go --- */

/* The child that a point goes to. Without a branch: which way is what a processor can't foresee. A node has a cut or a
 * mask; the other one says no to everything. */
static inline uint32_t descend_to_leaf(const struct tree_node *node, float x)
{
    bool missing = isnan(x), below = x < node->cut;
    bool chosen = node->mask >> ((uint32_t)(missing ? 0 : x) & 63) & 1;
    bool left = missing ? node->missing_left : (below | chosen);
    return node->left + !left;
}

static inline bool goes_left(const struct tree_node *node, float x)
{
    return descend_to_leaf(node, x) == node->left;
}

struct leaf *extra_tree_leaf(const struct extra_tree *tree, const float *x)
{
    uint32_t at = 0;
    while (tree->nodes[at].left != at)
        at = descend_to_leaf(&tree->nodes[at], x[tree->nodes[at].feature]);
    return &tree->leaves[tree->nodes[at].mask];
}

/* Several points at once: while one waits for a node to come from memory the others go on. */
static void descend_lanes(const struct extra_tree *tree, uint32_t dimension, const float *x, struct leaf **leaves)
{
    uint32_t at[LANES] = {0};
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const struct tree_node *node = &tree->nodes[at[lane]];
            uint32_t next = descend_to_leaf(node, x[lane * dimension + node->feature]);
            moved |= next != at[lane];
            at[lane] = next;
        }
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        leaves[lane] = &tree->leaves[tree->nodes[at[lane]].mask];
}

void extra_tree_leaves(const struct extra_tree *tree, uint32_t dimension, const float *x, uint32_t count,
                       struct leaf **leaves)
{
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES)
        descend_lanes(tree, dimension, x + (size_t)i * dimension, leaves + i);
    for (; i < count; i++)
        leaves[i] = extra_tree_leaf(tree, x + (size_t)i * dimension);
}

/* --- leaves --- */

static void add_row(struct extra_tree *tree, struct leaf *leaf, const struct tree_rows *rows, uint32_t row)
{
    double y = rows->y[row];
    leaf->sum += y;
    leaf->squares += y * y;
    leaf->count++;
    tree->next[row] = leaf->first;
    leaf->first = row;
}

/* Makes a node an empty leaf; `number` is one that is free, or leaf_count for a new one. */
static void make_leaf(struct extra_tree *tree, uint32_t node, uint32_t number, uint32_t depth)
{
    MEM_GROW(tree->leaves, tree->leaf_capacity, (size_t)number + 1);
    tree->leaf_count = tree->leaf_count > number ? tree->leaf_count : (size_t)number + 1;
    tree->leaves[number] = (struct leaf){.first = NOBODY, .node = node, .depth = depth};
    tree->nodes[node] = (struct tree_node){.mask = number, .cut = INFINITY, .left = node, .missing_left = true};
}

void extra_tree_refill(struct extra_tree *tree, const struct tree_rows *rows)
{
    for (size_t l = 0; l < tree->leaf_count; l++) {
        struct leaf *leaf = &tree->leaves[l];
        leaf->sum = leaf->squares = 0;
        for (uint32_t row = leaf->first; row != NOBODY; row = tree->next[row]) {
            double y = rows->y[row];
            leaf->sum += y;
            leaf->squares += y * y;
        }
    }
}

/* --- cuts --- */

/* What the rows of a leaf have in one coordinate. */
struct leaf_extent {
    float low, high;
    uint64_t levels; /* nominal: those seen, modulo 64 */
    uint32_t missing;
};

static struct leaf_extent measure_extent_of_leaf(const struct extra_tree *tree, const struct tree_rows *rows,
                                                 uint32_t first, uint32_t feature)
{
    struct leaf_extent extent = {.low = FLT_MAX, .high = -FLT_MAX};
    for (uint32_t row = first; row != NOBODY; row = tree->next[row]) {
        float x = rows->x[(size_t)row * rows->dimension + feature];
        if (isnan(x)) {
            extent.missing++;
            continue;
        }
        extent.low = x < extent.low ? x : extent.low;
        extent.high = x > extent.high ? x : extent.high;
        if (rows->nominal[feature])
            extent.levels |= (uint64_t)1 << ((uint32_t)x & 63);
    }
    return extent;
}

/* Half of the levels, by chance, neither all nor none of those seen: two or more are. */
static uint64_t halve_levels(uint64_t seen, struct rng *rng)
{
    uint64_t mask = rng_next(rng);
    while ((mask & seen) == 0 || (mask & seen) == seen)
        mask = rng_next(rng);
    return mask;
}

/* A random cut through the extent; false when its rows have nothing to be told apart by. */
static bool draw_cut(const struct leaf_extent *extent, bool nominal, struct rng *rng, struct tree_node *node)
{
    node->missing_left = rng_next(rng) >> 63;
    bool varies = nominal ? (extent->levels & (extent->levels - 1)) != 0 : extent->low < extent->high;
    if (varies) {
        float cut = (float)(extent->high - rng_unit(rng) * (extent->high - extent->low));
        node->cut = nominal ? -INFINITY : cut > extent->low ? cut : extent->high;
        node->mask = nominal ? halve_levels(extent->levels, rng) : 0;
        return true;
    }
    node->cut = -INFINITY; /* all that have the coordinate go right, those that lack it left */
    node->mask = 0;
    node->missing_left = true;
    return extent->missing > 0 && extent->high >= extent->low;
}

static double gain_of(const struct extra_tree *tree, const struct tree_rows *rows, const struct leaf *leaf,
                      const struct tree_node *node)
{
    double sum = 0, count = 0;
    for (uint32_t row = leaf->first; row != NOBODY; row = tree->next[row])
        if (goes_left(node, rows->x[(size_t)row * rows->dimension + node->feature])) {
            sum += rows->y[row];
            count++;
        }
    double other = leaf->sum - sum, others = leaf->count - count;
    return count > 0 && others > 0 ? sum * sum / count + other * other / others : -DBL_MAX;
}

/* The best of one random cut in each coordinate. */
static struct cut choose_cut(struct extra_tree *tree, const struct tree_rows *rows, const struct leaf *leaf)
{
    struct cut best = {.gain = -DBL_MAX};
    for (uint32_t d = 0; d < rows->dimension; d++) {
        struct cut cut = {.node.feature = d};
        struct leaf_extent extent = measure_extent_of_leaf(tree, rows, leaf->first, d);
        if (!draw_cut(&extent, rows->nominal[d], &tree->rng, &cut.node))
            continue;
        cut.gain = gain_of(tree, rows, leaf, &cut.node);
        if (cut.gain > best.gain)
            best = cut;
    }
    return best;
}

static bool is_pure(const struct leaf *leaf)
{
    double variance = leaf->squares - leaf->sum * leaf->sum / leaf->count;
    return variance <= 1e-9 * leaf->squares;
}

/* Splits a leaf as long as there is something to split. Recursion ends at DEEPEST. */
static void split_leaf(struct extra_tree *tree, const struct tree_rows *rows, uint32_t number, uint32_t smallest)
{
    struct leaf leaf = tree->leaves[number];
    if (leaf.count < smallest || leaf.depth >= DEEPEST || is_pure(&leaf))
        return;
    struct cut cut = choose_cut(tree, rows, &leaf);
    if (cut.gain == -DBL_MAX)
        return;
    MEM_GROW(tree->nodes, tree->node_capacity, tree->node_count + 2);
    uint32_t left = (uint32_t)tree->node_count, right_leaf = (uint32_t)tree->leaf_count;
    tree->node_count += 2;
    make_leaf(tree, left, number, leaf.depth + 1);
    make_leaf(tree, left + 1, right_leaf, leaf.depth + 1);
    cut.node.left = left;
    tree->nodes[leaf.node] = cut.node;
    for (uint32_t row = leaf.first, after; row != NOBODY; row = after) {
        float x = rows->x[(size_t)row * rows->dimension + cut.node.feature];
        after = tree->next[row];
        add_row(tree, &tree->leaves[goes_left(&cut.node, x) ? number : right_leaf], rows, row);
    }
    split_leaf(tree, rows, number, smallest);
    split_leaf(tree, rows, right_leaf, smallest);
}

void extra_tree_grow(struct extra_tree *tree, const struct tree_rows *rows, uint32_t smallest)
{
    MEM_GROW(tree->nodes, tree->node_capacity, 1);
    MEM_GROW(tree->next, tree->next_capacity, rows->count);
    tree->node_count = 1;
    tree->leaf_count = 0;
    make_leaf(tree, 0, 0, 0);
    for (uint32_t row = 0; row < rows->count; row++)
        add_row(tree, &tree->leaves[0], rows, row);
    split_leaf(tree, rows, 0, smallest);
}

void extra_tree_insert(struct extra_tree *tree, const struct tree_rows *rows, uint32_t row, uint32_t smallest)
{
    MEM_GROW(tree->next, tree->next_capacity, (size_t)row + 1);
    struct leaf *leaf = extra_tree_leaf(tree, rows->x + (size_t)row * rows->dimension);
    add_row(tree, leaf, rows, row);
    split_leaf(tree, rows, (uint32_t)(leaf - tree->leaves), smallest);
}
