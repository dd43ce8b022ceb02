/* Settings of kernels: what is accepted, what is refused in which words, and which value counts. */
#include "worker/kernels/kernel_settings.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"

#include <string.h>

static const struct kernel_option options[] = {
    {"file", "text", NULL, "the file", 0, 0},     {"share", "number", "0.5", "a share", 0, 1},
    {"whole", "switch", "true", "whether", 0, 0}, {"which", "mean|random|integer", "mean", "which one", 0, 10},
    {"rest", "list", "", "the others", 0, 0},     {0},
};
static const struct kernel_option params[] = {
    {"width", "integer", "128", "the width", 1, 1000},
    {"rate", "number", "0.1", "the rate", 0, 0},
    {"kind", "sgd|adam", "adam", "the kind", 0, 0},
    {"x*", "number", "", "coordinates", 0, 0},
    {0},
};
static const struct kernel fixing = {.name = "demo", .options = options, .params = params, .fixed = true};
static const struct kernel strict = {.name = "demo", .options = options, .params = params};

/* Checks options or parameters; the sentence, "" when they are fine. */
static const char *complaint(const struct kernel *kernel, bool option, const char *text)
{
    static struct err err;
    json_t *given = json_of_quoted(text);
    struct kernel_settings settings = {.kernel = kernel};
    *(option ? &settings.options : &settings.params) = given;
    err.text[0] = '\0';
    int result =
        option ? kernel_settings_check_options(&settings, &err) : kernel_settings_check_params(&settings, &err);
    assert_int_equal(result, err.text[0] ? -1 : 0);
    json_decref(given);
    return err.text;
}

static void values_of_the_row_s_type_are_accepted(void **state)
{
    (void)state;
    assert_string_equal(complaint(&fixing, true, "{'file': 'a', 'share': 1, 'whole': false, 'rest': ['b']}"), "");
    assert_string_equal(complaint(&fixing, true, "{'file': 'a', 'share': 0.0, 'which': 'random'}"), "");
    assert_string_equal(complaint(&fixing, true, "{'file': 'a', 'which': 3}"), "");
    assert_string_equal(complaint(&strict, false, "{'width': 64.0, 'rate': -1e300, 'kind': 'sgd', 'x17': 2}"), "");
}

static void values_of_another_type_are_refused_with_what_it_takes(void **state)
{
    (void)state;
    assert_has(complaint(&strict, true, "{'file': 3}"), "the option 'file' is 3; it takes: text");
    assert_has(complaint(&strict, true, "{'file': 'a', 'whole': 1}"), "it takes: switch");
    assert_has(complaint(&strict, true, "{'file': 'a', 'which': 'median'}"),
               "the option 'which' is \"median\"; it takes: mean, random or integer from 0 to 10");
    assert_has(complaint(&strict, true, "{'file': 'a', 'rest': {'a': 1}}"), "it takes: list");
    assert_has(complaint(&strict, false, "{'width': 7.5}"), "the parameter 'width' is 7.5; it takes: integer from 1");
    assert_has(complaint(&strict, false, "{'width': null}"), "'width' is null");
    assert_has(complaint(&strict, false, "{'kind': 'sg'}"), "it takes: sgd or adam");
    assert_has(complaint(&strict, false, "{'kind': 'sgd|adam'}"), "it takes: sgd or adam");
    assert_has(complaint(&strict, false, "{'x1': '2'}"), "it takes: number");
}

static void numbers_outside_the_range_are_refused(void **state)
{
    (void)state;
    assert_has(complaint(&strict, true, "{'file': 'a', 'share': 1.1}"), "it takes: number from 0 to 1");
    assert_has(complaint(&strict, false, "{'width': 0}"), "integer from 1 to 1000");
    assert_has(complaint(&strict, false, "{'width': 9223372036854775807}"), "integer from 1 to 1000");
}

static void an_unknown_name_is_refused_with_the_nearest_or_all(void **state)
{
    (void)state;
    assert_has(complaint(&strict, false, "{'widht': 3}"), "no parameter 'widht'; did you mean 'width'?");
    assert_has(complaint(&strict, false, "{'gamma': 3}"), "it takes: width, rate, kind, x*");
    assert_has(complaint(&strict, false, "{'dropout': 3}"), "which is one of the kernel cnn; it takes: width, rate");
    assert_has(complaint(&strict, true, "{'file': 'a', 'fille': 'b'}"), "no option 'fille'; did you mean 'file'?");
}

