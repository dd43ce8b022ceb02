/* Parameters that make no sense are refused with a sentence; values fit or don't. */
#include "search/tables.h"
#include "tests/claims.h"
#include "tests/spaces.h"

#include <string.h>

/* The sentence for a space with one wrong parameter. */
static void refused(const char *text, const char *sentence)
{
    struct space *space;
    struct err err = {{0}};
    uint32_t culprit = 99;
    assert_int_equal(spaces_try(text, &space, &culprit, &err), -1);
    assert_string_equal(err.text, sentence);
    assert_int_equal(culprit, 0);
    space_destroy(space);
}

static void accepted(const char *text)
{
    struct space *space;
    struct err err = {{0}};
    uint32_t culprit;
    if (spaces_try(text, &space, &culprit, &err))
        fail_msg("%s", err.text);
    space_destroy(space);
}

static void ranges_must_make_sense(void **state)
{
    (void)state;
    refused("{'lr': {'min': 0.1, 'max': 0.01}}", "'lr' has min 0.1 above max 0.01");
    refused("{'lr': {'min': 0.0, 'max': 0.01, 'log': true}}", "'lr' is logarithmic, so its min must be above 0, not 0");
    refused("{'lr': {'min': 0.1}}", "'lr' needs a finite min and max");
    refused("{'lr': {'min': -1e308, 'max': 1e308}}",
            "'lr' has a min and a max further apart than the largest number, 1.8e308");
    refused("{'lr': {'min': 0.0, 'max': 1.0, 'step': -0.1}}", "'lr' has a step of -0.1; a step must be above 0");
    refused("{'n': {'min': 1.5, 'max': 3.0, 'type': 'int'}}",
            "'n' is an integer, but 1.5 is no whole number within 2^53");
    refused("{'n': {'min': 1, 'max': 3, 'step': 0.5}}", "'n' is an integer, but 0.5 is no whole number within 2^53");
    refused("{'n': {'min': 1, 'max': 9007199254740994}}",
            "'n' is an integer, but 9.0072e+15 is no whole number within 2^53");
    accepted("{'x': {'min': 1.0, 'max': 1.0}, 'n': {'min': 3, 'max': 3, 'log': true}}");
}

static void choices_must_make_sense(void **state)
{
    (void)state;
    refused("{'c': []}", "'c' has no values; give at least one");
    refused("{'c': ['sgd', 'adam', 'sgd']}", "'c' has the value \"sgd\" twice");
    refused("{'c': [1, 1.0]}", "'c' has the value 1.0 twice");
    refused("{'c': {'values': [1, 2], 'weights': [1, 0]}}", "'c' has a weight of 0; weights must be above 0 (leave a "
                                                            "value out that is not wanted) and at least a billionth "
                                                            "of their sum");
    refused("{'c': {'values': [1, 2], 'weights': [-1, 3]}}", "'c' has a weight of -1; weights must be above 0 (leave a "
                                                             "value out that is not wanted) and at least a billionth "
                                                             "of their sum");
    accepted("{'c': [1, '1', true, null, 1.5]}");
}

static void normals_must_make_sense(void **state)
{
    (void)state;
    refused("{'x': {'mean': 0, 'stddev': 0}}", "'x' needs a finite mean and a finite stddev above 0");
    refused("{'x': {'mean': 0, 'stddev': -1}}", "'x' needs a finite mean and a finite stddev above 0");
    refused("{'x': {'mean': 0, 'stddev': 1, 'min': 2, 'max': 1}}", "'x' has min 2 not below max 1");
    refused("{'x': {'mean': 0, 'stddev': 1, 'min': 6}}",
            "'x' has its min or max more than 5 standard deviations beyond its mean");
    refused("{'x': {'mean': 0, 'stddev': 1, 'max': -6}}",
            "'x' has its min or max more than 5 standard deviations beyond its mean");
    refused("{'x': {'mean': 0, 'stddev': 200, 'log': true}}",
            "'x' reaches exp(1000), larger than any number; mean and stddev are those of the logarithm");
    accepted("{'x': {'mean': 0, 'stddev': 1, 'min': -1, 'log': true}}");
}

