/* Conditions: which parameters are active when. */
#include "tests/claims.h"
#include "tests/spaces.h"
#include "common/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The configuration that this one becomes. */
static void becomes(const char *text, const char *config, const char *expected)
{
    struct space *space = spaces_make(text);
    double unit[SPACES_MOST];
    spaces_read(space, config, unit);
    assert_string_equal(spaces_show(space, unit), expected);
    space_destroy(space);
}

static void a_child_follows_its_parent(void **state)
{
    (void)state;
    const char *space = "{'opt': ['sgd', 'adam'], 'momentum': {'min': 0, 'max': 9, 'when': {'opt': 'sgd'}}}";
    becomes(space, "{'opt': 'sgd', 'momentum': 3}", "{'opt': 'sgd', 'momentum': 3}");
    becomes(space, "{'opt': 'adam', 'momentum': 3}", "{'opt': 'adam'}");
}

static void a_child_may_be_declared_before_its_parent(void **state)
{
    (void)state;
    const char *space = "{'momentum': {'min': 0, 'max': 9, 'when': {'opt': 'sgd'}}, 'opt': ['sgd', 'adam']}";
    becomes(space, "{'opt': 'sgd', 'momentum': 3}", "{'momentum': 3, 'opt': 'sgd'}");
    becomes(space, "{'opt': 'adam', 'momentum': 3}", "{'opt': 'adam'}");
}

static void parents_may_be_integers_stepped_reals_and_truths(void **state)
{
    (void)state;
    const char *space =
        "{'depth': {'min': 1, 'max': 4}, 'rate': {'min': 0.0, 'max': 0.5, 'step': 0.1}, 'on': [true, false],"
        " 'a': {'min': 0, 'max': 9, 'when': {'depth': [3, 4]}},"
        " 'b': {'min': 0, 'max': 9, 'when': {'rate': 0.3}},"
        " 'c': {'min': 0, 'max': 9, 'when': {'on': true}}}";
    becomes(space, "{'depth': 3, 'rate': 0.3, 'on': true, 'a': 1, 'b': 2, 'c': 3}",
            "{'depth': 3, 'rate': 0.3, 'on': true, 'a': 1, 'b': 2, 'c': 3}");
    becomes(space, "{'depth': 2, 'rate': 0.4, 'on': false}", "{'depth': 2, 'rate': 0.4, 'on': false}");
}

static void several_parents_must_all_hold(void **state)
{
    (void)state;
    const char *space = "{'a': [1, 2], 'b': [1, 2], 'c': {'min': 0, 'max': 9, 'when': {'a': 1, 'b': 1}}}";
    becomes(space, "{'a': 1, 'b': 1, 'c': 5}", "{'a': 1, 'b': 1, 'c': 5}");
    becomes(space, "{'a': 2, 'b': 1, 'c': 5}", "{'a': 2, 'b': 1}");
    becomes(space, "{'a': 1, 'b': 2, 'c': 5}", "{'a': 1, 'b': 2}");
}

/* d hangs on b and c, which hang on a in different ways. */
static void a_diamond_closes_again(void **state)
{
    (void)state;
    const char *space = "{'a': [1, 2, 3], 'b': {'values': [1, 2], 'when': {'a': [1, 2]}},"
                        " 'c': {'values': [1, 2], 'when': {'a': [2, 3]}},"
                        " 'd': {'min': 0, 'max': 9, 'when': {'b': 1, 'c': 1}}}";
    becomes(space, "{'a': 1, 'b': 1, 'c': 1, 'd': 5}", "{'a': 1, 'b': 1}");
    becomes(space, "{'a': 2, 'b': 1, 'c': 1, 'd': 5}", "{'a': 2, 'b': 1, 'c': 1, 'd': 5}");
    becomes(space, "{'a': 2, 'b': 2, 'c': 1, 'd': 5}", "{'a': 2, 'b': 2, 'c': 1}");
    becomes(space, "{'a': 3, 'b': 1, 'c': 1, 'd': 5}", "{'a': 3, 'c': 1}");
}

