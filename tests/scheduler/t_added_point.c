/* Points that were measured elsewhere: which a person may add, and what is said of the others. */
#include "scheduler/session/added_point.h"
#include "tests/claims.h"
#include "tests/experiment.h"

#include <string.h>

/* `depth` is active with the method deep alone; `seed` is the same everywhere. */
static const char text[] = "version: 1\n"
                           "name: small\n"
                           "trial: {command: [\"true\"]}\n"
                           "metric: [{name: loss, goal: minimize}, {name: size, max: 5}]\n"
                           "parameters:\n"
                           "  x: {min: 0.0, max: 1.0}\n"
                           "  y: {min: 0.0, max: 1.0}\n"
                           "  method: [flat, deep]\n"
                           "  depth: {min: 1, max: 9, when: {method: deep}}\n"
                           "  seed: 7\n"
                           "constraints: [\"x + y <= 1\"]\n"
                           "limits: {max_trials: 20}\n";

/* Reads it; what is said of it, NULL: nothing, *out is to be ended. */
static const char *read_point(const struct spec *spec, const char *point, struct added_point *out)
{
    static struct err err;
    json_t *json = json_loads(point, 0, NULL);
    assert_non_null(json);
    err = (struct err){0};
    int failed = added_point_read(spec, json, out, &err);
    json_decref(json);
    return failed ? err.text : NULL;
}

#define POINT(params, values) "{\"params\": " params ", \"values\": " values "}"
#define FLAT                  "{\"x\": 0.25, \"y\": 0.5, \"method\": \"flat\"}"
#define DEEP                  "{\"x\": 0.25, \"y\": 0.5, \"method\": \"deep\", \"depth\": 3}"
#define VALUES                "{\"loss\": 1, \"size\": 2.5}"

static void a_point_is_kept_as_the_space_writes_it_with_the_values_in_their_order(void **state)
{
    struct added_point point;
    struct spec *spec = experiment_spec(state, text);
    assert_null(read_point(
        spec, POINT("{\"depth\": 3, \"method\": \"deep\", \"y\": 0.5, \"x\": 0.25}", "{\"size\": 2.5, \"loss\": 1}"),
        &point));
    assert_string_equal(point.params, "{\"x\": 0.25, \"y\": 0.5, \"method\": \"deep\", \"depth\": 3, \"seed\": 7}");
    assert_true(point.values[0] == 1 && point.values[1] == 2.5);
    added_point_fini(&point);
    spec_destroy(spec);
}

static void what_is_not_active_and_what_is_always_the_same_need_not_be_given(void **state)
{
    struct added_point point, same;
    struct spec *spec = experiment_spec(state, text);
    assert_null(read_point(spec, POINT(FLAT, VALUES), &point));
    assert_string_equal(point.params, "{\"x\": 0.25, \"y\": 0.5, \"method\": \"flat\", \"seed\": 7}");
    assert_null(read_point(spec, POINT("{\"x\": 0.25, \"y\": 0.5, \"method\": \"flat\", \"seed\": 7}", VALUES), &same));
    assert_true(point.fingerprint == same.fingerprint);
    added_point_fini(&same);
    assert_null(read_point(spec, POINT(DEEP, VALUES), &same));
    assert_true(point.fingerprint != same.fingerprint);
    added_point_fini(&same);
    added_point_fini(&point);
    spec_destroy(spec);
}

static void what_may_not_be_added_is_said_in_words(void **state)
{
    static const struct {
        const char *point, *words;
    } unfit[] = {
        {POINT("[1, 2]", VALUES), "the parameters have to be a JSON object"},
        {"{\"values\": " VALUES "}", "the parameters have to be a JSON object"},
        {POINT("{\"x\": 0.25, \"method\": \"flat\"}", VALUES), "'y' is missing"},
        {POINT("{\"x\": 0.25, \"y\": 0.5, \"method\": \"deep\"}", VALUES), "'depth' is missing"},
        {POINT("{\"x\": 0.25, \"y\": 0.5, \"method\": \"flat\", \"z\": 1}", VALUES), "z"},
        {POINT("{\"x\": 2, \"y\": 0.5, \"method\": \"flat\"}", VALUES), "x"},
        {POINT("{\"x\": 0.75, \"y\": 0.5, \"method\": \"flat\"}", VALUES), "it violates the constraint 'x + y <= 1'"},
        {POINT(FLAT, "{\"los\": 1, \"size\": 2}"),
         "no metric is called 'los'; did you mean 'loss'?; there are: loss, size"},
        {POINT(FLAT, "{\"loss\": 1, \"size\": 2, \"accuracy\": 3}"),
         "no metric is called 'accuracy'; there are: loss, size"},
        {POINT(FLAT, "{\"loss\": 1}"), "the metric 'size' is missing"},
        {POINT(FLAT, "{\"loss\": \"nan\", \"size\": 1}"), "the metric 'loss' has to be a finite number"},
        {"{\"params\": " FLAT "}", "the metric 'loss' is missing"},
    };
    struct spec *spec = experiment_spec(state, text);
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        struct added_point point;
        const char *said = read_point(spec, unfit[i].point, &point);
        if (!said)
            fail_msg("%s may be added", unfit[i].point);
        assert_has(said, unfit[i].words);
        added_point_fini(&point);
    }
    spec_destroy(spec);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_point_is_kept_as_the_space_writes_it_with_the_values_in_their_order),
        IN_SCRATCH(what_is_not_active_and_what_is_always_the_same_need_not_be_given),
        IN_SCRATCH(what_may_not_be_added_is_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
