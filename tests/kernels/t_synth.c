/* The kernel synth: values, noise, curves, and what goes wrong on purpose short of killing this process. */
#include "tests/claims.h"
#include "tests/kernel_trial.h"

#include <math.h>
#include <stdlib.h>

static struct tried tried; /* the last one */

static int forget(void **state)
{
    (void)state;
    tried_fini(&tried);
    tried = (struct tried){0};
    return 0;
}

static enum ending try_numbered(const char *options, const char *params, uint64_t seed, uint64_t number)
{
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){"synth", "value", options, params, seed, number});
    return tried.opened ? tried.run.ending : ENDINGS_COUNT;
}

static enum ending try_synth(const char *options, const char *params)
{
    return try_numbered(options, params, 1, 1);
}

static void a_trial_has_the_function_s_value(void **state)
{
    (void)state;
    assert_int_equal(try_synth("{}", "{'x2': 12.275, 'x1': -3.141592653589793}"), ENDING_COMPLETED);
    assert_true(fabs(tried_last(&tried, "value") - 0.39788735772973816) < 1e-12);
    assert_int_equal(try_synth("{'function': 'sphere'}", "{'x3': 3, 'x1': 1, 'x2': 2.0}"), ENDING_COMPLETED);
    assert_true(tried_last(&tried, "value") == 14);
    assert_int_equal(tried.run.report.phases[PHASE_WORK].count, 1);
}

