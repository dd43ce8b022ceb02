/* Boosted trees: bins, sums, splits and trees, each against a plain calculation of the same, in doubles and without
 * histograms. */
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "worker/boost/ensemble.h"
#include "worker/boost/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, INPUTS = 6 };

/* Rows whose label follows from two inputs; input 3 has few values, input 4 is missing now and then, input 5 is
 * constant. */
struct rows {
    float x[ROWS * INPUTS], targets[ROWS];
    int32_t labels[ROWS];
};

static void draw_rows(struct rows *rows, uint64_t seed)
{
    struct rng rng = rng_make(seed, "boost", 0);
    for (size_t n = 0; n < ROWS; n++) {
        float *x = rows->x + n * INPUTS;
        for (size_t f = 0; f < INPUTS; f++)
            x[f] = (float)rng_normal(&rng);
        x[3] = (float)rng_below(&rng, 4);
        if (rng_below(&rng, 4) == 0)
            x[4] = NAN;
        x[5] = 2;
        rows->targets[n] = x[0] * x[1] + (isnan(x[4]) ? 2 : 0) + x[3];
        rows->labels[n] = (int32_t)(x[0] > 0) + (x[3] > 1);
    }
}

/* --- bins --- */

static void a_bin_holds_what_lies_between_its_cuts(void **state)
{
    (void)state;
    for (uint32_t most = 2; most <= 255; most += 23) {
        struct rows rows;
        struct bins bins;
        draw_rows(&rows, most);
        bins_make(&bins, rows.x, ROWS, INPUTS, most, 1);
        for (uint32_t f = 0; f < INPUTS; f++) {
            assert_in_range(bins.of[f].values, 1, most);
            for (size_t n = 0; n < ROWS; n++) {
                float value = rows.x[n * INPUTS + f];
                uint8_t bin = bins_at(&bins, n, f);
                assert_int_equal(bins_is_missing(&bins, f, bin), isnan(value) != 0);
                assert_true(isnan(value) || bin == 0 || bins.of[f].cuts[bin - 1] < value);
                assert_true(isnan(value) || bin + 1u == bins.of[f].values || value <= bins.of[f].cuts[bin]);
            }
        }
        bins_fini(&bins);
    }
}

static void few_values_have_a_bin_each_and_many_share_them_evenly(void **state)
{
    (void)state;
    struct rows rows;
    struct bins bins;
    size_t counts[10] = {0};
    draw_rows(&rows, 1);
    bins_make(&bins, rows.x, ROWS, INPUTS, 10, 1);
    assert_int_equal(bins.of[3].values, 4);
    assert_int_equal(bins.of[5].values, 1);
    assert_int_equal(bins.of[0].values, 10);
    assert_int_equal(bins.of[4].count, 11);
    for (size_t n = 0; n < ROWS; n++)
        counts[bins_at(&bins, n, 0)]++;
    for (int b = 0; b < 10; b++)
        assert_in_range(counts[b], ROWS / 10 - 3, ROWS / 10 + 3);
    bins_fini(&bins);
}

static void neighbouring_numbers_are_kept_apart(void **state)
{
    (void)state;
    float x[] = {1, nextafterf(1, 2), -1, nextafterf(-1, -2), 3.4e38f, -3.4e38f, 0, -0.0f};
    struct bins bins;
    bins_make(&bins, x, 8, 1, 255, 1);
    assert_int_equal(bins.of[0].values, 7);
    for (size_t a = 0; a < 8; a++)
        for (size_t b = 0; b < 8; b++)
            assert_int_equal(bins_at(&bins, a, 0) < bins_at(&bins, b, 0), x[a] < x[b]);
    bins_fini(&bins);
}

/* --- gradients and histograms --- */

static void draw_gradients(struct gradients *gradients, size_t count, uint64_t seed)
{
    struct rng rng = rng_make(seed, "gradients", 0);
    gradients_init(gradients, count);
    gradients_set_range(gradients, 4, 1);
    for (size_t n = 0; n < count; n++)
        gradients_put(gradients, n, 8 * rng_unit(&rng) - 4, rng_unit(&rng));
}

