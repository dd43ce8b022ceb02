/* A program's configuration with a trial's parameters in it. */
#include "common/trial_config.h"
#include "tests/claims.h"

#include <string.h>

static void assert_made(const char *config, const char *params, const char *expected)
{
    struct err err = {""};
    struct buf text = {0};
    json_t *base = json_loads(config, 0, NULL), *values = json_loads(params, 0, NULL);
    json_t *made = trial_config_make(base, values, &err);
    if (made)
        trial_config_write(made, &text);
    else
        buf_text(&text, err.text);
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
    json_decref(made);
    json_decref(base);
    json_decref(values);
}

static void parameters_go_to_their_dotted_places(void **state)
{
    (void)state;
    assert_made("{\"optim\": {\"lr\": 1, \"name\": \"sgd\"}, \"out\": \"x\"}", "{\"optim.lr\": 0.5}",
                "{\n  \"optim\": {\n    \"lr\": 0.5,\n    \"name\": \"sgd\"\n  },\n  \"out\": \"x\"\n}");
    assert_made("{\"layers\": [{\"width\": 1}, 7]}", "{\"layers.0.width\": 2, \"layers.1\": 8}",
                "{\n  \"layers\": [{\n    \"width\": 2\n  }, 8]\n}");
}

static void parts_that_are_missing_are_made(void **state)
{
    (void)state;
    assert_made("{}", "{\"a.b\": true, \"a.c\": null}", "{\n  \"a\": {\n    \"b\": true,\n    \"c\": null\n  }\n}");
    assert_made("{\"a\": null}", "{\"a.b\": 1}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
    assert_made("null", "{\"x\": \"t\"}", "{\n  \"x\": \"t\"\n}");
}

static void a_part_that_is_named_with_its_dots_is_it(void **state)
{
    (void)state;
    assert_made("{\"optim.lr\": 1}", "{\"optim.lr\": 2}", "{\n  \"optim.lr\": 2\n}");
}

static void what_has_no_place_is_refused(void **state)
{
    (void)state;
    assert_made("{\"a\": 3}", "{\"a.b\": 1}",
                "'a.b' has no place in the configuration: what is above 'b' is a value, no map");
    assert_made("{\"a\": [1]}", "{\"a.1\": 1}", "'a.1' has no place in the configuration: its list has no item '1'");
    assert_made("{\"a\": [1]}", "{\"a.x.y\": 1}",
                "'a.x.y' has no place in the configuration: its list has no item 'x'");
}

static void numbers_are_numbers_to_readers_of_old_yaml_too(void **state)
{
    (void)state;
    assert_made("{}", "{\"a\": 1e-05, \"b\": 1e20, \"c\": 0.25, \"d\": 3}",
                "{\n  \"a\": 1.0e-05,\n  \"b\": 1.0e+20,\n  \"c\": 0.25,\n  \"d\": 3\n}");
}

static void a_part_is_found_by_its_name(void **state)
{
    (void)state;
    json_t *config = json_loads("{\"a\": {\"b\": [{\"c\": 1}]}, \"x.y\": 1}", 0, NULL);
    assert_true(trial_config_has(config, "a.b.0.c"));
    assert_true(trial_config_has(config, "x.y"));
    assert_false(trial_config_has(config, "a.b.1.c"));
    assert_false(trial_config_has(config, "a.c"));
    assert_false(trial_config_has(NULL, "a"));
    json_decref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_go_to_their_dotted_places),
        cmocka_unit_test(parts_that_are_missing_are_made),
        cmocka_unit_test(a_part_that_is_named_with_its_dots_is_it),
        cmocka_unit_test(what_has_no_place_is_refused),
        cmocka_unit_test(numbers_are_numbers_to_readers_of_old_yaml_too),
        cmocka_unit_test(a_part_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
