/* Fingerprints: equal for equal configurations, different for others. */
#include "search/tables.h"
#include "tests/claims.h"
#include "tests/spaces.h"

static uint64_t fingerprint(const char *text, const char *config)
{
    struct space *space = spaces_make(text);
    double unit[SPACES_MOST];
    spaces_read(space, config, unit);
    uint64_t result = space_fingerprint(space, unit);
    space_destroy(space);
    return result;
}

static void the_order_of_declaration_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(
        fingerprint("{'lr': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam'], 'n': {'min': 1, 'max': 9}}",
                    "{'lr': 0.5, 'opt': 'adam', 'n': 3}"),
        fingerprint("{'n': {'min': 1, 'max': 9}, 'opt': ['adam', 'lamb', 'sgd'], 'lr': {'min': 0.0, 'max': 2.0}}",
                    "{'n': 3, 'opt': 'adam', 'lr': 0.5}"));
}

static void constants_and_inactive_parameters_do_not_count(void **state)
{
    (void)state;
    const char *space = "{'opt': ['sgd', 'adam'], 'momentum': {'min': 0, 'max': 9, 'when': {'opt': 'sgd'}}}";
    assert_int_equal(fingerprint(space, "{'opt': 'adam', 'momentum': 3}"), fingerprint(space, "{'opt': 'adam'}"));
    assert_int_equal(fingerprint(space, "{'opt': 'adam'}"),
                     fingerprint("{'opt': ['adam'], 'k': 3}", "{'opt': 'adam'}"));
    assert_int_not_equal(fingerprint(space, "{'opt': 'sgd', 'momentum': 3}"),
                         fingerprint(space, "{'opt': 'sgd', 'momentum': 4}"));
}

static void equal_numbers_count_as_equal(void **state)
{
    (void)state;
    assert_int_equal(fingerprint("{'n': [1, 2]}", "{'n': 2}"), fingerprint("{'n': [1.0, 2.0]}", "{'n': 2.0}"));
    assert_int_equal(fingerprint("{'n': [1, 2]}", "{'n': 2}"), fingerprint("{'n': {'min': 0, 'max': 3}}", "{'n': 2}"));
    assert_int_equal(fingerprint("{'n': [0.0, 1]}", "{'n': 0}"), fingerprint("{'n': [-0.0, 1]}", "{'n': 0}"));
    assert_int_not_equal(fingerprint("{'n': [1, '1']}", "{'n': 1}"), fingerprint("{'n': [1, '1']}", "{'n': '1'}"));
    assert_int_not_equal(fingerprint("{'n': [true, 'true']}", "{'n': true}"),
                         fingerprint("{'n': [true, 'true']}", "{'n': 'true'}"));
}

static void swapped_values_are_another_configuration(void **state)
{
    (void)state;
    const char *space = "{'a': [1, 2], 'b': [1, 2]}";
    assert_int_not_equal(fingerprint(space, "{'a': 1, 'b': 2}"), fingerprint(space, "{'a': 2, 'b': 1}"));
}

static void equal_values_have_equal_hashes(void **state)
{
    (void)state;
    const struct value values[] = {{.kind = VALUE_NULL},
                                   {.kind = VALUE_BOOL, .truth = true},
                                   {.kind = VALUE_BOOL},
                                   {.kind = VALUE_INT},
                                   {.kind = VALUE_REAL},
                                   {.kind = VALUE_REAL, .real = -0.0},
                                   {.kind = VALUE_INT, .integer = 1},
                                   {.kind = VALUE_REAL, .real = 1},
                                   {.kind = VALUE_TEXT, .text = (char[]){"1"}},
                                   {.kind = VALUE_INT, .integer = INT64_MAX},
                                   {.kind = VALUE_INT, .integer = INT64_MAX - 1}};
    enum { VALUES = sizeof values / sizeof *values };
    for (int a = 0; a < VALUES; a++)
        for (int b = 0; b < VALUES; b++)
            assert_int_equal(value_equal(&values[a], &values[b]),
                             fingerprint_value(&values[a]) == fingerprint_value(&values[b]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_declaration_does_not_count),
        cmocka_unit_test(constants_and_inactive_parameters_do_not_count),
        cmocka_unit_test(equal_numbers_count_as_equal),
        cmocka_unit_test(swapped_values_are_another_configuration),
        cmocka_unit_test(equal_values_have_equal_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