static void a_sum_of_gradients_has_g_h_and_the_count_of_rows(void **state)
{
    (void)state;
    struct gradients gradients;
    gradient_sum sum = {0, 0};
    double g = 0, h = 0;
    gradients_init(&gradients, 100000);
    gradients_set_range(&gradients, 2, .25);
    for (size_t n = 0; n < 100000; n++) {
        double each = (double)(n % 1000) / 1000;
        gradients_put(&gradients, n, 2 * each - 1, each / 4);
        sum += gradients.of[n];
        g += 2 * each - 1;
        h += each / 4;
    }
    assert_int_equal(gradients_rows(&gradients, sum), 100000);
    assert_true(fabs(gradients_g(&gradients, sum) - g) < 1e-4);
    assert_true(fabs(gradients_h(&gradients, sum) - h) < 1e-3);
    gradients_fini(&gradients);
}

static void what_is_left_of_a_parent_is_the_other_child(void **state)
{
    (void)state;
    struct rows rows;
    struct bins bins;
    struct gradients gradients;
    uint32_t halves[2][ROWS], inputs[INPUTS] = {0, 1, 2, 3, 4, 5};
    gradient_sum *part[3], of[2][ROWS];
    size_t counts[2] = {0};
    draw_rows(&rows, 3);
    bins_make(&bins, rows.x, ROWS, INPUTS, 31, 1);
    draw_gradients(&gradients, ROWS, 3);
    for (uint32_t n = 0; n < ROWS; n++) {
        int half = n % 3 == 0;
        of[half][counts[half]] = gradients.of[n];
        halves[half][counts[half]++] = n;
    }
    for (int i = 0; i < 3; i++)
        part[i] = mem_aligned(bins.total, sizeof(gradient_sum));
    for (uint32_t from = 0; from < INPUTS; from += HISTOGRAM_TOGETHER) {
        size_t count = INPUTS - from < HISTOGRAM_TOGETHER ? INPUTS - from : HISTOGRAM_TOGETHER;
        histogram_fill(&bins, inputs + from, count, NULL, ROWS, gradients.of, part[2]);
        for (int half = 0; half < 2; half++)
            histogram_fill(&bins, inputs + from, count, halves[half], counts[half], of[half], part[half]);
    }
    for (uint32_t f = 0; f < INPUTS; f++)
        histogram_subtract(&bins, f, part[2], part[0]);
    assert_memory_equal(part[2], part[1], bins.total * sizeof(gradient_sum));
    for (int i = 0; i < 3; i++)
        free(part[i]);
    gradients_fini(&gradients);
    bins_fini(&bins);
}

/* --- splits --- */

/* What a division gains, in doubles, row by row; negative: a side is too small. */
static double gain_of(const struct bins *bins, const struct gradients *gradients, uint32_t input, uint8_t bin,
                      bool missing_left, const struct split_rules *rules)
{
    double g[2] = {0}, h[2] = {0};
    uint64_t count[2] = {0};
    for (size_t n = 0; n < bins->count; n++) {
        uint8_t at = bins_at(bins, n, input);
        int side = bins_is_missing(bins, input, at) ? !missing_left : at > bin;
        g[side] += gradients_g(gradients, gradients->of[n]);
        h[side] += gradients_h(gradients, gradients->of[n]);
        count[side]++;
    }
    for (int side = 0; side < 2; side++)
        if (count[side] < rules->min_rows || h[side] < rules->min_hessian)
            return -1;
    return g[0] * g[0] / (h[0] + rules->l2) + g[1] * g[1] / (h[1] + rules->l2) -
           (g[0] + g[1]) * (g[0] + g[1]) / (h[0] + h[1] + rules->l2);
}

/* The largest gain over all places and both sides for the missing. */
static double best_gain(const struct bins *bins, const struct gradients *gradients, uint32_t input,
                        const struct split_rules *rules)
{
    double best = 0;
    for (int left = 0; left < 2; left++)
        for (uint32_t bin = 0; bin < bins->of[input].values; bin++)
            best = fmax(best, gain_of(bins, gradients, input, (uint8_t)bin, left, rules));
    return best;
}

