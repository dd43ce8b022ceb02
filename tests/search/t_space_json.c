/* Configurations as JSON. */
#include "tests/claims.h"
#include "tests/spaces.h"

#include <string.h>

static const char *const space_text =
    "{'lr': {'min': 1e-6, 'max': 1.0, 'log': true}, 'opt': ['sgd', 'a\\u0022b\\u005cc'], 'on': [true, false],"
    " 'n': {'min': 1, 'max': 9, 'when': {'opt': 'sgd'}}, 'k': null, 'none': [null, 1]}";

static void shows(const char *config, const char *expected)
{
    struct space *space = spaces_make(space_text);
    double unit[SPACES_MOST];
    struct buf out = {0};
    struct err err = {{0}};
    if (space_point_of_json(space, config, unit, &err))
        fail_msg("%s", err.text);
    space_json(space, unit, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
    space_destroy(space);
}

static void active_parameters_stand_in_the_declared_order(void **state)
{
    (void)state;
    shows("{\"none\": 1, \"n\": 4, \"opt\": \"sgd\", \"lr\": 0.001, \"on\": false}",
          "{\"lr\": 0.001, \"opt\": \"sgd\", \"on\": false, \"n\": 4, \"k\": null, \"none\": 1}");
}

static void texts_are_quoted(void **state)
{
    (void)state;
    shows("{\"opt\": \"a\\\"b\\\\c\", \"lr\": 1e-6, \"on\": true, \"none\": null}",
          "{\"lr\": 1e-06, \"opt\": \"a\\\"b\\\\c\", \"on\": true, \"k\": null, \"none\": null}");
}

static void values_are_short_decimals(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 1e-5, 'max': 1e-1, 'log': true}}");
    double unit[2] = {1 / 3.0, 1 / 3.0};
    space_snap(space, unit);
    assert_string_equal(spaces_show(space, unit), "{'x': 0.333333333333, 'y': 0.000215443469003}");
    space_destroy(space);
}

static void an_empty_configuration_is_an_empty_object(void **state)
{
    (void)state;
    struct space *space = spaces_make("{}");
    assert_string_equal(spaces_show(space, NULL), "{}");
    space_destroy(space);
}

static void refused(const char *json, const char *sentence)
{
    struct space *space = spaces_make(space_text);
    double unit[SPACES_MOST];
    struct err err = {{0}};
    assert_int_equal(space_point_of_json(space, json, unit, &err), -1);
    if (!strstr(err.text, sentence))
        fail_msg("%s", err.text);
    space_destroy(space);
}

static void what_is_no_configuration_is_refused(void **state)
{
    (void)state;
    refused("", "the configuration is no JSON: ");
    refused("{\"lr\": 0.1, \"lr\": 0.2}", "the configuration is no JSON: duplicate object key");
    refused("[1]", "the configuration is no JSON object like {\"lr\": 0.1}");
    refused("{\"rl\": 1}", "there is no parameter 'rl'; did you mean 'lr'?");
    refused("{\"weight\": 1}", "there is no parameter 'weight'");
    refused("{\"lr\": [1]}", "'lr' can't be [1]: it is a number");
    refused("{\"lr\": 2}", "'lr' can't be 2: it is between 1e-06 and 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_parameters_stand_in_the_declared_order),
        cmocka_unit_test(texts_are_quoted),
        cmocka_unit_test(values_are_short_decimals),
        cmocka_unit_test(an_empty_configuration_is_an_empty_object),
        cmocka_unit_test(what_is_no_configuration_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
