/* How many configurations a space has. */
#include "tests/claims.h"
#include "tests/spaces.h"

#include <math.h>

static void has(const char *text, double expected)
{
    struct space *space = spaces_make(text);
    bool exact;
    assert_true(space_size(space, &exact) == expected);
    assert_true(exact);
    space_destroy(space);
}

static void independent_parameters_multiply(void **state)
{
    (void)state;
    has("{'a': [1, 2, 3], 'n': {'min': 1, 'max': 10, 'step': 4}, 'x': {'min': 0.0, 'max': 0.6, 'step': 0.1}, 'k': 5}",
        3 * 3 * 7);
    has("{'k': 5}", 1);
}

static void one_continuous_parameter_makes_it_infinite(void **state)
{
    (void)state;
    has("{'a': [1, 2, 3], 'x': {'min': 0.0, 'max': 0.6}}", INFINITY);
    has("{'x': {'mean': 0, 'stddev': 1}}", INFINITY);
    has("{'n': {'min': 0, 'max': 9007199254740992}}", INFINITY);
}

static void children_count_where_they_are_active(void **state)
{
    (void)state;
    has("{'opt': ['sgd', 'adam', 'lamb'], 'momentum': {'min': 1, 'max': 10, 'when': {'opt': 'sgd'}}}", 10 + 2);
    has("{'depth': {'min': 1, 'max': 1000}, 'x': {'min': 1, 'max': 5, 'when': {'depth': [7, 9, 5000]}}}", 2 * 5 + 998);
    has("{'a': [1, 2], 'b': {'values': [1, 2], 'when': {'a': 3}}}", 2);
}

static void ranges_and_excluded_values_count_where_they_hold(void **state)
{
    (void)state;
    has("{'n': {'min': 1, 'max': 10}, 'x': {'min': 1, 'max': 5, 'when': {'n': {'min': 8}}}}", 7 + 3 * 5);
    has("{'n': {'min': 1, 'max': 10}, 'x': {'min': 1, 'max': 5, 'when': {'n': {'not': [3, 4]}}}}", 2 + 8 * 5);
    has("{'opt': ['sgd', 'adam'], 'x': {'min': 1, 'max': 5, 'when': {'opt': {'not': 'adam'}}},"
        " 'y': {'min': 1, 'max': 3, 'when': {'x': {'not': 1}}}}",
        1 + (1 + 4 * 3));
}

static void what_no_configuration_has_counts_for_nothing(void **state)
{
    (void)state;
    has("{'opt': 'adam', 'a': [1, 2, 3], 'm': {'min': 0.0, 'max': 0.9, 'when': {'opt': 'sgd'}},"
        " 'k': {'values': [1, 2], 'when': {'m': {'min': 0.5}}}}",
        3);
    has("{'a': [1, 2], 'x': {'min': 0.0, 'max': 1.0, 'when': {'a': 3}}}", 2);
    has("{'opt': 'adam', 'n': {'min': 1, 'max': 100000}, 'x': {'min': 0.0, 'max': 1.0, 'when': {'n': {'min': 50000}, "
        "'opt': 'sgd'}}}",
        100000);
}

/* A range of very many values: as if no condition were there. */
static void a_wide_range_is_bounded_from_above(void **state)
{
    (void)state;
    bool exact;
    struct space *space = spaces_make("{'n': {'min': 1, 'max': 100000}, 'x': [1, 2], 'y': {'values': [1, 2], 'when': "
                                      "{'n': {'min': 50000}}}}");
    assert_true(space_size(space, &exact) == 100000.0 * 2 * 2);
    assert_false(exact);
    space_destroy(space);
}

/* a=1: b (2); a=2: b x c with d (10) at one of four; a=3: c (2) */
static void a_diamond_is_counted_exactly(void **state)
{
    (void)state;
    has("{'a': [1, 2, 3], 'b': {'values': [1, 2], 'when': {'a': [1, 2]}}, 'c': {'values': [1, 2], 'when': {'a': [2, "
        "3]}},"
        " 'd': {'min': 0, 'max': 9, 'when': {'b': 1, 'c': 1}}}",
        2 + (3 + 10) + 2);
}

/* Each of 30 pairs alone has 1 + 5 cases: far too many to be walked together. */
static void unconnected_groups_are_counted_one_by_one(void **state)
{
    (void)state;
    struct buf text = {0};
    double expected = 1;
    for (int i = 0; i < 30; i++) {
        buf_format(&text, "%s'a%d': [1, 2], 'b%d': {'min': 1, 'max': 5, 'when': {'a%d': 1}}", i ? ", " : "{", i, i, i);
        expected *= 6;
    }
    buf_text(&text, "}");
    has(buf_str(&text), expected);
    buf_fini(&text);
}

static void a_bound_is_given_where_counting_takes_too_long(void **state)
{
    (void)state;
    struct buf text = {0};
    for (int i = 0; i < 30; i++)
        buf_format(&text, "%s'a%d': [1, 2]", i ? ", " : "{", i);
    buf_text(&text, ", 'last': {'values': [1, 2, 3], 'when': {");
    for (int i = 0; i < 30; i++)
        buf_format(&text, "%s'a%d': 1", i ? ", " : "", i);
    buf_text(&text, "}}}");
    struct space *space = spaces_make(buf_str(&text));
    bool exact = true;
    assert_true(space_size(space, &exact) == 3 * pow(2, 30));
    assert_false(exact);
    space_destroy(space);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_parameters_multiply),
        cmocka_unit_test(one_continuous_parameter_makes_it_infinite),
        cmocka_unit_test(children_count_where_they_are_active),
        cmocka_unit_test(ranges_and_excluded_values_count_where_they_hold),
        cmocka_unit_test(what_no_configuration_has_counts_for_nothing),
        cmocka_unit_test(a_wide_range_is_bounded_from_above),
        cmocka_unit_test(a_diamond_is_counted_exactly),
        cmocka_unit_test(unconnected_groups_are_counted_one_by_one),
        cmocka_unit_test(a_bound_is_given_where_counting_takes_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