static void the_best_split_is_the_best_of_all_that_there_are(void **state)
{
    (void)state;
    static const struct split_rules cases[] = {
        {.min_rows = 1}, {.l2 = 3, .min_rows = 20}, {.min_rows = 100, .min_hessian = 60}, {.min_rows = 160}};
    struct rows rows;
    struct bins bins;
    struct gradients gradients;
    uint32_t inputs[INPUTS] = {0, 1, 2, 3, 4, 5};
    for (uint64_t seed = 0; seed < 20; seed++) {
        draw_rows(&rows, seed);
        bins_make(&bins, rows.x, ROWS, INPUTS, 40, 1);
        draw_gradients(&gradients, ROWS, seed);
        gradient_sum *part = mem_aligned(bins.total, sizeof(gradient_sum)), all = {0, 0};
        for (size_t n = 0; n < ROWS; n++)
            all += gradients.of[n];
        for (uint32_t f = 0; f < INPUTS; f++) {
            const struct split_rules *rules = &cases[seed % 4];
            histogram_fill(&bins, inputs + f, 1, NULL, ROWS, gradients.of, part);
            struct split found = split_find(&bins, f, part + bins.of[f].first, all, &gradients, rules);
            double expected = best_gain(&bins, &gradients, f, rules);
            assert_true(fabs(found.gain - expected) < 1e-6 * fmax(1, expected));
            if (found.gain > 0)
                assert_true(fabs(gain_of(&bins, &gradients, f, found.bin, found.missing_left, rules) - expected) <
                            1e-6);
        }
        free(part);
        gradients_fini(&gradients);
        bins_fini(&bins);
    }
}

/* --- trees --- */

/* A tree of all rows and inputs. */
static struct boosted_tree grow_counted(const struct bins *bins, const struct gradients *gradients,
                                        const struct grow_rules *rules, float *scores, struct grow_counts *counts)
{
    static const uint32_t inputs[INPUTS] = {0, 1, 2, 3, 4, 5};
    struct grower *grower = grower_make(bins, rules->max_leaves);
    struct grow_sample sample = {.bins = bins,
                                 .gradients = gradients,
                                 .count = bins->count,
                                 .inputs = inputs,
                                 .input_count = INPUTS,
                                 .counts = counts};
    struct boosted_tree tree = grow_tree(grower, &sample, rules, scores);
    grower_free(grower);
    return tree;
}

static struct boosted_tree grow(const struct bins *bins, const struct gradients *gradients,
                                const struct grow_rules *rules, float *scores)
{
    struct grow_counts counts = {.timed = false};
    return grow_counted(bins, gradients, rules, scores, &counts);
}

/* Whether each leaf has the value that its rows, found by walking the tree, make best, and as many rows as it must
 * have. */
static void assert_leaves(const struct boosted_tree *tree, const struct bins *bins, const struct gradients *gradients,
                          const struct grow_rules *rules)
{
    for (uint32_t leaf = 0; leaf < tree->leaves; leaf++) {
        double g = 0, h = 0;
        size_t count = 0;
        for (size_t n = 0; n < bins->count; n++)
            if (boosted_tree_value(tree, bins, n) == tree->values[leaf]) {
                g += gradients_g(gradients, gradients->of[n]);
                h += gradients_h(gradients, gradients->of[n]);
                count++;
            }
        assert_true(count >= rules->split.min_rows);
        assert_true(fabs((double)tree->values[leaf] + rules->rate * g / (h + rules->split.l2)) < 1e-5);
    }
}

static void leaves_have_the_best_value_for_their_rows(void **state)
{
    (void)state;
    struct rows rows;
    struct bins bins;
    struct gradients gradients;
    for (uint64_t seed = 0; seed < 10; seed++) {
        const struct grow_rules rules = {.split = {.l2 = (double)seed, .min_rows = 1 + seed * 3},
                                         .max_leaves = 2 + (uint32_t)seed * 4,
                                         .rate = .3,
                                         .threads = 1};
        float scores[ROWS] = {0}, again[ROWS] = {0};
        draw_rows(&rows, seed);
        bins_make(&bins, rows.x, ROWS, INPUTS, 63, 1);
        draw_gradients(&gradients, ROWS, seed);
        struct boosted_tree tree = grow(&bins, &gradients, &rules, scores);
        assert_true(boosted_tree_is_sound(&tree, &bins));
        assert_in_range(tree.leaves, 2, rules.max_leaves);
        assert_leaves(&tree, &bins, &gradients, &rules);
        boosted_tree_predict(&tree, &bins, again);
        assert_memory_equal(scores, again, sizeof scores);
        boosted_tree_fini(&tree);
        gradients_fini(&gradients);
        bins_fini(&bins);
    }
}

static uint32_t depth_of(const struct boosted_tree *tree, int32_t at)
{
    if (at < 0)
        return 0;
    uint32_t left = depth_of(tree, tree->nodes[at].left), right = depth_of(tree, tree->nodes[at].right);
    return 1 + (left > right ? left : right);
}

