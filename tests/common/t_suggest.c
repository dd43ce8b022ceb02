/* "Did you mean ...?" */
#include "common/suggest.h"
#include "tests/claims.h"

#include <string.h>

static const char *const keys[] = {"max_trials", "max_time", "strategy", "metric", "seed", "lr", "l2"};

enum { KEYS = sizeof keys / sizeof *keys };

static void edits_are_counted(void **state)
{
    (void)state;
    assert_int_equal(suggest_distance("", ""), 0);
    assert_int_equal(suggest_distance("", "abc"), 3);
    assert_int_equal(suggest_distance("seed", "seed"), 0);
    assert_int_equal(suggest_distance("sed", "seed"), 1);
    assert_int_equal(suggest_distance("seeds", "seed"), 1);
    assert_int_equal(suggest_distance("seod", "seed"), 1);
    assert_int_equal(suggest_distance("sede", "seed"), 1); /* neighbours swapped */
    assert_int_equal(suggest_distance("ca", "abc"), 3);    /* the optimal string alignment form; unrestricted: 2 */
    assert_int_equal(suggest_distance("kitten", "sitting"), 3);
}

static void case_and_dashes_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(suggest_distance("Max-Trials", "max_trials"), 0);
    assert_string_equal(suggest_nearest("Max-Trials", keys, KEYS), "max_trials");
}

static void the_nearest_name_is_suggested(void **state)
{
    (void)state;
    assert_string_equal(suggest_nearest("max_trial", keys, KEYS), "max_trials");
    assert_string_equal(suggest_nearest("stratgey", keys, KEYS), "strategy");
    assert_string_equal(suggest_nearest("metrics", keys, KEYS), "metric");
}

static void what_is_far_from_all_has_no_suggestion(void **state)
{
    (void)state;
    assert_null(suggest_nearest("pineapple", keys, KEYS));
    assert_null(suggest_nearest("", keys, KEYS));
    assert_null(suggest_nearest("seed", keys, 0));
}

static void two_that_are_as_near_are_no_suggestion(void **state)
{
    (void)state;
    assert_null(suggest_nearest("l", keys, KEYS));
}

static void long_texts_do_no_harm(void **state)
{
    (void)state;
    char text[65], longer[66];
    memset(text, 'a', 64);
    memset(longer, 'a', 65);
    text[64] = longer[65] = '\0';
    assert_int_equal(suggest_distance(text, text), 0);
    assert_int_equal(suggest_distance(text, longer), 65);
    assert_null(suggest_nearest(longer, keys, KEYS));
}

static void lists_are_joined_by_commas(void **state)
{
    (void)state;
    struct buf out = {0};
    suggest_list(&out, keys, 3);
    assert_string_equal(buf_str(&out), "max_trials, max_time, strategy");
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(case_and_dashes_do_not_count),
        cmocka_unit_test(the_nearest_name_is_suggested),
        cmocka_unit_test(what_is_far_from_all_has_no_suggestion),
        cmocka_unit_test(two_that_are_as_near_are_no_suggestion),
        cmocka_unit_test(long_texts_do_no_harm),
        cmocka_unit_test(lists_are_joined_by_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
