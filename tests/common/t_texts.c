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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_of_several_values_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
