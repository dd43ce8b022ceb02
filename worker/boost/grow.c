/* See grow.h. */
#include "worker/boost/grow.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/boost/each.h"
#include "worker/boost/histogram.h"

#include <stdlib.h>
#include <string.h>

/* Work below this many additions is not worth waking other threads for. */
enum { ALONE_BELOW = 20000 };

/* A leaf of the tree so far. */
struct grown_leaf {
    size_t begin, end; /* its rows: grower->rows[begin .. end-1] */
    uint32_t depth;
    int32_t parent;   /* the node above it; -1: it is the root */
    bool on_the_left; /* of that */
    gradient_sum sum;
    struct split best;       /* gain 0: it is not divided */
    gradient_sum *histogram; /* NULL: it will not be needed */
};

struct grower {
    const struct bins *bins;
    uint32_t *rows, *aside;    /* [N]: the rows of all leaves, leaf by leaf; room to divide one */
    gradient_sum *ordered;     /* [N]: the gradients of the rows that are being counted, in their order */
    struct grown_leaf *leaves; /* [max_leaves] */
    struct split *found;       /* [2 F]: of each input, for two leaves */
    double (*seconds)[2];      /* [F]: of each group of inputs, for its histograms and for its splits */
    gradient_sum **spare;      /* [max_leaves + 1] histograms that nobody uses now */
    size_t leaf_count, spare_count;
    /* The tree that grows. */
    const struct grow_sample *sample;
    const struct grow_rules *rules;
    struct boosted_tree tree;
};

struct grower *grower_make(const struct bins *bins, uint32_t max_leaves)
{
    struct grower *grower = MEM_NEW(struct grower);
    grower->bins = bins;
    grower->rows = MEM_ARRAY(uint32_t, bins->count);
    grower->aside = MEM_ARRAY(uint32_t, bins->count);
    grower->ordered = mem_aligned(bins->count, sizeof(gradient_sum));
    grower->leaves = MEM_ARRAY(struct grown_leaf, max_leaves);
    grower->found = MEM_ARRAY(struct split, 2 * bins->inputs);
    grower->seconds = mem_zero(bins->inputs, sizeof *grower->seconds);
    grower->spare = MEM_ARRAY(gradient_sum *, max_leaves + 1);
    return grower;
}

void grower_free(struct grower *grower)
{
    if (!grower)
        return;
    for (size_t i = 0; i < grower->spare_count; i++)
        free(grower->spare[i]);
    free(grower->rows);
    free(grower->aside);
    free(grower->ordered);
    free(grower->leaves);
    free(grower->found);
    free(grower->seconds);
    free(grower->spare);
    free(grower);
}

static gradient_sum *borrow_histogram(struct grower *grower)
{
    if (grower->spare_count)
        return grower->spare[--grower->spare_count];
    return mem_aligned(grower->bins->total, sizeof(gradient_sum));
}

static void return_histogram(struct grower *grower, struct grown_leaf *leaf)
{
    if (leaf->histogram)
        grower->spare[grower->spare_count++] = leaf->histogram;
    leaf->histogram = NULL;
}

/* --- the best divisions of one leaf, or of two whose parent is known --- */

/* Whether the leaf may be divided at all. */
static bool is_divisible(const struct grower *grower, const struct grown_leaf *leaf)
{
    const struct grow_rules *rules = grower->rules;
    return (!rules->max_depth || leaf->depth < rules->max_depth) &&
           leaf->end - leaf->begin >= 2 * rules->split.min_rows && leaf->end - leaf->begin >= 2;
}

static struct split judge_input(const struct grower *grower, const struct grown_leaf *leaf, uint32_t input)
{
    if (!is_divisible(grower, leaf))
        return (struct split){0};
    const gradient_sum *part = leaf->histogram + grower->bins->of[input].first;
    return split_find(grower->bins, input, part, leaf->sum, grower->sample->gradients, &grower->rules->split);
}

/* Counts some inputs of the smaller leaf, and judges them in both. `larger` has its parent's histogram. */
static void count_inputs(struct grower *grower, size_t from, size_t count, const gradient_sum *ordered,
                         struct grown_leaf *smaller, struct grown_leaf *larger)
{
    const uint32_t *inputs = grower->sample->inputs + from;
    bool timed = grower->sample->counts->timed;
    double begun = timed ? clock_monotonic() : 0;
    bool all = smaller->end - smaller->begin == grower->bins->count;
    histogram_fill(grower->bins, inputs, count, all ? NULL : grower->rows + smaller->begin,
                   smaller->end - smaller->begin, ordered, smaller->histogram);
    double filled = timed ? clock_monotonic() : 0;
    for (size_t k = 0; k < count; k++) {
        grower->found[2 * (from + k)] = judge_input(grower, smaller, inputs[k]);
        if (!larger)
            continue;
        histogram_subtract(grower->bins, inputs[k], larger->histogram, smaller->histogram);
        grower->found[2 * (from + k) + 1] = judge_input(grower, larger, inputs[k]);
    }
    if (!timed)
        return;
    grower->seconds[from / HISTOGRAM_TOGETHER][0] = filled - begun;
    grower->seconds[from / HISTOGRAM_TOGETHER][1] = clock_monotonic() - filled;
}

