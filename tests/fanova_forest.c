/* Functional ANOVA of regression trees; see fanova_forest.h. */
#include "tests/fanova_forest.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TREES = 64, MOST = 16 /* coordinates */ };

/* A leaf: its value, and where it lies in the unit cube. */
struct box {
    double value, low[MOST], high[MOST];
};

struct tree {
    uint32_t dimension, count; /* leaves */
    struct box *leaves;
    const struct record **records; /* the trials of this tree, in the order that its branches last needed */
};

static double coordinate(const struct record *record, uint32_t d)
{
    return isnan(record->unit[d]) ? 0.5 : record->unit[d];
}

static uint32_t sort_by; /* qsort takes no context: the coordinate that by_coordinate compares */

static int by_coordinate(const void *left, const void *right)
{
    double a = coordinate(*(const struct record *const *)left, sort_by);
    double b = coordinate(*(const struct record *const *)right, sort_by);
    return a < b ? -1 : a > b;
}

/* The cut of trials sorted along a coordinate that leaves the least squares: where, and how much it gains. */
static double find_cut(const struct record **records, uint32_t count, uint32_t d, double *cut)
{
    double all = 0, below = 0, best = 0;
    for (uint32_t i = 0; i < count; i++)
        all += records[i]->loss;
    for (uint32_t i = 1; i < count; i++) {
        below += records[i - 1]->loss;
        double here = coordinate(records[i - 1], d), next = coordinate(records[i], d), above = all - below;
        double gain = below * below / i + above * above / (count - i) - all * all / count;
        if (here < next && gain > best) {
            best = gain;
            *cut = (here + next) / 2;
        }
    }
    return best;
}

static void sort_records(const struct record **records, uint32_t count, uint32_t d)
{
    sort_by = d;
    qsort(records, count, sizeof(struct record *), by_coordinate);
}

/* Cuts a box as long as its trials differ. */
static void grow(struct tree *tree, const struct record **records, uint32_t count, const struct box *box)
{
    double best = 0, cut = 0, at;
    uint32_t along = 0, below = 0;
    for (uint32_t d = 0; d < tree->dimension; d++) {
        sort_records(records, count, d);
        double gain = find_cut(records, count, d, &at);
        if (gain > best * (1 + 1e-12)) {
            best = gain;
            along = d;
            cut = at;
        }
    }
    struct box left = *box, right = *box;
    if (best <= 0) {
        left.value = 0;
        for (uint32_t i = 0; i < count; i++)
            left.value += records[i]->loss / count;
        tree->leaves[tree->count++] = left;
        return;
    }
    sort_records(records, count, along);
    while (coordinate(records[below], along) < cut)
        below++;
    left.high[along] = right.low[along] = cut;
    grow(tree, records, below, &left);
    grow(tree, records + below, count - below, &right);
}

static double volume(const struct box *box, uint32_t dimension, uint32_t without)
{
    double product = 1;
    for (uint32_t d = 0; d < dimension; d++)
        product *= d == without ? 1 : box->high[d] - box->low[d];
    return product;
}

static int by_number(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The variance of the tree's mean along a coordinate, piece by piece. */
static double variance_along(const struct tree *tree, uint32_t d, double mean)
{
    double *ends = MEM_ARRAY(double, tree->count + 1), sum = 0;
    for (uint32_t l = 0; l < tree->count; l++)
        ends[l] = tree->leaves[l].high[d];
    qsort(ends, tree->count, sizeof *ends, by_number);
    for (uint32_t e = 0; e < tree->count; e++) {
        double from = e ? ends[e - 1] : 0, middle = (from + ends[e]) / 2, here = 0;
        for (uint32_t l = 0; l < tree->count && ends[e] > from; l++)
            if (tree->leaves[l].low[d] < middle && middle < tree->leaves[l].high[d])
                here += tree->leaves[l].value * volume(&tree->leaves[l], tree->dimension, d);
        sum += (ends[e] - from) * pow(here - mean, 2);
    }
    free(ends);
    return sum;
}

static bool add_shares(const struct tree *tree, double *alone)
{
    double mean = 0, squares = 0;
    for (uint32_t l = 0; l < tree->count; l++) {
        double part = volume(&tree->leaves[l], tree->dimension, tree->dimension);
        mean += part * tree->leaves[l].value;
        squares += part * pow(tree->leaves[l].value, 2);
    }
    for (uint32_t d = 0; d < tree->dimension && tree->count > 1; d++)
        alone[d] += variance_along(tree, d, mean) / (squares - mean * mean);
    return tree->count > 1;
}

void fanova_forest(const struct history *history, uint32_t dimension, double *alone)
{
    uint32_t n = history_count(history), counted = 0;
    struct tree tree = {
        .dimension = dimension, .leaves = MEM_ARRAY(struct box, n), .records = MEM_ARRAY(const struct record *, n)};
    struct rng rng = rng_make(1, "forest", 0);
    struct box cube = {0};
    for (uint32_t d = 0; d < dimension; d++)
        cube.high[d] = 1;
    memset(alone, 0, dimension * sizeof *alone);
    for (int t = 0; t < TREES; t++) {
        for (uint32_t i = 0; i < n; i++) /* the bootstrap */
            tree.records[i] = history_record(history, (uint32_t)rng_below(&rng, n));
        tree.count = 0;
        grow(&tree, tree.records, n, &cube);
        counted += add_shares(&tree, alone);
    }
    for (uint32_t d = 0; d < dimension && counted; d++)
        alone[d] /= counted;
    free(tree.leaves);
    free(tree.records);
}
