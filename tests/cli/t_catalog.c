/* Experiments against the kernel that they name, and spaces in words. */
#include "cli/data/sibling.h"
#include "cli/view/describe.h"
#include "tests/claims.h"

#include <string.h>

static const char text[] = "version: 1\n"
                           "name: made-up\n"
                           "trial: {kernel: net, options: {data: x.csv, epochs: 3}}\n"
                           "metric: {name: loss, goal: minimize}\n"
                           "parameters:\n"
                           "  lr: {min: 1.0e-3, max: 1.0, log: true}\n"
                           "  x1: {min: 0, max: 10, step: 5}\n"
                           "  kind: [a, b]\n"
                           "  extra: {values: [1, 2, 4], ordered: true, when: {kind: a}}\n"
                           "  noise: {mean: 0.0, stddev: 2.0, min: -1.0}\n"
                           "  fixed: 3\n"
                           "strategy: random\n"
                           "limits: {max_trials: 5}\n";

static const char catalog_text[] =
    "[{\"name\": \"net\", \"metrics\": \"loss, accuracy\","
    "  \"options\": [{\"name\": \"data\", \"default\": null}, {\"name\": \"epochs\", \"default\": \"1\"}],"
    "  \"params\": [{\"name\": \"lr\"}, {\"name\": \"x*\"}, {\"name\": \"kind\"}, {\"name\": \"extra\"},"
    "              {\"name\": \"noise\"}, {\"name\": \"fixed\"}]},"
    " {\"name\": \"typed\", \"metrics\": \"*\","
    "  \"options\": [{\"name\": \"learn\", \"default\": \"\"}, {\"name\": \"epochs\", \"default\": \"1\", \"type\": "
    "\"integer\", \"min\": 1, \"max\": 9},"
    "              {\"name\": \"threads\", \"default\": \"0\", \"type\": \"integer\", \"min\": 0, \"max\": 99}],"
    "  \"params\": [{\"name\": \"lr\", \"type\": \"number\"}, {\"name\": \"x*\", \"type\": \"integer\"},"
    "              {\"name\": \"kind\", \"type\": \"a|b\"}, {\"name\": \"extra\", \"type\": \"integer\"},"
    "              {\"name\": \"noise\", \"type\": \"number\"}, {\"name\": \"flip\", \"type\": \"number\"},"
    "              {\"name\": \"threads\", \"type\": \"integer\", \"min\": 0, \"max\": 99},"
    "              {\"name\": \"fixed\", \"type\": \"integer\", \"min\": 1, \"max\": 9}]},"
    " {\"name\": \"other\", \"options\": [{\"name\": \"learn\"}]},"
    " {\"name\": \"any\", \"metrics\": \"*\", \"options\": [], \"params\": [{\"name\": \"*\"}]}]";

static struct spec *read_spec(const char *override, struct problems *problems)
{
    const char *overrides[] = {override};
    return spec_read_text(text, strlen(text), "made-up.yaml", "/", overrides, override ? 1 : 0, problems);
}

/* What the catalogue has to say about the experiment with these overrides; "" when nothing. */
static void says_with(const char *const *overrides, size_t count, const char *expected)
{
    json_t *catalog = json_loads(catalog_text, 0, NULL);
    struct problems problems = {0};
    struct spec *spec = spec_read_text(text, strlen(text), "made-up.yaml", "/", overrides, count, &problems);
    assert_non_null(spec);
    assert_int_equal(problems.errors, 0);
    catalog_check(catalog, spec, &problems);
    struct buf shown = {0};
    problems_show(&problems, &shown);
    if (*expected)
        assert_has(buf_str(&shown), expected);
    else
        assert_string_equal(buf_str(&shown), "");
    buf_fini(&shown);
    spec_destroy(spec);
    problems_fini(&problems);
    json_decref(catalog);
}

static void says(const char *override, const char *expected)
{
    says_with(&override, override ? 1 : 0, expected);
}

static void a_fitting_experiment_has_no_problem(void **state)
{
    (void)state;
    says(NULL, "");
    says("trial={kernel: any}", "");
}

static void unknown_names_point_at_their_places(void **state)
{
    (void)state;
    says("trial.kernel=nett", "there is no kernel 'nett'");
    says("trial.options.epoch=3", "the kernel 'net' has no option 'epoch'");
    says("parameters.wdith=3", "the kernel 'net' has no parameter 'wdith'");
    says("metric.name=value", "the kernel 'net' does not report 'value'");
    says("trial.options={epochs: 3}", "the kernel 'net' needs the option 'data'");
}

static void a_name_of_another_kernel_is_said_to_be(void **state)
{
    (void)state;
    says("parameters.flip=3", "kernels that have it: typed; there are: lr, x*, kind, extra, noise, fixed");
    says("trial.options.learn=next", "kernels that have it: typed, other; there are: data, epochs");
}

/* What the kernel `typed` says of one key of the experiment. */
static void typed_says(const char *key, const char *expected)
{
    says_with((const char *const[]){"trial={kernel: typed, options: {epochs: 3}}", key}, 2, expected);
}

