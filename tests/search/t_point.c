/* Points and configurations. */
#include "tests/claims.h"
#include "tests/spaces.h"
#include "common/map.h"

#include <math.h>
#include <string.h>

static bool same_point(const double *a, const double *b, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++)
        if (isnan(a[c]) != isnan(b[c]) || (!isnan(a[c]) && a[c] != b[c]))
            return false;
    return true;
}

/* From a point to its configuration and back, over the values and over JSON. */
static void goes_and_comes(const struct space *space, const double *unit)
{
    double back[SPACES_MOST];
    struct value config[SPACES_MOST];
    struct err err = {{0}};
    space_config(space, unit, config);
    if (space_point(space, config, NULL, NULL, back, &err))
        fail_msg("%s", err.text);
    space_config_fini(space, config);
    assert_true(same_point(unit, back, space_dimension(space)));
    struct buf json = {0};
    space_json(space, unit, &json);
    if (space_point_of_json(space, buf_str(&json), back, &err))
        fail_msg("%s", err.text);
    assert_true(same_point(unit, back, space_dimension(space)));
    buf_fini(&json);
    space_snap(space, back);
    assert_true(same_point(unit, back, space_dimension(space)));
}

static void points_of_thousands_of_random_spaces_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct rng rng = rng_make(seed, "point", 0);
        struct space *space = spaces_random(&rng);
        double unit[SPACES_MOST];
        for (int i = 0; i < 10; i++) {
            spaces_point(space, &rng, unit);
            goes_and_comes(space, unit);
        }
        space_destroy(space);
    }
}

static void any_coordinates_become_a_point(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, -1, 2, 0, 1, -0.0, 1e-300};
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rng rng = rng_make(seed, "odd", 0);
        struct space *space = spaces_random(&rng);
        double unit[SPACES_MOST];
        for (int i = 0; i < 10; i++) {
            for (uint32_t c = 0; c < space_dimension(space); c++)
                unit[c] = odd[rng_below(&rng, sizeof odd / sizeof *odd)];
            space_snap(space, unit);
            goes_and_comes(space, unit);
        }
        space_destroy(space);
    }
}

static double quarter(void *context, uint32_t coordinate)
{
    *(uint32_t *)context = coordinate;
    return 0.25;
}

static void what_is_missing_takes_the_default_or_is_filled(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': {'min': 0.0, 'max': 8.0, 'default': 6}, 'b': {'min': 0.0, 'max': 8.0}}");
    struct value config[2] = {{0}};
    double unit[2];
    uint32_t filled = 9;
    assert_int_equal(space_point(space, config, quarter, &filled, unit, NULL), 0);
    assert_int_equal(filled, 1);
    assert_string_equal(spaces_show(space, unit), "{'a': 6.0, 'b': 2.0}");
    assert_int_equal(space_point(space, config, NULL, NULL, unit, NULL), 0);
    assert_string_equal(spaces_show(space, unit), "{'a': 6.0, 'b': 4.0}");
    space_destroy(space);
}

/* Walks a finite space, checking that no configuration comes twice; how many there were. */
static double walk(const struct space *space)
{
    struct map seen = {0};
    double unit[SPACES_MOST], count = 0;
    space_first(space, unit);
    do {
        double again[SPACES_MOST];
        memcpy(again, unit, sizeof again);
        space_snap(space, again);
        assert_true(same_point(unit, again, space_dimension(space)));
        assert_null(map_put(&seen, space_fingerprint(space, unit), &seen));
        count++;
    } while (space_next(space, unit));
    map_fini(&seen);
    return count;
}

static void a_walk_meets_every_configuration_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rng rng = rng_make(seed, "walk", 0);
        struct space *space = spaces_random_finite(&rng);
        bool exact;
        double size = space_size(space, &exact);
        assert_true(exact);
        assert_true(walk(space) == size);
        space_destroy(space);
    }
}

static void the_last_parameter_goes_fastest(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': [1, 2], 'b': ['x', 'y'], 'c': {'values': [7, 8], 'when': {'b': 'y'}}}");
    double unit[3];
    space_first(space, unit);
    assert_string_equal(spaces_show(space, unit), "{'a': 1, 'b': 'x'}");
    const char *rest[] = {"{'a': 1, 'b': 'y', 'c': 7}", "{'a': 1, 'b': 'y', 'c': 8}", "{'a': 2, 'b': 'x'}",
                          "{'a': 2, 'b': 'y', 'c': 7}", "{'a': 2, 'b': 'y', 'c': 8}"};
    for (int i = 0; i < 5; i++) {
        assert_true(space_next(space, unit));
        assert_string_equal(spaces_show(space, unit), rest[i]);
    }
    assert_false(space_next(space, unit));
    space_destroy(space);
}

static void equal_steps_in_the_cube_are_equally_probable(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'c': {'values': ['a', 'b'], 'weights': [3, 1]}, 'n': {'min': 1, 'max': 5}}");
    struct rng rng = rng_make(11, "even", 0);
    int a = 0, n[6] = {0};
    for (int i = 0; i < 20000; i++) {
        double unit[2];
        struct value config[2];
        spaces_point(space, &rng, unit);
        space_config(space, unit, config);
        a += strcmp(config[0].text, "a") == 0;
        n[config[1].integer]++;
        space_config_fini(space, config);
    }
    assert_in_range(a, 14700, 15300); /* 15000, standard deviation 61 */
    for (int i = 1; i <= 5; i++)
        assert_in_range(n[i], 3700, 4300); /* 4000, standard deviation 57 */
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_thousands_of_random_spaces_come_back),
        cmocka_unit_test(any_coordinates_become_a_point),
        cmocka_unit_test(what_is_missing_takes_the_default_or_is_filled),
        cmocka_unit_test(a_walk_meets_every_configuration_once),
        cmocka_unit_test(the_last_parameter_goes_fastest),
        cmocka_unit_test(equal_steps_in_the_cube_are_equally_probable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