static void other_coordinates_are_refused_with_what_is_wanted(void **state)
{
    (void)state;
    static const struct {
        const char *options, *params, *sentence;
    } bad[] = {
        {"{}", "{'x1': 1}", "branin takes 2 coordinates, x1, x2, ...; the configuration has 1"},
        {"{}", "{'x1': 1, 'x2': 1, 'x3': 1}", "the configuration has 3"},
        {"{}", "{}", "the configuration has 0"},
        {"{}", "{'x1': 1, 'x3': 1}", "'x3' is none of the 2 coordinates x1 to x2"},
        {"{}", "{'x1': 1, 'x02': 1}", "'x02' is none of"},
        {"{}", "{'x1': 1, 'lr': 1}", "kernel synth has no parameter 'lr'"},
        {"{}", "{'x1': 1, 'x2': 'two'}", "the parameter 'x2' is \"two\"; it takes: number"},
        {"{'function': 'rosenbrock'}", "{'x1': 1}", "rosenbrock takes 2 or more coordinates"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(try_synth(bad[i].options, bad[i].params), ENDING_BAD_CONFIG);
        assert_has(tried.run.detail.text, bad[i].sentence);
    }
}

static void coordinates_that_do_not_count_may_be_missing(void **state)
{
    (void)state;
    const char *options = "{'function': 'tree'}";
    assert_int_equal(try_synth(options, "{'x1': 1, 'x3': 0, 'x6': 0.5, 'x9': 0.25}"), ENDING_COMPLETED);
    assert_true(fabs(tried_last(&tried, "value") - (0.25 + 0.3 + 0.25)) < 1e-12);
    assert_int_equal(try_synth(options, "{'x1': 1, 'x3': 0, 'x6': 0.5}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "a coordinate that tree needs here is missing");
    assert_int_equal(try_synth(options, "{'x1': 1, 'x10': 0}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "'x10' is none of the 9 coordinates");
    assert_int_equal(try_synth(options, "{}"), ENDING_BAD_CONFIG);
    assert_int_equal(try_synth("{'function': 'algorithms'}", "{'x1': 2, 'x7': 1, 'x8': 1, 'x9': 1, 'x10': 1}"),
                     ENDING_COMPLETED);
    assert_true(tried_last(&tried, "value") == 0.05);
}

static void choices_beyond_the_last_are_the_last(void **state)
{
    (void)state;
    const char *options = "{'function': 'choices3'}";
    try_synth(options, "{'x1': 2, 'x2': 4, 'x3': 3, 'x4': 0.5, 'x5': 0.5}");
    double last = tried_last(&tried, "value");
    try_synth(options, "{'x1': 1e300, 'x2': 77, 'x3': 4, 'x4': 0.5, 'x5': 0.5}");
    assert_true(tried_last(&tried, "value") == last);
    try_synth(options, "{'x1': -1e300, 'x2': -1, 'x3': -0.1, 'x4': 0, 'x5': 0}");
    assert_true(fabs(tried_last(&tried, "value") - 2.0 / 300) < 1e-12);
}

static void bad_options_are_trouble(void **state)
{
    (void)state;
    static const struct {
        const char *options, *sentence;
    } bad[] = {
        {"{'function': 'branino'}", "the option 'function' is \"branino\"; it takes: branin, six_hump_camel"},
        {"{'crash': 2}", "the option 'crash' is 2; a probability is from 0 to 1"},
        {"{'crash': ['a']}", "the option 'crash' must hold numbers of trials, as in [3, 7]"},
        {"{'steps': 0}", "integer from 1"},
        {"{'crash_signal': 'SIGSTOP'}", "it takes: SIGSEGV, SIGABRT"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(try_synth(bad[i].options, "{'x1': 1, 'x2': 1}"), ENDINGS_COUNT);
        assert_has(tried.trouble.text, bad[i].sentence);
    }
}

static void a_curve_ends_at_the_function_s_value(void **state)
{
    (void)state;
    try_synth("{'function': 'sphere', 'steps': 4, 'curve': 3}", "{'x1': 1}");
    assert_int_equal(tried.run.sample_count, 4);
    assert_true(tried.run.samples[0].value == 1 + 3 * (1 - 0.25));
    assert_true(tried.run.samples[3].value == 1);
    for (int i = 1; i < 4; i++)
        assert_true(tried.run.samples[i].value < tried.run.samples[i - 1].value);
}

static void noise_is_the_trial_s_own(void **state)
{
    (void)state;
    double sum = 0, squares = 0;
    enum { TRIALS = 400 };
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        try_numbered("{'function': 'sphere', 'noise': 2}", "{'x1': 1}", seed, 1);
        double value = tried_last(&tried, "value");
        try_numbered("{'function': 'sphere', 'noise': 2}", "{'x1': 1}", seed, 7);
        assert_true(value == tried_last(&tried, "value"));
        sum += value - 1;
        squares += (value - 1) * (value - 1);
    }
    assert_true(fabs(sum / (double)TRIALS) < 0.4); /* four deviations of the mean, 2 / sqrt(400) */
    assert_true(fabs(sqrt(squares / (double)TRIALS) - 2) < 0.3);
}

static void faults_happen_to_the_listed_trials(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 5; n++) {
        enum ending wanted = n == 2 ? ENDING_BAD_CONFIG : n == 4 ? ENDING_DIVERGED : ENDING_COMPLETED;
        assert_int_equal(try_numbered("{'refuse': [2], 'diverge': [2, 4]}", "{'x1': 1, 'x2': 1}", 1, n), wanted);
    }
}

static void faults_happen_with_their_probability(void **state)
{
    (void)state;
    enum { TRIALS = 1000 };
    int refused = 0;
    for (uint64_t seed = 0; seed < TRIALS; seed++)
        refused += try_numbered("{'refuse': 0.2}", "{'x1': 1, 'x2': 1}", seed, 1) == ENDING_BAD_CONFIG;
    assert_in_range(refused, 150, 250); /* 200 and four deviations, sqrt(1000 * 0.2 * 0.8) */
    assert_int_equal(try_synth("{'refuse': 0}", "{'x1': 1, 'x2': 1}"), ENDING_COMPLETED);
    assert_int_equal(try_synth("{'refuse': 1}", "{'x1': 1, 'x2': 1}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "as the option 'refuse' wants it");
}

static void divergence_keeps_the_values_before(void **state)
{
    (void)state;
    assert_int_equal(try_synth("{'steps': 5, 'diverge': 1, 'mishap_step': 3}", "{'x1': 1, 'x2': 1}"), ENDING_DIVERGED);
    assert_int_equal(tried.run.sample_count, 2);
    assert_has(tried.run.detail.text, "value became NaN at step 3");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(a_trial_has_the_function_s_value),
        CLAIM(other_coordinates_are_refused_with_what_is_wanted),
        CLAIM(coordinates_that_do_not_count_may_be_missing),
        CLAIM(choices_beyond_the_last_are_the_last),
        CLAIM(bad_options_are_trouble),
        CLAIM(a_curve_ends_at_the_function_s_value),
        CLAIM(noise_is_the_trial_s_own),
        CLAIM(faults_happen_to_the_listed_trials),
        CLAIM(faults_happen_with_their_probability),
        CLAIM(divergence_keeps_the_values_before),
    };
    return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