static void defaults_must_fit(void **state)
{
    (void)state;
    refused("{'lr': {'min': 0.0, 'max': 1.0, 'default': 2}}",
            "the default does not fit: 'lr' can't be 2: it is between 0 and 1");
    refused("{'c': {'values': ['sgd', 'adam'], 'default': 'agd'}}",
            "the default does not fit: 'c' can't be \"agd\": it is one of \"sgd\", \"adam\"");
    accepted("{'lr': {'min': 0.0, 'max': 1.0, 'default': 1}}");
}

static void names_are_there_once(void **state)
{
    (void)state;
    struct space *space = space_create();
    for (int i = 0; i < 2; i++) {
        struct param param = {.name = strdup("x"), .kind = PARAM_REAL, .max = 1};
        space_add(space, &param);
    }
    struct err err;
    uint32_t culprit;
    assert_int_equal(space_finish(space, &culprit, &err), -1);
    assert_string_equal(err.text, "the parameter 'x' is there twice");
    space_destroy(space);
}

/* The sentence for a value that the only parameter can't have. */
static void no_value(const char *text, const char *json, const char *sentence)
{
    struct space *space = spaces_make(text);
    struct err err = {{0}};
    double unit[SPACES_MOST];
    assert_int_equal(space_point_of_json(space, json, unit, &err), -1);
    assert_string_equal(err.text, sentence);
    space_destroy(space);
}

static void values_outside_are_refused(void **state)
{
    (void)state;
    no_value("{'x': {'min': 0.0, 'max': 1.0}}", "{\"x\": 1.5}", "'x' can't be 1.5: it is between 0 and 1");
    no_value("{'x': {'min': 0.0, 'max': 1.0}}", "{\"x\": \"nan\"}", "'x' can't be \"nan\": it is a number");
    no_value("{'x': {'min': 0.0, 'max': 1.0}}", "{\"x\": null}", "'x' can't be null: it is a number");
    no_value("{'n': {'min': 1, 'max': 8}}", "{\"n\": 2.5}", "'n' can't be 2.5: it is an integer");
    no_value("{'n': {'min': 1, 'max': 10, 'step': 4}}", "{\"n\": 3}", "'n' can't be 3: the nearest steps are 1 and 5");
    no_value("{'n': {'min': 1, 'max': 10, 'step': 4}}", "{\"n\": 10}", "'n' can't be 10: its last step is 9");
    no_value("{'x': {'mean': 0, 'stddev': 1}}", "{\"x\": 7}",
             "'x' can't be 7: it is between -5 and 5 (a normal reaches 5 standard deviations)");
    no_value("{'k': 3, 'x': [1, 2]}", "{\"k\": 4}", "'k' can't be 4: it is the constant 3");
    no_value("{'k': true, 'x': [1, 2]}", "{\"x\": \"1\"}", "'x' can't be \"1\": it is one of 1, 2");
}

static void an_int_and_a_real_of_one_number_are_one_value(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'n': {'min': 1, 'max': 8}, 'c': [1, 2.0], 'x': {'min': 0.0, 'max': 4.0}}");
    double unit[SPACES_MOST];
    spaces_read(space, "{'n': 3.0, 'c': 2, 'x': 1}", unit);
    assert_string_equal(spaces_show(space, unit), "{'n': 3, 'c': 2.0, 'x': 1.0}");
    space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_must_make_sense),
        cmocka_unit_test(choices_must_make_sense),
        cmocka_unit_test(normals_must_make_sense),
        cmocka_unit_test(defaults_must_fit),
        cmocka_unit_test(names_are_there_once),
        cmocka_unit_test(values_outside_are_refused),
        cmocka_unit_test(an_int_and_a_real_of_one_number_are_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