/* The best over all inputs, the first of equals. */
static struct split choose_split(const struct grower *grower, size_t which)
{
    struct split best = {0};
    for (size_t k = 0; k < grower->sample->input_count; k++)
        if (grower->found[2 * k + which].gain > best.gain)
            best = grower->found[2 * k + which];
    return best;
}

/* The gradients of a leaf's rows, in the order of these. */
static const gradient_sum *order_gradients(struct grower *grower, const struct grown_leaf *leaf)
{
    const gradient_sum *of = grower->sample->gradients->of;
    size_t count = leaf->end - leaf->begin;
    if (count == grower->bins->count)
        return of;
    for (size_t i = 0; i < count; i++)
        grower->ordered[i] = of[grower->rows[leaf->begin + i]];
    return grower->ordered;
}

/* Two leaves that are judged together. */
struct judging {
    struct grower *grower;
    const gradient_sum *ordered;
    struct grown_leaf *smaller, *larger;
};

static void judge_group(void *context, size_t i)
{
    const struct judging *judging = context;
    size_t from = i * HISTOGRAM_TOGETHER, left = judging->grower->sample->input_count - from;
    count_inputs(judging->grower, from, left < HISTOGRAM_TOGETHER ? left : HISTOGRAM_TOGETHER, judging->ordered,
                 judging->smaller, judging->larger);
}

/* Each array once: bins, gradients and their rows, histograms. */
static void count_call(const struct grower *grower, const struct grown_leaf *smaller, const struct grown_leaf *larger,
                       int threads)
{
    struct grow_counts *counts = grower->sample->counts;
    size_t inputs = grower->sample->input_count, rows = smaller->end - smaller->begin;
    double table = (double)(grower->bins->total * sizeof(gradient_sum)), seconds[2] = {0};
    double row = (double)inputs + sizeof(gradient_sum) + (rows < grower->bins->count ? sizeof *grower->rows : 0);
    counts->histograms.calls++;
    counts->histograms.bytes += (double)rows * row + table;
    counts->splits.calls++;
    counts->splits.bytes += table * (larger ? 3 : 1);
    if (!counts->timed)
        return;
    for (size_t i = 0; i < (inputs + HISTOGRAM_TOGETHER - 1) / HISTOGRAM_TOGETHER; i++)
        for (int k = 0; k < 2; k++)
            seconds[k] += grower->seconds[i][k] / threads;
    operation_time(&counts->histograms, seconds[0]);
    operation_time(&counts->splits, seconds[1]);
}

static void find_splits(struct grower *grower, struct grown_leaf *smaller, struct grown_leaf *larger)
{
    size_t inputs = grower->sample->input_count, rows = smaller->end - smaller->begin;
    struct judging judging = {grower, order_gradients(grower, smaller), smaller, larger};
    int threads = rows * inputs < ALONE_BELOW ? 1 : grower->rules->threads;
    smaller->histogram = borrow_histogram(grower);
    each_do(threads, (inputs + HISTOGRAM_TOGETHER - 1) / HISTOGRAM_TOGETHER, judge_group, &judging);
    count_call(grower, smaller, larger, threads);
    smaller->best = choose_split(grower, 0);
    if (larger)
        larger->best = choose_split(grower, 1);
}

/* --- dividing --- */

/* Puts the rows of a leaf that go left before those that go right, each in their order; where the latter begin. */
static size_t divide_rows(struct grower *grower, const struct grown_leaf *leaf)
{
    const struct split *split = &leaf->best;
    const uint8_t *column = grower->bins->column + split->input * grower->bins->count;
    uint32_t *rows = grower->rows;
    size_t left = leaf->begin, right = 0;
    for (size_t i = leaf->begin; i < leaf->end; i++) {
        uint32_t row = rows[i];
        uint8_t bin = column[row];
        bool goes_left = bins_is_missing(grower->bins, split->input, bin) ? split->missing_left : bin <= split->bin;
        rows[left] = row; /* written to both places; the one that it belongs to keeps it */
        grower->aside[right] = row;
        left += goes_left;
        right += !goes_left;
    }
    memcpy(rows + left, grower->aside, right * sizeof *rows);
    return left;
}

