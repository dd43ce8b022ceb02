/* Trials in columns: what is kept of their objects, the order in which they ended, the best so far. */
#include "cli/data/trial_data.h"
#include "tests/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char experiment[] =
    "{\"name\": \"e\", \"started\": \"2026-11-20T14:00:00.000Z\","
    " \"metrics\": [{\"name\": \"loss\", \"goal\": \"minimize\", \"min\": null, \"max\": null},"
    "  {\"name\": \"mb\", \"goal\": null, \"min\": null, \"max\": 10}],"
    " \"parameters\": [{\"name\": \"lr\", \"kind\": \"real\", \"min\": 0.001, \"max\": 1, \"log\": true},"
    "  {\"name\": \"opt\", \"kind\": \"choice\", \"values\": [\"sgd\", 16, true]},"
    "  {\"name\": \"depth\", \"kind\": \"int\", \"min\": 1, \"max\": 3}]}";

static struct trial_data begin(const char *goal)
{
    struct trial_data data;
    json_t *object = json_loads(experiment, 0, NULL);
    assert_non_null(object);
    json_object_set_new(json_array_get(json_object_get(object, "metrics"), 0), "goal", json_string(goal));
    trial_data_init(&data, object);
    return data;
}

/* A trial that ended `second` seconds after the beginning, having run for 10 of them on two cores. */
static void add(struct trial_data *data, int number, const char *state, int second, double value, const char *more)
{
    char text[1000], shown[40];
    snprintf(shown, sizeof shown, isfinite(value) ? "%.17g" : "null", value);
    snprintf(text, sizeof text,
             "{\"trial\": %d, \"state\": \"%s\", \"reason\": \"%s\", \"value\": %s, \"seconds\": 10, \"node\": \"n%d\","
             " \"slot\": 1, \"cpus\": [0, 1], \"started\": \"2026-11-20T14:00:00.000Z\","
             " \"ended\": \"2026-11-20T14:00:%02d.000Z\", \"values\": {\"loss\": %s, \"mb\": 3}%s}",
             number, state, strcmp(state, "failed") == 0 ? "crashed" : "completed", shown, number % 2, second, shown,
             more);
    json_t *trial = json_loads(text, 0, NULL);
    assert_non_null(trial);
    trial_data_add(data, trial);
    json_decref(trial);
}

static void parameters_are_numbers_or_places_of_levels(void **state)
{
    (void)state;
    struct trial_data data = begin("minimize");
    add(&data, 1, "completed", 1, 0.5, ", \"params\": {\"lr\": 0.1, \"opt\": 16, \"depth\": 2}");
    add(&data, 2, "completed", 2, 0.5, ", \"params\": {\"lr\": 1, \"opt\": \"sgd\"}");
    add(&data, 3, "completed", 3, 0.5, ", \"params\": {\"opt\": \"never heard of\"}");
    trial_data_finish(&data);
    assert_int_equal(data.param_count, 3);
    assert_true(data.params[0].log && data.params[2].whole && data.params[1].level_count == 3);
    assert_string_equal(data.params[1].levels[1], "16");
    assert_float_equal(data.params[0].values[0], 0.1, 0);
    assert_float_equal(data.params[1].values[0], 1, 0);
    assert_float_equal(data.params[1].values[1], 0, 0);
    assert_true(isnan(data.params[1].values[2]));
    assert_true(isnan(data.params[2].values[1]));
    assert_int_equal(data.node_count, 2);
    assert_string_equal(data.nodes[data.trials[1].node], "n0");
    assert_int_equal(data.trials[0].cores, 2);
    trial_data_fini(&data);
}

static void the_best_so_far_is_in_the_order_of_endings(void **state)
{
    (void)state;
    struct trial_data data = begin("minimize");
    add(&data, 1, "completed", 30, 0.1, "");
    add(&data, 2, "completed", 10, 0.5, "");
    add(&data, 3, "stopped", 20, 0.3, "");
    add(&data, 4, "completed", 40, 0.2, "");
    add(&data, 5, "completed", 50, 0.1, "");
    trial_data_finish(&data);
    assert_int_equal(data.best_count, 3);
    static const double values[] = {0.5, 0.3, 0.1};
    for (size_t i = 0; i < 3; i++) {
        assert_float_equal((float)data.best[i].value, (float)values[i], 0);
        assert_float_equal(data.best[i].place.trials, (float)i + 1, 0);
        assert_float_equal(data.best[i].place.seconds, 10 * ((float)i + 1), 1e-6);
        assert_float_equal(data.best[i].place.core_seconds, 20 * ((float)i + 1), 1e-6);
    }
    size_t seconds = offsetof(struct progress_place, seconds), trials = offsetof(struct progress_place, trials);
    assert_true(isnan(trial_data_best_at(&data, seconds, 9)));
    assert_float_equal(trial_data_best_at(&data, seconds, 10), 0.5, 0);
    assert_float_equal(trial_data_best_at(&data, seconds, 29), 0.3, 0);
    assert_float_equal(trial_data_best_at(&data, trials, 1e9), 0.1, 0);
    assert_float_equal(data.last.core_seconds, 100, 1e-6);
    trial_data_fini(&data);
}

static void what_does_not_count_is_never_the_best(void **state)
{
    (void)state;
    struct trial_data data = begin("maximize");
    add(&data, 1, "completed", 1, 1, "");
    add(&data, 2, "completed", 2, 9, ", \"feasible\": false");
    add(&data, 3, "completed", 3, 8, ", \"ignored\": true");
    add(&data, 4, "failed", 4, NAN, "");
    add(&data, 5, "completed", 5, 2, "");
    trial_data_finish(&data);
    assert_int_equal(data.ended_count, 4);
    assert_int_equal(data.best_count, 2);
    assert_int_equal(data.trials[data.best[1].at].trial, 5);
    assert_float_equal(data.best[1].place.trials, 4, 0);
    assert_int_equal(data.trials[3].reason, ENDING_CRASHED);
    assert_false(trial_data_counts(&data.trials[2]));
    assert_true(trial_data_counts(&data.trials[1]) && !trial_data_may_be_best(&data.trials[1]));
    trial_data_fini(&data);
}

static void a_trial_is_found_by_its_number(void **state)
{
    (void)state;
    struct trial_data data = begin("minimize");
    for (int i = 1; i <= 50; i++)
        add(&data, 2 * i, "completed", i, 1.0 / i, "");
    trial_data_finish(&data);
    assert_int_equal(data.best_count, 50);
    assert_int_equal(trial_data_find(&data, 2), 0);
    assert_int_equal(trial_data_find(&data, 100), 49);
    assert_int_equal(trial_data_find(&data, 3), -1);
    assert_int_equal(trial_data_find(&data, 101), -1);
    trial_data_fini(&data);
}

static void an_experiment_without_trials_is_empty(void **state)
{
    (void)state;
    struct trial_data data;
    trial_data_init(&data, json_object());
    trial_data_finish(&data);
    assert_int_equal(data.count, 0);
    assert_true(isnan(trial_data_best_at(&data, 0, 1)));
    trial_data_fini(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_numbers_or_places_of_levels),
        cmocka_unit_test(the_best_so_far_is_in_the_order_of_endings),
        cmocka_unit_test(what_does_not_count_is_never_the_best),
        cmocka_unit_test(a_trial_is_found_by_its_number),
        cmocka_unit_test(an_experiment_without_trials_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