static void a_tree_is_no_deeper_than_it_may_be_and_may_be_one_leaf(void **state)
{
    (void)state;
    struct rows rows;
    struct bins bins;
    struct gradients gradients;
    draw_rows(&rows, 5);
    bins_make(&bins, rows.x, ROWS, INPUTS, 63, 1);
    draw_gradients(&gradients, ROWS, 5);
    for (uint32_t depth = 1; depth < 5; depth++) {
        struct grow_rules rules = {
            .split = {.min_rows = 2}, .max_leaves = 100, .max_depth = depth, .rate = 1, .threads = 1};
        struct boosted_tree tree = grow(&bins, &gradients, &rules, NULL);
        assert_int_equal(depth_of(&tree, 0), depth);
        assert_int_equal(tree.leaves <= 1u << depth, 1);
        boosted_tree_fini(&tree);
    }
    struct grow_rules none = {.split = {.min_rows = ROWS}, .max_leaves = 9, .rate = 1, .threads = 1};
    struct boosted_tree stump = grow(&bins, &gradients, &none, NULL);
    assert_int_equal(stump.leaves, 1);
    assert_leaves(&stump, &bins, &gradients, &none);
    boosted_tree_fini(&stump);
    gradients_fini(&gradients);
    bins_fini(&bins);
}

/* A histogram for the root and for the smaller of two children; as many searches for splits. */
static void what_growing_comes_to_is_counted(void **state)
{
    (void)state;
    struct rows rows;
    struct bins bins;
    struct gradients gradients;
    const struct grow_rules rules = {.split = {.min_rows = 2}, .max_leaves = 8, .rate = 1, .threads = 1};
    draw_rows(&rows, 5);
    bins_make(&bins, rows.x, ROWS, INPUTS, 63, 1);
    draw_gradients(&gradients, ROWS, 5);
    for (int timed = 0; timed < 2; timed++) {
        struct grow_counts counts = {.timed = timed};
        struct boosted_tree tree = grow_counted(&bins, &gradients, &rules, NULL, &counts);
        assert_int_equal(counts.histograms.calls, tree.leaves - 1);
        assert_int_equal(counts.splits.calls, tree.leaves - 1);
        assert_true(counts.histograms.bytes >= ROWS * (INPUTS + sizeof(gradient_sum)) && counts.splits.bytes > 0);
        assert_int_equal(counts.histograms.timed, timed ? counts.histograms.calls : 0);
        assert_int_equal(counts.histograms.seconds > 0 && counts.splits.seconds > 0, timed);
        boosted_tree_fini(&tree);
    }
    gradients_fini(&gradients);
    bins_fini(&bins);
}

static void nodes_that_lead_nowhere_are_noticed(void **state)
{
    (void)state;
    float x[] = {1, 2}, values[3] = {0};
    struct bins bins;
    bins_make(&bins, x, 2, 1, 255, 1);
    static const struct boosted_node bad[][2] = {
        {{.left = ~0, .right = 1}, {.left = 0, .right = ~1}},             /* in a circle */
        {{.left = ~0, .right = 2}, {.left = ~1, .right = ~2}},            /* beyond the last node */
        {{.left = ~0, .right = 1}, {.left = ~1, .right = ~3}},            /* beyond the last leaf */
        {{.left = ~0, .right = 1, .input = 1}, {.left = ~1, .right = ~2}} /* an input that is not there */
    };
    for (size_t i = 0; i < 4; i++) {
        struct boosted_node nodes[2];
        memcpy(nodes, bad[i], sizeof nodes);
        assert_false(boosted_tree_is_sound(&(struct boosted_tree){3, nodes, values}, &bins));
    }
    assert_false(boosted_tree_is_sound(&(struct boosted_tree){0}, &bins));
    bins_fini(&bins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bin_holds_what_lies_between_its_cuts),
        cmocka_unit_test(few_values_have_a_bin_each_and_many_share_them_evenly),
        cmocka_unit_test(neighbouring_numbers_are_kept_apart),
        cmocka_unit_test(a_sum_of_gradients_has_g_h_and_the_count_of_rows),
        cmocka_unit_test(what_is_left_of_a_parent_is_the_other_child),
        cmocka_unit_test(the_best_split_is_the_best_of_all_that_there_are),
        cmocka_unit_test(leaves_have_the_best_value_for_their_rows),
        cmocka_unit_test(a_tree_is_no_deeper_than_it_may_be_and_may_be_one_leaf),
        cmocka_unit_test(what_growing_comes_to_is_counted),
        cmocka_unit_test(nodes_that_lead_nowhere_are_noticed),
    };
    return cmocka_run_group_tests_name("boost", tests, NULL, NULL);
}
