/* Points that a search has been to. */
#include "search/history/visited.h"
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

static void in_a_continuous_space_no_point_counts(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 0.0, 'max': 1.0}}");
    struct visited visited;
    visited_init(&visited, space_public(space));
    visited_add(&visited, (double[]){0.5});
    assert_false(visited_has(&visited, (double[]){0.5}));
    assert_int_equal(visited.points.count, 0);
    visited_fini(&visited);
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_finite_space_are_known_again),
        cmocka_unit_test(any_nan_is_the_same_inactive_coordinate),
        cmocka_unit_test(in_a_continuous_space_no_point_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
