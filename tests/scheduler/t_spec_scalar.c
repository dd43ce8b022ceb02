/* What unquoted scalars are, by the core schema of YAML 1.2. */
#include "scheduler/spec/scalar.h"
#include "tests/claims.h"

#include <math.h>

static void numbers_are_those_of_the_core_schema(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double number;
    } reals[] = {{"1e-5", 1e-5}, {"1E3", 1e3}, {".5", 0.5},     {"+.5e1", 5},         {"1.", 1},
                 {"-0.0", -0.0}, {"1e5", 1e5}, {"12e03", 12e3}, {"-.inf", -INFINITY}, {"+.Inf", INFINITY}};
    static const struct {
        const char *text;
        int64_t number;
    } wholes[] = {{"0", 0},
                  {"+1", 1},
                  {"-19", -19},
                  {"010", 10},
                  {"0x1F", 31},
                  {"0o17", 15},
                  {"9223372036854775807", INT64_MAX},
                  {"-9223372036854775808", INT64_MIN}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        assert_int_equal(scalar_resolve(reals[i].text).kind, SCALAR_REAL);
        assert_true(scalar_resolve(reals[i].text).real == reals[i].number);
    }
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        assert_int_equal(scalar_resolve(wholes[i].text).kind, SCALAR_INT);
        assert_true(scalar_resolve(wholes[i].text).integer == wholes[i].number);
    }
    assert_true(isnan(scalar_resolve(".NaN").real));
}

static void what_only_looks_like_a_number_is_a_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"1_000", "12:30", "1e",   "e5",   ".",   "+",     "-",   "1.2.3",
                                        "0x",    "0xg",   "0o8",  "+0x1", "inf", "nan",   "1 ",  " 1",
                                        "1e+",   "--1",   "0b11", "+-1",  ".e5", "-.nan", "1,5", "Infinity"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(scalar_resolve(texts[i]).kind, SCALAR_TEXT);
}

static void a_whole_number_beyond_64_bits_is_huge(void **state)
{
    (void)state;
    struct scalar scalar = scalar_resolve("9223372036854775808");
    assert_int_equal(scalar.kind, SCALAR_REAL);
    assert_true(scalar.huge && scalar.real == 0x1p63);
    assert_true(scalar_resolve("0xFFFFFFFFFFFFFFFFF").huge);
    assert_false(scalar_resolve("1e300").huge);
}

static void switches_and_null_have_three_spellings_each(void **state)
{
    (void)state;
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const switches[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        assert_int_equal(scalar_resolve(nulls[i]).kind, SCALAR_NULL);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        assert_int_equal(scalar_resolve(switches[i]).kind, SCALAR_BOOL);
        assert_int_equal(scalar_resolve(switches[i]).truth, i < 3);
    }
    assert_int_equal(scalar_resolve("tRUE").kind, SCALAR_TEXT);
    assert_int_equal(scalar_resolve("nUll").kind, SCALAR_TEXT);
}

static void the_switches_of_older_yaml_are_known_as_texts(void **state)
{
    (void)state;
    static const char *const words[] = {"yes", "No", "ON", "off"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(scalar_resolve(words[i]).kind, SCALAR_TEXT);
        assert_true(scalar_was_switch(words[i]));
    }
    assert_false(scalar_was_switch("y"));
    assert_false(scalar_was_switch("none"));
}

static void only_octal_digits_behind_a_zero_were_octal(void **state)
{
    (void)state;
    assert_true(scalar_was_octal("010"));
    assert_true(scalar_was_octal("-07"));
    assert_false(scalar_was_octal("0"));
    assert_false(scalar_was_octal("08"));
    assert_false(scalar_was_octal("0.1"));
    assert_false(scalar_was_octal("0o17"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_core_schema),
        cmocka_unit_test(what_only_looks_like_a_number_is_a_text),
        cmocka_unit_test(a_whole_number_beyond_64_bits_is_huge),
        cmocka_unit_test(switches_and_null_have_three_spellings_each),
        cmocka_unit_test(the_switches_of_older_yaml_are_known_as_texts),
        cmocka_unit_test(only_octal_digits_behind_a_zero_were_octal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