/* Makes a leaf a node; it becomes its left child, and a new leaf its right one. */
static struct grown_leaf *divide_leaf(struct grower *grower, struct grown_leaf *leaf)
{
    struct boosted_tree *tree = &grower->tree;
    int32_t at = (int32_t)tree->leaves - 1; /* of the new node */
    size_t middle = divide_rows(grower, leaf);
    struct grown_leaf *right = &grower->leaves[grower->leaf_count++];
    if (leaf->parent >= 0)
        *(leaf->on_the_left ? &tree->nodes[leaf->parent].left : &tree->nodes[leaf->parent].right) = at;
    tree->nodes[at] = (struct boosted_node){.input = leaf->best.input,
                                            .left = ~(int32_t)(leaf - grower->leaves),
                                            .right = ~(int32_t)(right - grower->leaves),
                                            .bin = leaf->best.bin,
                                            .missing_left = leaf->best.missing_left};
    tree->leaves++;
    *right = (struct grown_leaf){
        .begin = middle, .end = leaf->end, .depth = leaf->depth + 1, .parent = at, .sum = leaf->sum - leaf->best.left};
    gradient_sum *histogram = leaf->histogram;
    *leaf = (struct grown_leaf){.begin = leaf->begin,
                                .end = middle,
                                .depth = right->depth,
                                .parent = at,
                                .on_the_left = true,
                                .sum = leaf->best.left};
    (leaf->end - leaf->begin > right->end - right->begin ? leaf : right)->histogram = histogram;
    return right;
}

static void settle_leaf(struct grower *grower, struct grown_leaf *leaf)
{
    if (leaf->best.gain <= 0)
        return_histogram(grower, leaf);
}

/* Divides a leaf and judges its children. */
static void grow_leaf(struct grower *grower, struct grown_leaf *leaf)
{
    struct grown_leaf *right = divide_leaf(grower, leaf);
    bool left_is_larger = leaf->histogram != NULL;
    struct grown_leaf *larger = left_is_larger ? leaf : right, *smaller = left_is_larger ? right : leaf;
    if (grower->leaf_count < grower->rules->max_leaves &&
        (is_divisible(grower, larger) || is_divisible(grower, smaller)))
        find_splits(grower, smaller, larger);
    settle_leaf(grower, smaller);
    settle_leaf(grower, larger);
}

/* --- the tree --- */

static void begin_tree(struct grower *grower, const struct grow_sample *sample, const struct grow_rules *rules)
{
    struct grown_leaf *root = &grower->leaves[0];
    grower->sample = sample;
    grower->rules = rules;
    grower->leaf_count = 1;
    grower->tree = (struct boosted_tree){.leaves = 1,
                                         .nodes = MEM_ARRAY(struct boosted_node, rules->max_leaves),
                                         .values = MEM_ARRAY(float, rules->max_leaves)};
    *root = (struct grown_leaf){.end = sample->count, .parent = -1};
    for (size_t i = 0; i < sample->count; i++) {
        grower->rows[i] = sample->rows ? sample->rows[i] : (uint32_t)i;
        root->sum += sample->gradients->of[grower->rows[i]];
    }
    if (is_divisible(grower, root))
        find_splits(grower, root, NULL);
    settle_leaf(grower, root);
}

static struct grown_leaf *choose_leaf(struct grower *grower)
{
    struct grown_leaf *best = NULL;
    for (size_t i = 0; i < grower->leaf_count; i++)
        if (grower->leaves[i].best.gain > (best ? best->best.gain : 0))
            best = &grower->leaves[i];
    return best;
}

/* The values of the leaves, and what they add to the scores of their rows. */
static void set_values(struct grower *grower, float *scores)
{
    for (size_t i = 0; i < grower->leaf_count; i++) {
        struct grown_leaf *leaf = &grower->leaves[i];
        double value = split_value(leaf->sum, grower->sample->gradients, &grower->rules->split);
        grower->tree.values[i] = (float)(grower->rules->rate * value);
        for (size_t n = leaf->begin; scores && n < leaf->end; n++)
            scores[grower->rows[n]] += grower->tree.values[i];
        return_histogram(grower, leaf);
    }
}

struct boosted_tree grow_tree(struct grower *grower, const struct grow_sample *sample, const struct grow_rules *rules,
                              float *scores)
{
    struct grown_leaf *leaf;
    begin_tree(grower, sample, rules);
    while (grower->leaf_count < rules->max_leaves && (leaf = choose_leaf(grower)))
        grow_leaf(grower, leaf);
    set_values(grower, scores);
    return grower->tree;
}
