/* The forest and its schedule; see forest.h. */
#include "search/tree/forest.h"
#include "search/tree/extra_tree.h"
#include "common/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Updates at n trials: every n / UPDATES; each tree anew when n has grown by 1 / REGROWTH. At n = 10,000 an update
 * costs 3 ms and a tree 5 ms: two of 50 trees an update, one update in 50 tells. */
enum { UPDATES = 100, REGROWTH = 5 };

struct forest {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    const struct history *history;
    struct forest_setup setup;
    struct tree_rows rows; /* row i is record i of the history */
    bool *nominal;
    struct extra_tree *trees;
    struct ranked *order;
    size_t order_capacity;

    uint64_t next;     /* the revision that the next one waits for */
    uint64_t grown;    /* trees grown so far: the next one in turn, and its random numbers */
    double owed;       /* trees that should have been grown but were not */
    uint64_t last;     /* trial of the last row: shows whether rows still are records */
    float *candidates; /* scratch for predictions */
    size_t candidate_capacity;
    struct leaf **leaves; /* of the candidates in one tree */
    size_t leaf_capacity;
};

struct forest *forest_create(const struct gannet_problem *problem, const struct gannet_host *host,
                             const struct history *history, const struct forest_setup *setup)
{
    struct forest *forest = MEM_NEW(struct forest);
    uint32_t dimension = problem->space->count;
    forest->problem = problem;
    forest->host = host;
    forest->history = history;
    forest->setup = *setup;
    forest->nominal = MEM_ARRAY(bool, dimension);
    for (uint32_t d = 0; d < dimension; d++)
        forest->nominal[d] = problem->space->params[d].kind == GANNET_CHOICE;
    forest->rows = (struct tree_rows){.dimension = dimension, .nominal = forest->nominal};
    forest->trees = MEM_ARRAY(struct extra_tree, setup->trees);
    return forest;
}

void forest_destroy(struct forest *forest)
{
    if (!forest)
        return;
    for (uint32_t t = 0; t < forest->setup.trees; t++)
        extra_tree_fini(&forest->trees[t]);
    free(forest->trees);
    free(forest->nominal);
    free(forest->rows.x);
    free(forest->rows.y);
    free(forest->order);
    free(forest->candidates);
    free(forest->leaves);
    free(forest);
}

uint32_t forest_count(const struct forest *forest)
{
    return forest->rows.count;
}

const struct ranked *forest_order(const struct forest *forest)
{
    return forest->order;
}

/* --- rows --- */

/* Choices become the numbers of their levels. */
static void encode_point(const struct forest *forest, const double *unit, float *x)
{
    for (uint32_t d = 0; d < forest->rows.dimension; d++) {
        bool level = forest->nominal[d] && !isnan(unit[d]);
        x[d] = (float)(level ? forest->host->natural(forest->host, d, unit[d]) : unit[d]);
    }
}

static void make_room(struct tree_rows *rows, uint32_t count)
{
    if (rows->capacity >= count)
        return;
    rows->capacity = 2 * (size_t)count;
    rows->x = mem_resize(rows->x, rows->capacity * rows->dimension, sizeof *rows->x);
    rows->y = mem_resize(rows->y, rows->capacity, sizeof *rows->y);
}

/* Scores from the order; equal ranks share the middle of their places. */
static void score_trials(struct forest *forest)
{
    uint32_t count = forest->rows.count;
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && ranking_equal(&forest->order[from], &forest->order[to]); to++)
            ;
        double quantile = gsl_cdf_ugaussian_Pinv((from + to) / 2.0 / count);
        for (uint32_t i = from; i < to; i++)
            forest->rows.y[forest->order[i].index] = (float)quantile;
    }
}

/* Whether the rows still are the first records of the history: it drops some now and then. */
static bool rows_hold(const struct forest *forest)
{
    uint32_t known = forest->rows.count;
    return known == 0 || (known <= history_count(forest->history) &&
                          history_record(forest->history, known - 1)->trial == forest->last);
}

/* Makes the rows those of the history; how many there were before and still are the same: 0 when the history dropped
 * any. */
static uint32_t read_rows(struct forest *forest)
{
    struct tree_rows *rows = &forest->rows;
    uint32_t known = rows_hold(forest) ? rows->count : 0, count = history_count(forest->history);
    make_room(rows, count);
    for (uint32_t row = known; row < count; row++)
        encode_point(forest, history_record(forest->history, row)->unit, rows->x + (size_t)row * rows->dimension);
    rows->count = count;
    forest->last = count ? history_record(forest->history, count - 1)->trial : 0;
    MEM_GROW(forest->order, forest->order_capacity, count);
    ranking_order(forest->history, forest->problem, forest->order);
    score_trials(forest);
    return known;
}

