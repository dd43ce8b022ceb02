/* Trees and the forest: what they know of what they were shown, and that inserting is as good as growing. */
#include "tests/claims.h"
#include "tests/spaces.h"
#include "search/tree/extra_tree.h"
#include "search/tree/forest.h"
#include "search/tree/moves.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 600 };

static const bool nominal[3] = {false, true, false};

/* Rows of a number, a choice of five, and a number that is missing for the first two choices. */
static struct tree_rows make_rows(uint64_t seed)
{
    struct rng rng = rng_make(seed, "rows", 0);
    struct tree_rows rows = {.dimension = 3,
                             .nominal = nominal,
                             .count = ROWS,
                             .x = MEM_ARRAY(float, ROWS * 3),
                             .y = MEM_ARRAY(float, ROWS)};
    for (uint32_t i = 0; i < ROWS; i++) {
        float *x = rows.x + (size_t)i * 3;
        x[0] = (float)rng_unit(&rng);
        x[1] = (float)rng_below(&rng, 5);
        x[2] = x[1] < 2 ? NAN : (float)rng_unit(&rng);
        rows.y[i] = x[0] + (x[1] < 2 ? 3 : x[2]);
    }
    return rows;
}

static void free_rows(struct tree_rows *rows)
{
    free(rows->x);
    free(rows->y);
}

/* Every row lies in one leaf, which knows the sums of its rows. */
static void check_leaves(const struct extra_tree *tree, const struct tree_rows *rows, uint32_t count)
{
    uint32_t total = 0, *found = MEM_ARRAY(uint32_t, tree->leaf_count);
    double *sums = MEM_ARRAY(double, tree->leaf_count);
    for (uint32_t row = 0; row < count; row++) {
        size_t leaf = (size_t)(extra_tree_leaf(tree, rows->x + (size_t)row * 3) - tree->leaves);
        found[leaf]++;
        sums[leaf] += rows->y[row];
    }
    for (size_t l = 0; l < tree->leaf_count; l++) {
        total += tree->leaves[l].count;
        assert_int_equal(found[l], tree->leaves[l].count);
        assert_float_equal(sums[l], tree->leaves[l].sum, 1e-4);
    }
    assert_int_equal(total, count);
    free(found);
    free(sums);
}

static void every_row_lies_in_one_leaf_that_knows_it(void **state)
{
    (void)state;
    struct tree_rows rows = make_rows(1);
    struct extra_tree tree = {.rng = rng_make(1, "tree", 0)};
    extra_tree_grow(&tree, &rows, 3);
    check_leaves(&tree, &rows, ROWS);
    assert_true(tree.leaf_count > ROWS / 4);
    for (uint32_t row = 0; row < ROWS; row++)
        rows.y[row] = -2 * rows.y[row];
    extra_tree_refill(&tree, &rows);
    check_leaves(&tree, &rows, ROWS);
    extra_tree_fini(&tree);
    free_rows(&rows);
}

/* The mean squared error of a tree on rows that it has not seen. */
static double error_of(const struct extra_tree *tree)
{
    struct tree_rows others = make_rows(2);
    double sum = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        const struct leaf *leaf = extra_tree_leaf(tree, others.x + (size_t)row * 3);
        sum += pow(leaf->sum / leaf->count - others.y[row], 2);
    }
    free_rows(&others);
    return sum / (double)ROWS;
}

static void a_tree_that_grew_row_by_row_predicts_as_well(void **state)
{
    (void)state;
    struct tree_rows rows = make_rows(1);
    struct extra_tree whole = {.rng = rng_make(1, "tree", 0)}, slow = {.rng = rng_make(1, "tree", 0)};
    extra_tree_grow(&whole, &rows, 3);
    rows.count = 10;
    extra_tree_grow(&slow, &rows, 3);
    for (rows.count = 11; rows.count <= ROWS; rows.count++)
        extra_tree_insert(&slow, &rows, rows.count - 1, 3);
    check_leaves(&slow, &rows, ROWS);
    assert_true(error_of(&whole) < 0.02); /* the variance is 2 */
    assert_true(error_of(&slow) < 0.02);
    extra_tree_fini(&whole);
    extra_tree_fini(&slow);
    free_rows(&rows);
}

/* A search that the forest follows. */
struct scene {
    struct space *space;
    struct gannet_problem *problem;
    struct history *history;
    struct forest *forest;
};

static struct scene scene_make(const char *text, uint32_t most)
{
    struct scene scene = {.space = spaces_make(text)};
    scene.problem = MEM_NEW(struct gannet_problem);
    *scene.problem = (struct gannet_problem){.space = space_public(scene.space), .seed = 4, .objectives = 1};
    scene.history = history_create(scene.problem, most);
    return scene;
}

static void scene_end(struct scene *scene)
{
    forest_destroy(scene->forest);
    history_destroy(scene->history);
    free(scene->problem);
    space_destroy(scene->space);
}

