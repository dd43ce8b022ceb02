/* How long trials will run, by those that ran before them. */
#include "scheduler/core/forecast.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int enter(void **state)
{
    *state = forecast_create();
    return 0;
}

static int leave(void **state)
{
    forecast_destroy(*state);
    return 0;
}

static double seconds_of(const struct forecast *forecast, const char *params)
{
    struct configuration *configuration = configuration_read(params);
    double seconds = forecast_seconds(forecast, configuration);
    free(configuration);
    return seconds;
}

static void learn(struct forecast *forecast, double layers, const char *optimizer, double seconds)
{
    char *params = mem_format("{\"layers\": %g, \"optimizer\": \"%s\"}", layers, optimizer);
    forecast_learn(forecast, params, seconds);
    free(params);
}

static double foretell(const struct forecast *forecast, double layers, const char *optimizer)
{
    char *params = mem_format("{\"layers\": %g, \"optimizer\": \"%s\"}", layers, optimizer);
    double seconds = seconds_of(forecast, params);
    free(params);
    return seconds;
}

static void of_nothing_nothing_is_known(void **state)
{
    assert_true(seconds_of(*state, "{}") < 0);
}

static void few_trials_make_careful_forecasts(void **state)
{
    struct forecast *forecast = *state;
    learn(forecast, 1, "sgd", 10);
    assert_float_equal(seconds_of(forecast, "{}"), 20, 1e-6);
    learn(forecast, 1, "sgd", 10);
    learn(forecast, 1, "sgd", 10);
    assert_true(fabs(seconds_of(forecast, "{}") - 10 * (1 + 1.0 / 3)) < 1e-6);
}

/* Of trials that say nothing: all but the last took a second, that one ten. */
static double foretell_after(struct forecast *forecast, int count)
{
    for (int i = 1; i < count; i++)
        forecast_learn(forecast, "{}", 1);
    forecast_learn(forecast, "{}", 10);
    return seconds_of(forecast, "{}");
}

/* Each is judged by the others, so that the greatest of n lies n / (n - 1) times as far from the mean of the
 * logarithms. */
static void of_nine_and_of_ten_the_longest_is_expected(void **state)
{
    assert_float_equal(foretell_after(*state, 9), pow(10, 1 + 1.0 / 9), 1e-6);
    struct forecast *forecast = forecast_create();
    assert_float_equal(foretell_after(forecast, 10), pow(10, 1 + 1.0 / 10), 1e-6);
    forecast_destroy(forecast);
}

static void parameters_that_go_together_are_told_apart(void **state)
{
    struct forecast *forecast = *state;
    char params[64];
    for (int i = 0; i < 100; i++) {
        int x = i % 10, y = x + i / 10 % 2;
        snprintf(params, sizeof params, "{\"x\": %d, \"y\": %d}", x, y);
        forecast_learn(forecast, params, exp(0.5 * x - 0.4 * y));
    }
    assert_float_equal(seconds_of(forecast, "{\"x\": 9, \"y\": 9}"), exp(0.9), 0.1);
    assert_float_equal(seconds_of(forecast, "{\"x\": 0, \"y\": 1}"), exp(-0.4), 0.1);
}

static void nine_in_ten_stay_below(void **state)
{
    struct forecast *forecast = *state;
    struct rng rng = rng_make(1, "forecast", 0);
    int below = 0;
    for (int i = 0; i < 150; i++)
        learn(forecast, rng_unit(&rng), "sgd", exp(2 * rng_unit(&rng)));
    for (int i = 0; i < 1000; i++)
        below += exp(2 * rng_unit(&rng)) < seconds_of(forecast, "{\"layers\": 0.5}");
    assert_true(below > 800 && below < 980);
}

static void a_parameter_that_decides_is_found(void **state)
{
    struct forecast *forecast = *state;
    struct rng rng = rng_make(2, "forecast", 0);
    for (int i = 0; i < 100; i++) {
        double layers = 1 + (double)rng_below(&rng, 64);
        learn(forecast, layers, rng_below(&rng, 2) ? "sgd" : "adam", 3 * layers * (0.95 + 0.1 * rng_unit(&rng)));
    }
    double small = foretell(forecast, 2, "sgd"), large = foretell(forecast, 60, "adam");
    assert_true(small > 5 && small < 9);
    assert_true(large > 170 && large < 230);
}

static void a_choice_that_decides_is_found(void **state)
{
    struct forecast *forecast = *state;
    for (int i = 0; i < 60; i++)
        learn(forecast, i % 7, i % 2 ? "slow" : "fast", i % 2 ? 100 : 1);
    assert_true(foretell(forecast, 3, "fast") < 2);
    assert_true(foretell(forecast, 3, "slow") > 50);
}

static void what_is_no_object_is_as_good_as_nothing(void **state)
{
    struct forecast *forecast = *state;
    for (int i = 0; i < 40; i++)
        forecast_learn(forecast, i % 2 ? "{\"x\": [1], \"y\": null, \"z\": {}}" : "nonsense", 5);
    assert_float_equal(seconds_of(forecast, "\"text\""), 5, 0.1);
    assert_float_equal(seconds_of(forecast, ""), 5, 0.1);
}

static void many_parameters_are_no_harm(void **state)
{
    struct forecast *forecast = *state;
    for (int i = 0; i < 300; i++) {
        struct buf params = {0};
        buf_text(&params, "{");
        for (int j = 0; j < 40; j++)
            buf_format(&params, "%s\"p%d\": %d", j ? ", " : "", j, (i * (j + 3)) % 17);
        buf_text(&params, "}");
        forecast_learn(forecast, buf_str(&params), 7);
        buf_fini(&params);
    }
    assert_float_equal(seconds_of(forecast, "{\"p3\": 4}"), 7, 0.1);
}

int main(void)
{
#define FORECAST(test) cmocka_unit_test_setup_teardown(test, enter, leave)
    const struct CMUnitTest tests[] = {
        FORECAST(of_nothing_nothing_is_known),
        FORECAST(few_trials_make_careful_forecasts),
        FORECAST(of_nine_and_of_ten_the_longest_is_expected),
        FORECAST(parameters_that_go_together_are_told_apart),
        FORECAST(nine_in_ten_stay_below),
        FORECAST(a_parameter_that_decides_is_found),
        FORECAST(a_choice_that_decides_is_found),
        FORECAST(what_is_no_object_is_as_good_as_nothing),
        FORECAST(many_parameters_are_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