/* The chain p0 <- p1 <- ... <- p49, declared from its end. */
static struct space *chain(void)
{
    struct buf text = {0};
    for (int i = 49; i > 0; i--)
        buf_format(&text, "%s'p%d': {'values': [1, 2], 'when': {'p%d': 1}}", i == 49 ? "{" : ", ", i, i - 1);
    buf_text(&text, ", 'p0': [1, 2]}");
    struct space *space = spaces_make(buf_str(&text));
    buf_fini(&text);
    return space;
}

static void a_chain_of_fifty_ends_where_it_is_cut(void **state)
{
    (void)state;
    struct space *space = chain();
    for (uint32_t cut = 0; cut < 50; cut++) {
        double unit[SPACES_MOST];
        for (uint32_t c = 0; c < 50; c++)
            unit[c] = c == cut ? 0.9 : 0.1;
        space_snap(space, unit);
        for (uint32_t c = 0; c < 50; c++)
            assert_int_equal(isnan(unit[c]), c > cut);
    }
    space_destroy(space);
}

static void a_child_of_an_inactive_constant_is_inactive(void **state)
{
    (void)state;
    const char *space = "{'opt': ['sgd', 'adam'], 'nesterov': {'value': true, 'when': {'opt': 'sgd'}},"
                        " 'x': {'min': 0, 'max': 9, 'when': {'nesterov': true}},"
                        " 'y': {'min': 0, 'max': 9, 'when': {'nesterov': false}}}";
    becomes(space, "{'opt': 'sgd', 'x': 4, 'y': 4}", "{'opt': 'sgd', 'nesterov': true, 'x': 4}");
    becomes(space, "{'opt': 'adam', 'x': 4, 'y': 4}", "{'opt': 'adam'}");
}

static void a_value_that_the_parent_never_has_leaves_the_child_out(void **state)
{
    (void)state;
    const char *space =
        "{'a': [1, 2], 'b': {'values': [1, 2], 'when': {'a': 7}}, 'c': {'values': [1, 2], 'when': {'b': 1}}}";
    becomes(space, "{'a': 1, 'b': 1, 'c': 1}", "{'a': 1}");
}

static void a_range_holds_for_whole_numbers_steps_and_reals(void **state)
{
    (void)state;
    const char *space = "{'layers': {'min': 1, 'max': 9}, 'rate': {'min': 0.0, 'max': 0.5, 'step': 0.1},"
                        " 'lr': {'min': 0.001, 'max': 1.0, 'log': true},"
                        " 'a': {'min': 0, 'max': 9, 'when': {'layers': {'min': 3, 'max': 5}}},"
                        " 'b': {'min': 0, 'max': 9, 'when': {'rate': {'max': 0.3}}},"
                        " 'c': {'min': 0, 'max': 9, 'when': {'lr': {'min': 0.1}}}}";
    becomes(space, "{'layers': 3, 'rate': 0.3, 'lr': 0.1, 'a': 1, 'b': 2, 'c': 3}",
            "{'layers': 3, 'rate': 0.3, 'lr': 0.1, 'a': 1, 'b': 2, 'c': 3}");
    becomes(space, "{'layers': 6, 'rate': 0.4, 'lr': 0.09, 'a': 1, 'b': 2, 'c': 3}",
            "{'layers': 6, 'rate': 0.4, 'lr': 0.09}");
}

static void a_range_of_a_choice_holds_for_its_numbers(void **state)
{
    (void)state;
    const char *space = "{'batch': ['auto', 16, 64, 256], 'k': 7,"
                        " 'a': {'min': 0, 'max': 9, 'when': {'batch': {'min': 64}}},"
                        " 'b': {'min': 0, 'max': 9, 'when': {'k': {'min': 7}}},"
                        " 'c': {'min': 0, 'max': 9, 'when': {'k': {'min': 8}}}}";
    becomes(space, "{'batch': 256, 'a': 1, 'b': 2, 'c': 3}", "{'batch': 256, 'k': 7, 'a': 1, 'b': 2}");
    becomes(space, "{'batch': 'auto', 'a': 1, 'b': 2}", "{'batch': 'auto', 'k': 7, 'b': 2}");
}

