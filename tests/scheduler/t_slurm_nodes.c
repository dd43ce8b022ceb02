/* Slurm's lists of nodes. */
#include "scheduler/slurm/nodes.h"
#include "tests/claims.h"

#include "common/buf.h"

#include <stdlib.h>

/* The names with a blank between them, or "?" when it is no list. */
static void assert_nodes(const char *list, const char *expected)
{
    struct texts names = {0};
    struct buf text = {0};
    int failed = nodes_read(list, &names, NULL);
    for (size_t i = 0; i < names.count && !failed; i++)
        buf_format(&text, "%s%s", i ? " " : "", names.items[i]);
    assert_string_equal(failed ? "?" : buf_str(&text), expected);
    buf_fini(&text);
    texts_fini(&names);
}

static void names_stand_for_themselves(void **state)
{
    (void)state;
    assert_nodes("n1", "n1");
    assert_nodes("n1,login-2.cluster", "n1 login-2.cluster");
    assert_nodes("", "");
}

static void brackets_are_ranges_and_numbers(void **state)
{
    (void)state;
    assert_nodes("n[1-4]", "n1 n2 n3 n4");
    assert_nodes("n[1,3,7-8],gpu07", "n1 n3 n7 n8 gpu07");
    assert_nodes("n[5]", "n5");
}

static void zeros_in_front_stay(void **state)
{
    (void)state;
    assert_nodes("n[08-11]", "n08 n09 n10 n11");
    assert_nodes("n[001,2]", "n001 n2");
}

static void brackets_may_be_several_and_have_something_behind_them(void **state)
{
    (void)state;
    assert_nodes("r[1-2]n[3-4]", "r1n3 r1n4 r2n3 r2n4");
    assert_nodes("n[1-2]-ib", "n1-ib n2-ib");
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "n[",     "n]",     "n[]",      "n[1",     "n[1-",          "n[a-b]",
        "n[4-1]", "n[1-2,", "n[1-2,]x", "n[1--2]", "n[1-99999999]", ",n1",
        "n1,,n2", "n 1",    "n;rm",     "n[1[2]]", "n[1-2]]",       "n[0-9][0-9][0-9][0-9][0-9]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_nodes(bad[i], "?");
}

static void the_sentence_quotes_it(void **state)
{
    (void)state;
    struct texts names = {0};
    struct err err;
    assert_int_equal(nodes_read("n[", &names, &err), -1);
    assert_has(err.text, "'n['");
    texts_fini(&names);
}

static void a_list_that_was_cut_off_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    assert_true(nodes_list_has("n[1-3,5]", 100, "n5"));
    assert_false(nodes_list_has("n[2-3,5]", 100, "n1"));
    assert_false(nodes_list_has("n[2-3,5", 8, "n1"));
    assert_true(nodes_list_has("n[2-3,5", 8, "n3"));
    assert_false(nodes_list_has("n2,n3,n", 8, "n"));
    assert_true(nodes_list_has("n[2", 4, "n1")); /* nobody can tell */
    assert_true(nodes_list_has("", 4, "n1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stand_for_themselves),
        cmocka_unit_test(brackets_are_ranges_and_numbers),
        cmocka_unit_test(zeros_in_front_stay),
        cmocka_unit_test(brackets_may_be_several_and_have_something_behind_them),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(the_sentence_quotes_it),
        cmocka_unit_test(a_list_that_was_cut_off_is_read_as_far_as_it_goes),
    };
    return cmocka_run_group_tests_name("slurm_nodes", tests, NULL, NULL);
}