static void what_must_be_given_is_asked_for(void **state)
{
    (void)state;
    assert_has(complaint(&strict, true, "{}"), "kernel demo needs the option 'file': the file");
}

static void only_some_kernels_take_parameters_as_options(void **state)
{
    (void)state;
    assert_string_equal(complaint(&fixing, true, "{'file': 'a', 'width': 64}"), "");
    assert_has(complaint(&strict, true, "{'file': 'a', 'width': 64}"), "no option 'width'");
    assert_has(complaint(&fixing, true, "{'file': 'a', 'width': 0}"), "integer from 1 to 1000");
}

static void a_trial_s_parameter_counts_before_the_option_before_the_default(void **state)
{
    (void)state;
    json_t *given = json_of_quoted("{'width': 64, 'rate': 0.5}"), *trial = json_of_quoted("{'width': 32}");
    struct kernel_settings settings = {.kernel = &fixing, .options = given, .params = trial};
    assert_int_equal(kernel_settings_integer(&settings, "width"), 32);
    assert_true(kernel_settings_number(&settings, "rate") == 0.5);
    assert_int_equal(kernel_settings_word(&settings, "kind"), 1);
    assert_true(kernel_settings_switch(&settings, "whole"));
    assert_string_equal(kernel_settings_text(&settings, "which"), "mean");
    assert_null(kernel_settings_given(&settings, "kind"));
    settings.params = NULL;
    assert_int_equal(kernel_settings_integer(&settings, "width"), 64);
    settings.options = NULL;
    assert_int_equal(kernel_settings_integer(&settings, "width"), 128);
    json_decref(given);
    json_decref(trial);
}

static bool is_word(const struct kernel_option *row)
{
    return strchr(row->type, '|') && !strstr(row->type, "number") && !strstr(row->type, "text");
}

/* The defaults of the real tables are what their rows accept. */
static void every_default_fits_its_row(void **state)
{
    (void)state;
    for (size_t i = 0; kernel_list[i]; i++) {
        struct kernel_settings settings = {.kernel = kernel_list[i]};
        const struct kernel_option *const tables[] = {kernel_list[i]->options, kernel_list[i]->params};
        for (int t = 0; t < 2; t++)
            for (const struct kernel_option *row = tables[t]; row->name; row++) {
                if (!row->default_value || !*row->default_value)
                    continue;
                double number = strstr(row->type, "number") || strcmp(row->type, "integer") == 0
                                    ? kernel_settings_number(&settings, row->name)
                                    : row->min;
                if (row->min < row->max)
                    assert_true(number >= row->min && number <= row->max);
                if (is_word(row))
                    kernel_settings_word(&settings, row->name); /* asserts that the default is one of the words */
            }
    }
}

/* A parameter of an option's name would take that one's default. */
static void no_option_has_the_name_of_a_parameter(void **state)
{
    (void)state;
    for (size_t i = 0; kernel_list[i]; i++)
        for (const struct kernel_option *option = kernel_list[i]->options; option->name; option++)
            for (const struct kernel_option *param = kernel_list[i]->params; param->name; param++)
                if (strcmp(option->name, param->name) == 0)
                    fail_msg("kernel %s has '%s' twice", kernel_list[i]->name, option->name);
}

static void kernels_are_found_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; kernel_list[i]; i++)
        assert_ptr_equal(kernel_find(kernel_list[i]->name), kernel_list[i]);
    assert_null(kernel_find("gan"));
    assert_null(kernel_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_row_s_type_are_accepted),
        cmocka_unit_test(values_of_another_type_are_refused_with_what_it_takes),
        cmocka_unit_test(numbers_outside_the_range_are_refused),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest_or_all),
        cmocka_unit_test(what_must_be_given_is_asked_for),
        cmocka_unit_test(only_some_kernels_take_parameters_as_options),
        cmocka_unit_test(a_trial_s_parameter_counts_before_the_option_before_the_default),
        cmocka_unit_test(every_default_fits_its_row),
        cmocka_unit_test(no_option_has_the_name_of_a_parameter),
        cmocka_unit_test(kernels_are_found_by_name),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
