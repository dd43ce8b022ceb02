/* Lists of texts, and of variables. */
#include "common/texts.h"
#include "tests/claims.h"

static void the_last_of_several_values_counts(void **state)
{
    (void)state;
    const char *const list[] = {"PATHS=/a", "PATH=/b", "PATH=/c", "EMPTY=", NULL};
    assert_string_equal(texts_variable(list, "PATH"), "/c");
    assert_string_equal(texts_variable(list, "EMPTY"), "");
    assert_null(texts_variable(list, "PAT"));
    assert_null(texts_variable(NULL, "PATH"));
}

static void a_word_of_a_list_is_found_as_a_whole(void **state)
{
    (void)state;
    assert_true(texts_lists("lr,width", ',', "width", 5));
    assert_true(texts_lists("lr,width", ',', "lr, and more", 2));
    assert_false(texts_lists("lr,width", ',', "wid", 3));
    assert_false(texts_lists("lr width", ',', "lr", 2));
    assert_false(texts_lists("", ',', "lr", 2));
    assert_false(texts_lists(NULL, ',', "lr", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_of_several_values_counts),
                                       cmocka_unit_test(a_word_of_a_list_is_found_as_a_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