/* --- trees --- */

static void grow_tree(struct forest *forest, struct extra_tree *tree)
{
    tree->rng = rng_make(forest->problem->seed, "forest", forest->grown++);
    extra_tree_grow(tree, &forest->rows, forest->setup.smallest);
}

/* Brings every tree up to the rows; those whose turn it is are grown anew. */
static void update_trees(struct forest *forest, uint32_t known)
{
    uint32_t count = forest->rows.count, trees = forest->setup.trees;
    forest->owed += (double)trees * (double)REGROWTH * (count - known) / count;
    uint32_t due = known == 0 || forest->owed >= trees ? trees : (uint32_t)forest->owed;
    forest->owed = due == trees ? 0 : forest->owed - due;
    uint64_t first = forest->grown % trees;
    for (uint32_t t = 0; t < trees; t++) {
        struct extra_tree *tree = &forest->trees[(first + t) % trees];
        if (t < due) {
            grow_tree(forest, tree);
            continue;
        }
        extra_tree_refill(tree, &forest->rows);
        for (uint32_t row = known; row < count; row++)
            extra_tree_insert(tree, &forest->rows, row, forest->setup.smallest);
    }
}

static void count_pending(struct forest *forest, const double *unit)
{
    uint32_t dimension = forest->rows.dimension;
    MEM_GROW(forest->candidates, forest->candidate_capacity, dimension);
    encode_point(forest, unit, forest->candidates);
    for (uint32_t t = 0; t < forest->setup.trees; t++)
        extra_tree_leaf(&forest->trees[t], forest->candidates)->pending++;
}

static void count_all_pending(struct forest *forest)
{
    for (uint32_t t = 0; t < forest->setup.trees; t++)
        for (size_t l = 0; l < forest->trees[t].leaf_count; l++)
            forest->trees[t].leaves[l].pending = 0;
    for (uint32_t i = 0; i < history_pending_count(forest->history); i++)
        count_pending(forest, history_pending(forest->history, i)->unit);
}

void forest_follow(struct forest *forest)
{
    uint64_t revision = history_revision(forest->history);
    if (history_count(forest->history) == 0)
        forest->rows.count = 0; /* the only trials were observed, and are gone */
    if (history_count(forest->history) == 0 || (revision < forest->next && rows_hold(forest)))
        return;
    update_trees(forest, read_rows(forest));
    count_all_pending(forest);
    forest->next = revision + 1 + forest->rows.count / UPDATES;
}

void forest_note(struct forest *forest, const double *unit)
{
    if (forest->rows.count > 0)
        count_pending(forest, unit);
}

/* --- predictions --- */

/* Sums over the trees. The leaf's variance counts too: it is what a leaf can't tell apart. Points that run share the
 * leaf's uncertainty as its own rows do. */
static void add_leaves(struct leaf *const *leaves, uint32_t count, struct prediction *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct leaf *leaf = leaves[i];
        double part = 1.0 / leaf->count;
        out[i].mean += leaf->sum * part;
        out[i].spread += leaf->squares * part;
        out[i].free += (double)leaf->count / (leaf->count + leaf->pending);
    }
}

void forest_predict(struct forest *forest, const double *units, uint32_t count, struct prediction *out)
{
    uint32_t dimension = forest->rows.dimension, trees = forest->setup.trees;
    MEM_GROW(forest->candidates, forest->candidate_capacity, (size_t)count * dimension);
    MEM_GROW(forest->leaves, forest->leaf_capacity, count);
    memset(out, 0, count * sizeof *out);
    for (uint32_t i = 0; i < count; i++)
        encode_point(forest, units + (size_t)i * dimension, forest->candidates + (size_t)i * dimension);
    for (uint32_t t = 0; t < trees; t++) {
        extra_tree_leaves(&forest->trees[t], dimension, forest->candidates, count, forest->leaves);
        add_leaves(forest->leaves, count, out);
    }
    for (uint32_t i = 0; i < count; i++) {
        double mean = out[i].mean / trees, variance = fmax(0, out[i].spread / trees - mean * mean);
        out[i] = (struct prediction){mean, sqrt(variance * out[i].free / trees), out[i].free / trees};
    }
}