static void tell(struct scene *scene, uint64_t trial, const double *unit, double loss)
{
    struct gannet_outcome_of_trial told = {
        .trial = trial, .unit = unit, .outcome = isnan(loss) ? GANNET_FAILED : GANNET_FINISHED, .loss = loss};
    told.losses = &told.loss;
    history_note(scene->history, trial, unit);
    forest_note(scene->forest, unit);
    history_tell(scene->history, &told);
    forest_follow(scene->forest);
}

static void a_forest_knows_good_bad_and_busy_places(void **state)
{
    (void)state;
    struct scene scene = scene_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}", 0);
    scene.forest = forest_create(scene.problem, space_host(scene.space), scene.history,
                                 &(struct forest_setup){.trees = 30, .smallest = 3});
    struct rng rng = rng_make(1, "forest", 0);
    double unit[2], asked[] = {0.1, 0.5, 0.9, 0.5, 0.4, 0.5};
    struct prediction before[3], after[3];
    for (uint64_t trial = 1; trial <= 300; trial++) {
        spaces_point(scene.space, &rng, unit);
        tell(&scene, trial, unit, unit[0] > 0.8 ? NAN : fabs(unit[0] - 0.1));
    }
    forest_predict(scene.forest, asked, 3, before);
    assert_true(before[0].mean < before[2].mean && before[2].mean < before[1].mean);
    history_note(scene.history, 301, asked);
    forest_note(scene.forest, asked);
    forest_predict(scene.forest, asked, 3, after);
    assert_true(after[0].spread < before[0].spread && after[0].mean == before[0].mean);
    scene_end(&scene);
}

/* A trial that early stopping looked at and that a worker lost then. */
static void a_forest_whose_only_trial_is_gone_knows_none(void **state)
{
    (void)state;
    struct scene scene = scene_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}", 0);
    scene.forest = forest_create(scene.problem, space_host(scene.space), scene.history,
                                 &(struct forest_setup){.trees = 5, .smallest = 3});
    const double unit[] = {0.2, 0.7}, other[] = {0.3, 0.4};
    struct gannet_outcome_of_trial told = {.trial = 1, .unit = unit, .outcome = GANNET_FINISHED, .loss = 1, .step = 3};
    told.losses = &told.loss;
    history_observe(scene.history, &told);
    forest_follow(scene.forest);
    assert_int_equal(forest_count(scene.forest), 1);
    told.outcome = GANNET_VOID;
    history_tell(scene.history, &told);
    forest_follow(scene.forest);
    assert_int_equal(forest_count(scene.forest), 0);
    tell(&scene, 2, other, 2);
    assert_int_equal(forest_count(scene.forest), 1);
    assert_int_equal(forest_order(scene.forest)[0].index, 0);
    scene_end(&scene);
}

static void a_forest_goes_on_when_its_history_drops_trials(void **state)
{
    (void)state;
    struct scene scene = scene_make("{'x': {'min': 0.0, 'max': 1.0}, 'c': ['a', 'b', 'c']}", 100);
    scene.forest = forest_create(scene.problem, space_host(scene.space), scene.history,
                                 &(struct forest_setup){.trees = 5, .smallest = 3});
    struct rng rng = rng_make(1, "forest", 0);
    double unit[2];
    for (uint64_t trial = 1; trial <= 1000; trial++) {
        spaces_point(scene.space, &rng, unit);
        tell(&scene, trial, unit, unit[0]);
        assert_true(forest_count(scene.forest) <= 125);
        for (uint32_t i = 0; i < forest_count(scene.forest); i++)
            assert_true(forest_order(scene.forest)[i].index < history_count(scene.history));
    }
    struct prediction low, high;
    forest_predict(scene.forest, (double[]){0.05, 0.5}, 1, &low);
    forest_predict(scene.forest, (double[]){0.95, 0.5}, 1, &high);
    assert_true(low.mean < high.mean);
    scene_end(&scene);
}

static void moves_stay_in_the_space_and_steps_change_one_coordinate(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rng rng = rng_make(seed, "moves", 0);
        struct space *space = spaces_random(&rng);
        struct moves moves = {space_public(space), space_host(space)};
        double from[SPACES_MOST], to[SPACES_MOST], snapped[SPACES_MOST];
        moves_random(&moves, &rng, from);
        moves_step(&moves, from, &rng, to);
        uint32_t changed = 0;
        for (uint32_t d = 0; d < space_dimension(space); d++) {
            changed += from[d] != to[d] && !isnan(from[d]) && !isnan(to[d]);
            snapped[d] = to[d];
        }
        assert_true(changed <= 1);
        space_snap(space, snapped);
        for (uint32_t d = 0; d < space_dimension(space); d++)
            assert_true(snapped[d] == to[d] || (isnan(snapped[d]) && isnan(to[d])));
        space_destroy(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_lies_in_one_leaf_that_knows_it),
        cmocka_unit_test(a_tree_that_grew_row_by_row_predicts_as_well),
        cmocka_unit_test(a_forest_knows_good_bad_and_busy_places),
        cmocka_unit_test(a_forest_whose_only_trial_is_gone_knows_none),
        cmocka_unit_test(a_forest_goes_on_when_its_history_drops_trials),
        cmocka_unit_test(moves_stay_in_the_space_and_steps_change_one_coordinate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
