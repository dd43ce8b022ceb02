/* What strategies see of a space. */
#include "tests/claims.h"
#include "tests/spaces.h"

#include <math.h>

static void parents_come_before_their_children(void **state)
{
    (void)state;
    struct space *space =
        spaces_make("{'c': {'values': [1, 2], 'when': {'b': 1}}, 'k': 3, 'b': {'values': [1, 2], 'when': {'a': 1}},"
                    " 'd': [1, 2], 'a': [1, 2]}");
    const struct gannet_space *public = space_public(space);
    const char *const expected[] = {"d", "a", "b", "c"};
    assert_int_equal(public->count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(public->params[i].name, expected[i]);
    assert_false(public->params[1].conditional);
    assert_true(public->params[2].conditional);
    space_destroy(space);
}

static void parameters_are_described(void **state)
{
    (void)state;
    struct space *space = spaces_make(
        "{'lr': {'min': 1e-4, 'max': 1.0, 'log': true, 'default': 0.01}, 'n': {'min': 1, 'max': 9, 'step': 4},"
        " 'opt': ['sgd', 1, null], 'size': {'values': [1, 2], 'ordered': true, 'default': 2},"
        " 'x': {'mean': 3, 'stddev': 1}}");
    const struct gannet_param *p = space_public(space)->params;
    assert_int_equal(p[0].kind, GANNET_REAL);
    assert_true(p[0].log && p[0].levels == 0 && p[0].min == 1e-4 && p[0].max == 1 && p[0].preferred == 0.5);
    assert_true(p[1].kind == GANNET_INT && p[1].levels == 3 && isnan(p[1].preferred));
    assert_true(p[2].kind == GANNET_CHOICE && p[2].levels == 3 && p[2].min == 0 && p[2].max == 2);
    assert_string_equal(p[2].choices[0], "sgd");
    assert_string_equal(p[2].choices[1], "1");
    assert_string_equal(p[2].choices[2], "null");
    assert_true(p[3].kind == GANNET_ORDERED && p[3].preferred == 0.75);
    assert_true(p[4].kind == GANNET_REAL && isinf(p[4].min) && isinf(p[4].max));
    assert_true(isinf(space_public(space)->size));
    space_destroy(space);
}

static void natural_numbers_go_both_ways(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'lr': {'min': 1e-4, 'max': 1.0, 'log': true}, 'opt': ['sgd', 'adam']}");
    const struct gannet_host *host = space_host(space);
    assert_true(host->natural(host, 0, 0.5) == 0.01);
    assert_true(host->unit(host, 0, 0.01) == 0.5);
    assert_true(host->natural(host, 1, 0.9) == 1);
    assert_true(host->unit(host, 1, 0) == 0.25);
    assert_true(isnan(host->natural(host, 2, 0.5)));
    assert_true(isnan(host->unit(host, 99, 0.5)));
    space_destroy(space);
}

static void snap_and_allowed_are_those_of_the_space(void **state)
{
    (void)state;
    struct space *space = spaces_make_with("{'a': {'min': 1, 'max': 4}, 'b': [1, 2]}", "a < 3 or b == 1");
    const struct gannet_host *host = space_host(space);
    double unit[2] = {7, NAN};
    host->snap(host, unit);
    assert_true(unit[0] == 0.875 && unit[1] == 0.75);
    assert_false(host->allowed(host, unit));
    unit[1] = 0.25;
    assert_true(host->allowed(host, unit));
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_come_before_their_children),
        cmocka_unit_test(parameters_are_described),
        cmocka_unit_test(natural_numbers_go_both_ways),
        cmocka_unit_test(snap_and_allowed_are_those_of_the_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
