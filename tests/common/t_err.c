/* Errors as sentences. */
#include "common/err.h"
#include "tests/claims.h"

#include <errno.h>
#include <string.h>

static void setting_an_error_is_minus_one_and_the_sentence(void **state)
{
    (void)state;
    struct err err = {""};
    assert_int_equal(err_set(&err, "'%s' has min %g", "lr", 0.1), -1);
    assert_string_equal(err.text, "'lr' has min 0.1");
}

static void errno_is_put_into_words(void **state)
{
    (void)state;
    struct err err;
    errno = EACCES;
    assert_int_equal(err_errno(&err, "can't open %s", "runs/a"), -1);
    assert_string_equal(err.text, "can't open runs/a: Permission denied");
}

static void a_prefix_goes_in_front(void **state)
{
    (void)state;
    struct err err = {"no such key"};
    assert_int_equal(err_prefix(&err, "%s:%d", "a.yaml", 3), -1);
    assert_string_equal(err.text, "a.yaml:3: no such key");
}

static void a_sentence_that_is_too_long_ends_in_dots(void **state)
{
    (void)state;
    struct err err;
    char text[sizeof err.text * 2];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)err_set(&err, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 5, "x...");
    (void)err_prefix(&err, "file");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 5, "x...");
    errno = EIO;
    (void)err_errno(&err, "%s", text);
    assert_string_equal(err.text + sizeof err.text - 5, "x...");
    text[sizeof err.text - 1] = '\0';
    (void)err_set(&err, "%s", text);
    assert_string_equal(err.text, text); /* just fits */
}

static void nobody_has_to_read_it(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, "x"), -1);
    assert_int_equal(err_errno(NULL, "x"), -1);
    assert_int_equal(err_prefix(NULL, "x"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_error_is_minus_one_and_the_sentence),
        cmocka_unit_test(errno_is_put_into_words),
        cmocka_unit_test(a_prefix_goes_in_front),
        cmocka_unit_test(a_sentence_that_is_too_long_ends_in_dots),
        cmocka_unit_test(nobody_has_to_read_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