static void values_that_a_kernel_refuses_are_known_before_it_runs(void **state)
{
    (void)state;
    typed_says("seed=1", "");
    typed_says("trial.options.epochs=12", "error: the kernel's option 'epochs' can't be 12");
    typed_says("trial.options.epochs=twelve", "it takes: integer from 1 to 9");
    typed_says("parameters.fixed={min: 0, max: 5}", "warning: the kernel's parameter 'fixed' can't be 0");
    typed_says("parameters.fixed={min: 1, max: 50}", "warning: the kernel's parameter 'fixed' can't be 50");
    typed_says("parameters.fixed={min: 1.0, max: 4.0}", "warning: the kernel's parameter 'fixed' can't be 1.95");
    typed_says("parameters.fixed={min: 1.0, max: 4.0, step: 1.0}", "");
    typed_says("parameters.fixed=many", "it takes: integer from 1 to 9; such trials fail as bad_config");
    typed_says("parameters.kind=[a, A]", "warning: the kernel's parameter 'kind' can't be \"A\"");
}

static void a_trial_has_no_more_threads_than_its_slot_has_processors(void **state)
{
    (void)state;
    static const char two[] = "resources={cpus: 2}";
    const char *const fixed[] = {"trial={kernel: typed, options: {epochs: 3, threads: 3}}", two};
    const char *const fits[] = {"trial={kernel: typed, options: {epochs: 3, threads: 2}}", two};
    const char *const searched[] = {"trial={kernel: typed, options: {epochs: 3}}", two, "parameters.threads=[1, 4]"};
    const char *const halves[] = {"trial={kernel: typed, options: {epochs: 3, threads: 2}}",
                                  "resources={cpus: 2, ranks: 2}"};
    const char *const sockets[] = {"trial={kernel: typed, options: {epochs: 3, threads: 30}}",
                                   "resources={sockets: 1}"};
    says_with(fixed, 2, "error: the kernel's option 'threads' can't be 3");
    says_with(fixed, 2, "integer from 0 to 2 (resources.cpus gives a trial's process no more processors)");
    says_with(fits, 2, "");
    says_with(searched, 3, "warning: the kernel's parameter 'threads' can't be 4");
    says_with(halves, 2, "integer from 0 to 1");
    says_with(sockets, 2, "");
    typed_says("trial.options.threads=2", "integer from 0 to 1");
}

static void the_place_is_that_of_the_file(void **state)
{
    (void)state;
    json_t *catalog = json_loads("[]", 0, NULL);
    struct problems problems = {0};
    struct spec *spec = read_spec(NULL, &problems);
    catalog_check(catalog, spec, &problems);
    assert_int_equal(problems.errors, 1);
    assert_int_equal(problems.items[0].line, 3);
    assert_int_equal(problems.items[0].column, 17);
    spec_destroy(spec);
    problems_fini(&problems);
    json_decref(catalog);
}

static void a_command_needs_no_kernel(void **state)
{
    (void)state;
    says("trial={command: [x]}", "");
}

static void a_hostile_catalogue_is_harmless(void **state)
{
    (void)state;
    static const char *const hostile[] = {"[]", "[1, null]", "[{\"name\": 3}]", "[{\"name\": \"net\"}]",
                                          "[{\"name\": \"net\", \"options\": 3, \"params\": [null], \"metrics\": []}]"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        json_t *catalog = json_loads(hostile[i], 0, NULL);
        struct problems problems = {0};
        struct spec *spec = read_spec(NULL, &problems);
        catalog_check(catalog, spec, &problems);
        assert_true(problems.errors > 0);
        spec_destroy(spec);
        problems_fini(&problems);
        json_decref(catalog);
    }
}

/* --- spaces in words --- */

static void parameters_are_described(void **state)
{
    (void)state;
    static const char *const expected[] = {"float 0.001 .. 1, even in the logarithm",
                                           "int 0 .. 10 in steps of 5",
                                           "one of a, b",
                                           "ordered: 1, 2, 4, when kind is a",
                                           "normal, mean 0, deviation 2, from -1",
                                           "always 3"};
    struct problems problems = {0};
    struct spec *spec = read_spec(NULL, &problems);
    struct buf line = {0};
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        describe_param(spec->space, space_param(spec->space, i), &line);
        assert_string_equal(buf_str(&line), expected[i]);
        buf_clear(&line);
    }
    describe_size(spec->space, &line);
    assert_string_equal(buf_str(&line), "5 parameters to choose, infinitely many configurations");
    assert_true(describe_rejection(spec->space, 1, 100) == 0);
    buf_fini(&line);
    spec_destroy(spec);
    problems_fini(&problems);
}

static void rejections_are_measured(void **state)
{
    (void)state;
    struct problems problems = {0};
    struct spec *spec = read_spec("constraints=[\"kind == 'a'\"]", &problems);
    double share = describe_rejection(spec->space, 1, 1000);
    assert_true(share > 0.4 && share < 0.6);
    spec_destroy(spec);
    problems_fini(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fitting_experiment_has_no_problem),
        cmocka_unit_test(unknown_names_point_at_their_places),
        cmocka_unit_test(a_name_of_another_kernel_is_said_to_be),
        cmocka_unit_test(values_that_a_kernel_refuses_are_known_before_it_runs),
        cmocka_unit_test(a_trial_has_no_more_threads_than_its_slot_has_processors),
        cmocka_unit_test(the_place_is_that_of_the_file),
        cmocka_unit_test(a_command_needs_no_kernel),
        cmocka_unit_test(a_hostile_catalogue_is_harmless),
        cmocka_unit_test(parameters_are_described),
        cmocka_unit_test(rejections_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
