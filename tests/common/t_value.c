/* Scalars: equality, and the way to JSON and back. */
#include "common/value.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

static const char *json_of(struct value value)
{
    static struct buf out;
    static char text[512];
    value_json(&value, &out);
    strncpy(text, buf_str(&out), sizeof text - 1);
    buf_fini(&out);
    value_fini(&value);
    return text;
}

static const char *shown(struct value value)
{
    static char text[512];
    struct buf out = {0};
    value_show(&value, &out);
    strncpy(text, buf_str(&out), sizeof text - 1);
    buf_fini(&out);
    value_fini(&value);
    return text;
}

static bool equal(struct value a, struct value b)
{
    bool same = value_equal(&a, &b);
    assert_int_equal(same, value_equal(&b, &a));
    value_fini(&a);
    value_fini(&b);
    return same;
}

static void values_are_json_scalars(void **state)
{
    (void)state;
    assert_string_equal(json_of(value_of_int(-3)), "-3");
    assert_string_equal(json_of(value_of_real(1)), "1.0");
    assert_string_equal(json_of(value_of_real(1e-5)), "1e-05");
    assert_string_equal(json_of(value_of_real(NAN)), "\"nan\"");
    assert_string_equal(json_of(value_of_real(INFINITY)), "\"inf\"");
    assert_string_equal(json_of(value_of_real(-INFINITY)), "\"-inf\"");
    assert_string_equal(json_of(value_of_bool(true)), "true");
    assert_string_equal(json_of((struct value){.kind = VALUE_NULL}), "null");
    assert_string_equal(json_of((struct value){0}), "null");
    assert_string_equal(json_of(value_of_text("adam")), "\"adam\"");
    assert_string_equal(json_of(value_of_text("a\"b\\c\n\1")), "\"a\\\"b\\\\c\\n\\u0001\"");
    assert_string_equal(json_of(value_of_text("sch\xc3\xb6n \xff")), "\"sch\xc3\xb6n \xef\xbf\xbd\"");
}

static void as_json_object_and_as_text_they_are_the_same(void **state)
{
    (void)state;
    const struct value values[] = {{0},
                                   {.kind = VALUE_NULL},
                                   value_of_int(INT64_MIN),
                                   value_of_real(0.1),
                                   value_of_real(NAN),
                                   value_of_real(-INFINITY),
                                   value_of_bool(false),
                                   {.kind = VALUE_TEXT, .text = (char[]){"a\"\xff"}}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct buf text = {0};
        value_json(&values[i], &text);
        json_t *there = value_to_json(&values[i]), *read = json_loads(buf_str(&text), JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        assert_true(json_equal(there, read));
        json_decref(there);
        json_decref(read);
        buf_fini(&text);
    }
}

static void values_are_shown_without_quotes(void **state)
{
    (void)state;
    assert_string_equal(shown(value_of_text("a \"b\"")), "a \"b\"");
    assert_string_equal(shown(value_of_int(3)), "3");
    assert_string_equal(shown(value_of_real(NAN)), "nan");
    assert_string_equal(shown(value_of_bool(false)), "false");
    assert_string_equal(shown((struct value){0}), "null");
}

static void equal_numbers_are_equal_whatever_their_kind(void **state)
{
    (void)state;
    assert_true(equal(value_of_int(3), value_of_real(3)));
    assert_false(equal(value_of_int(3), value_of_real(3.5)));
    assert_true(equal(value_of_int(INT64_MIN), value_of_real(-0x1p63)));
    assert_false(equal(value_of_int(INT64_MAX), value_of_real(0x1p63)));
    assert_false(equal(value_of_int((1ll << 53) + 1), value_of_real(0x1p53))); /* equal only as doubles */
    assert_false(equal(value_of_int(0), value_of_real(NAN)));
    assert_false(equal(value_of_int(0), value_of_real(INFINITY)));
    assert_true(equal(value_of_real(NAN), value_of_real(NAN)));
}

static void other_kinds_are_equal_only_among_themselves(void **state)
{
    (void)state;
    assert_true(equal(value_of_text("a"), value_of_text("a")));
    assert_false(equal(value_of_text("a"), value_of_text("A")));
    assert_false(equal(value_of_text("1"), value_of_int(1)));
    assert_false(equal(value_of_bool(true), value_of_int(1)));
    assert_true(equal(value_of_bool(true), value_of_bool(true)));
    assert_false(equal(value_of_bool(true), value_of_bool(false)));
    assert_false(equal((struct value){0}, (struct value){.kind = VALUE_NULL}));
    assert_true(equal((struct value){0}, (struct value){0}));
}

static void only_numbers_are_numbers(void **state)
{
    (void)state;
    double number = 0;
    struct value whole = value_of_int(7), real = value_of_real(0.5), text = value_of_text("1"),
                 truth = value_of_bool(true);
    assert_true(value_number(&whole, &number) && number == 7);
    assert_true(value_number(&real, &number) && number == 0.5);
    assert_false(value_number(&text, &number));
    assert_false(value_number(&truth, &number));
    value_fini(&text);
}

static void a_copy_owns_its_text(void **state)
{
    (void)state;
    struct value text = value_of_text("adam"), copy = value_copy(&text), again = value_copy(&copy);
    value_fini(&text);
    assert_int_equal(text.kind, VALUE_NONE);
    assert_true(value_equal(&copy, &again));
    assert_string_equal(copy.text, "adam");
    value_fini(&copy);
    value_fini(&again);
}

static void json_scalars_come_back_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {"3",     "-9223372036854775808",
                                        "0.001", "1e-05",
                                        "1.0",   "true",
                                        "null",  "\"adam\"",
                                        "\"\"",  "false",
                                        "[]",    "[64, 0.1, \"a b\", [null, true]]"};
    struct err err;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *json = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        struct value value;
        assert_int_equal(value_from_json(json, &value, &err), 0);
        json_decref(json);
        assert_string_equal(json_of(value), texts[i]);
    }
}

static void objects_are_no_values(void **state)
{
    (void)state;
    struct err err;
    struct value value;
    json_t *object = json_object(), *list = json_pack("[i, O]", 1, object), *zero = json_stringn("a\0b", 3);
    assert_int_equal(value_from_json(list, &value, &err), -1);
    assert_has(err.text, "an object is no value");
    assert_int_equal(value_from_json(object, &value, &err), -1);
    assert_has(err.text, "an object is no value");
    assert_int_equal(value_from_json(zero, &value, &err), -1);
    assert_int_equal(value_from_json(NULL, &value, &err), -1);
    json_decref(list);
    json_decref(object);
    json_decref(zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_json_scalars),
        cmocka_unit_test(as_json_object_and_as_text_they_are_the_same),
        cmocka_unit_test(values_are_shown_without_quotes),
        cmocka_unit_test(equal_numbers_are_equal_whatever_their_kind),
        cmocka_unit_test(other_kinds_are_equal_only_among_themselves),
        cmocka_unit_test(only_numbers_are_numbers),
        cmocka_unit_test(a_copy_owns_its_text),
        cmocka_unit_test(json_scalars_come_back_as_they_were),
        cmocka_unit_test(objects_are_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