static void excluded_values_leave_all_others(void **state)
{
    (void)state;
    const char *space = "{'opt': ['sgd', 'adam', 'lars'], 'n': {'min': 1, 'max': 9}, 'k': 7,"
                        " 'a': {'min': 0, 'max': 9, 'when': {'opt': {'not': ['adam', 'lars']}, 'n': {'not': 4}}},"
                        " 'b': {'min': 0, 'max': 9, 'when': {'k': {'not': 7}}},"
                        " 'c': {'min': 0, 'max': 9, 'when': {'a': {'not': 0}}}}";
    becomes(space, "{'opt': 'sgd', 'n': 5, 'a': 1, 'b': 2, 'c': 3}", "{'opt': 'sgd', 'n': 5, 'k': 7, 'a': 1, 'c': 3}");
    becomes(space, "{'opt': 'sgd', 'n': 4, 'a': 1, 'c': 3}", "{'opt': 'sgd', 'n': 4, 'k': 7}");
    becomes(space, "{'opt': 'adam', 'n': 5, 'a': 1, 'c': 3}", "{'opt': 'adam', 'n': 5, 'k': 7}");
}

static void what_becomes_active_gets_the_middle(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'a': [1, 2], 'x': {'min': 0.0, 'max': 1.0, 'when': {'a': 1}}}");
    double unit[2] = {0.9, 0.3};
    space_snap(space, unit);
    assert_true(isnan(unit[1]));
    unit[0] = 0.1;
    space_snap(space, unit);
    assert_true(unit[1] == 0.5);
    space_destroy(space);
}

static void a_circle_is_named(void **state)
{
    (void)state;
    struct space *space;
    struct err err = {{0}};
    uint32_t culprit = 99;
    assert_int_equal(
        spaces_try("{'free': [1, 2], 'hangs': {'values': [1, 2], 'when': {'a': 1}},"
                   " 'a': {'values': [1, 2], 'when': {'free': 1, 'c': 1}},"
                   " 'b': {'values': [1, 2], 'when': {'a': 1}}, 'c': {'values': [1, 2], 'when': {'b': 1}}}",
                   &space, &culprit, &err),
        -1);
    assert_true(culprit >= 2 && culprit <= 4);
    assert_non_null(strstr(err.text, "the conditions run in a circle: "));
    assert_non_null(strstr(err.text, "'a' needs 'c'"));
    assert_non_null(strstr(err.text, "'c' needs 'b'"));
    assert_non_null(strstr(err.text, "'b' needs 'a'"));
    assert_null(strstr(err.text, "hangs"));
    space_destroy(space);
    assert_int_equal(spaces_try("{'a': {'values': [1, 2], 'when': {'a': 1}}}", &space, &culprit, &err), -1);
    assert_string_equal(err.text, "the conditions run in a circle: 'a' needs 'a'");
    space_destroy(space);
}

static void too_many_parameters_are_refused(void **state)
{
    (void)state;
    struct space *space = space_create();
    for (int i = 0; i <= SPACE_MOST_PARAMS; i++) {
        char name[20];
        snprintf(name, sizeof name, "p%d", i);
        struct param param = {.name = strdup(name), .kind = PARAM_REAL, .max = 1};
        space_add(space, &param);
    }
    struct err err;
    uint32_t culprit;
    assert_int_equal(space_finish(space, &culprit, &err), -1);
    assert_string_equal(err.text, "there are 1025 parameters; a space can have 1024");
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_follows_its_parent),
        cmocka_unit_test(a_child_may_be_declared_before_its_parent),
        cmocka_unit_test(parents_may_be_integers_stepped_reals_and_truths),
        cmocka_unit_test(several_parents_must_all_hold),
        cmocka_unit_test(a_diamond_closes_again),
        cmocka_unit_test(a_chain_of_fifty_ends_where_it_is_cut),
        cmocka_unit_test(a_child_of_an_inactive_constant_is_inactive),
        cmocka_unit_test(a_value_that_the_parent_never_has_leaves_the_child_out),
        cmocka_unit_test(a_range_holds_for_whole_numbers_steps_and_reals),
        cmocka_unit_test(a_range_of_a_choice_holds_for_its_numbers),
        cmocka_unit_test(excluded_values_leave_all_others),
        cmocka_unit_test(what_becomes_active_gets_the_middle),
        cmocka_unit_test(a_circle_is_named),
        cmocka_unit_test(too_many_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
