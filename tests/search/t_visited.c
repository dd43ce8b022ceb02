/* Points that a search has been to. */
#include "search/visited.h"
#include "tests/claims.h"
#include "tests/spaces.h"

#include <math.h>

static void points_of_a_finite_space_are_known_again(void **state)
{
    (void)state;
    enum { POINTS = 300 };
    struct rng rng = {7};
    struct space *space = spaces_make("{'a': {'min': 1, 'max': 100000}, 'b': ['x', 'y', 'z']}");
    double points[POINTS][2];
    struct visited visited;
    visited_init(&visited, space_public(space));
    for (int i = 0; i < POINTS; i++) {
        spaces_point(space, &rng, points[i]);
        visited_add(&visited, points[i]);
        visited_add(&visited, points[i]);
    }
    for (int i = 0; i < POINTS; i++)
        assert_true(visited_has(&visited, points[i]));
    points[0][0] += 1e-6;
    assert_false(visited_has(&visited, points[0]));
    visited_fini(&visited);
    space_destroy(space);
}

static void any_nan_is_the_same_inactive_coordinate(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': ['x', 'y'], 'b': {'min': 1, 'max': 4, 'when': {'a': 'x'}}}");
    struct visited visited;
    visited_init(&visited, space_public(space));
    visited_add(&visited, (double[]){0.75, NAN});
    assert_true(visited_has(&visited, (double[]){0.75, -NAN}));
    assert_false(visited_has(&visited, (double[]){0.75, 0}));
    assert_true(visited_hash((double[]){NAN, 0.5}, 2) != visited_hash((double[]){0.5, NAN}, 2));
    visited_fini(&visited);
    space_destroy(space);
}

static void continuous_points_that_differ_by_rounding_are_one(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 0.0, 'max': 1.0}, 'n': {'min': 1, 'max': 4}}");
    struct visited visited;
    visited_init(&visited, space_public(space));
    visited_add(&visited, (double[]){1, 0.125});
    visited_add(&visited, (double[]){0, 0.125});
    assert_true(visited_has(&visited, (double[]){1 - 1e-9, 0.125}));
    assert_true(visited_has(&visited, (double[]){-0.0, 0.125}));
    assert_false(visited_has(&visited, (double[]){1 - 1e-6, 0.125}));
    assert_false(visited_has(&visited, (double[]){1, 0.375}));
    visited_fini(&visited);
    space_destroy(space);
}

static void of_a_continuous_space_the_latest_points_are_kept(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 0.0, 'max': 1.0}}");
    struct visited visited;
    visited_init(&visited, space_public(space));
    enum { POINTS = 5 * VISITED_MOST };
    for (int i = 0; i < POINTS; i++)
        visited_add(&visited, (double[]){(double)i / (double)POINTS});
    for (int i = POINTS - VISITED_MOST; i < POINTS; i++)
        assert_true(visited_has(&visited, (double[]){(double)i / (double)POINTS}));
    assert_false(visited_has(&visited, (double[]){0}));
    assert_true(visited.points.count + visited.older.count <= 2 * VISITED_MOST);
    visited_fini(&visited);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_finite_space_are_known_again),
        cmocka_unit_test(any_nan_is_the_same_inactive_coordinate),
        cmocka_unit_test(continuous_points_that_differ_by_rounding_are_one),
        cmocka_unit_test(of_a_continuous_space_the_latest_points_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
