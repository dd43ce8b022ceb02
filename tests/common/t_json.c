/* JSON values that jansson has no words for. */
#include "common/json.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

static void assert_text(json_t *json, const char *text)
{
    assert_true(json_is_string(json));
    assert_string_equal(json_string_value(json), text);
    json_decref(json);
}

static void a_real_number_survives_the_way_there_and_back(void **state)
{
    (void)state;
    static const double numbers[] = {0, -0.0, 0.1, 1e-300, 1e300, -42};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *json = json_of_real(numbers[i]);
        double back;
        assert_true(json_to_real(json, &back));
        assert_true(back == numbers[i]);
        json_decref(json);
    }
}

static void what_is_not_finite_is_a_text(void **state)
{
    (void)state;
    double back;
    assert_text(json_of_real(NAN), "nan");
    assert_text(json_of_real(INFINITY), "inf");
    assert_text(json_of_real(-INFINITY), "-inf");
    json_t *json = json_of_real(-INFINITY);
    assert_true(json_to_real(json, &back) && back == -INFINITY);
    json_decref(json);
    json = json_of_real(NAN);
    assert_true(json_to_real(json, &back) && isnan(back));
    json_decref(json);
}

static void other_values_are_no_real(void **state)
{
    (void)state;
    double back;
    json_t *json = json_string("infinity");
    assert_false(json_to_real(json, &back));
    json_decref(json);
    assert_false(json_to_real(json_null(), &back));
    assert_false(json_to_real(NULL, &back));
}

static void numbers_beyond_a_signed_integer_are_texts(void **state)
{
    (void)state;
    json_t *json = json_of_u64(INT64_MAX);
    assert_int_equal(json_integer_value(json), INT64_MAX);
    json_decref(json);
    assert_text(json_of_u64(UINT64_MAX), "18446744073709551615");
}

static void a_time_is_utc_with_milliseconds(void **state)
{
    (void)state;
    assert_text(json_of_time(0), "1970-01-01T00:00:00.000Z");
    assert_text(json_of_time(1795183331.5), "2026-11-20T14:02:11.500Z");
}

static void what_is_no_time_is_null(void **state)
{
    (void)state;
    static const double times[] = {NAN, INFINITY, -1, 1e12, 1e300};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_true(json_is_null(json_of_time(times[i])));
}

static void a_text_that_is_utf8_stays_as_it_is(void **state)
{
    (void)state;
    assert_text(json_of_text(""), "");
    assert_text(json_of_text("Gr\xc3\xb6\xc3\x9f"
                             "e \xe2\x82\xac \xf0\x9f\x90\xa6"),
                "Gr\xc3\xb6\xc3\x9f"
                "e \xe2\x82\xac \xf0\x9f\x90\xa6");
    assert_true(json_is_null(json_of_text(NULL)));
}

#define MARK "\xef\xbf\xbd"

static void bytes_that_are_no_utf8_are_replaced_one_by_one(void **state)
{
    (void)state;
    assert_text(json_of_text("a\xff"
                             "b"),
                "a" MARK "b");
    assert_text(json_of_text("cut \xe2\x82"), "cut " MARK MARK);
    assert_text(json_of_text("overlong \xc0\xaf"), "overlong " MARK MARK);
    assert_text(json_of_text("surrogate \xed\xa0\x80"), "surrogate " MARK MARK MARK);
    assert_text(json_of_text("beyond \xf4\x90\x80\x80"), "beyond " MARK MARK MARK MARK);
}

static void any_two_bytes_make_a_text(void **state)
{
    (void)state;
    for (int first = 1; first < 256; first++)
        for (int second = 1; second < 256; second++) {
            char text[] = {(char)first, (char)second, '\0'};
            json_t *json = json_of_text(text);
            assert_true(json_is_string(json));
            json_decref(json);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_number_survives_the_way_there_and_back),
        cmocka_unit_test(what_is_not_finite_is_a_text),
        cmocka_unit_test(other_values_are_no_real),
        cmocka_unit_test(numbers_beyond_a_signed_integer_are_texts),
        cmocka_unit_test(a_time_is_utc_with_milliseconds),
        cmocka_unit_test(what_is_no_time_is_null),
        cmocka_unit_test(a_text_that_is_utf8_stays_as_it_is),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced_one_by_one),
        cmocka_unit_test(any_two_bytes_make_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
