/* Which trials a filter keeps, and what is said about a mistake in it. */
#include "cli/data/filter.h"
#include "tests/claims.h"

#include <string.h>

static json_t *read_json(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    if (!json)
        fail_msg("%s: %s", error.text, text);
    return json;
}

static json_t *experiment(void)
{
    return read_json(
        "{\"metric\": \"loss\", \"metrics\": [{\"name\": \"loss\"}, {\"name\": \"seconds\"}],"
        " \"parameters\": [{\"name\": \"lr\", \"kind\": \"real\"}, {\"name\": \"node\", \"kind\": \"int\"},"
        " {\"name\": \"opt.name\", \"kind\": \"choice\", \"values\": [\"sgd\", \"adam\"]},"
        " {\"name\": \"layers\", \"kind\": \"choice\", \"values\": [[64, 64], [128]]},"
        " {\"name\": \"mixed\", \"kind\": \"choice\", \"values\": [null, 3, \"x\", true]},"
        " {\"name\": \"batch-size\", \"kind\": \"choice\", \"values\": [16, 32]},"
        " {\"name\": \"it's \\\"odd\\\" <b>\", \"kind\": \"int\"}, {\"name\": \"exited\", \"kind\": \"real\"},"
        " {\"name\": \"nesterov\", \"kind\": \"choice\", \"values\": [true, false]},"
        " {\"name\": \"epochs\", \"kind\": \"constant\", \"value\": 30}]}");
}

/* One that failed on a node, in JSON. */
#define TRIAL                                                                                                          \
    "{\"trial\": 7, \"state\": \"failed\", \"reason\": \"out_of_memory\", \"attempts\": 2, \"params\": {\"lr\": 0.01," \
    " \"node\": 5, \"opt.name\": \"sgd\", \"layers\": [64, 64], \"mixed\": 3, \"batch-size\": 32, \"exited\": 0.5,"    \
    " \"it's \\\"odd\\\" <b>\": 4, \"nesterov\": false, \"epochs\": 30}, \"metrics\": {\"loss\": \"nan\","             \
    " \"seconds\": 3.5, \"acc\": \"inf\", \"late\": 1}, \"value\": null, \"started\": \"2026-11-20T14:02:11.000Z\","   \
    " \"ended\": \"2026-11-20T14:03:11.500Z\", \"seconds\": 60.5, \"node\": \"n01\", \"slot\": 0, \"cpus\": [0, 1, "   \
    "8],"                                                                                                              \
    " \"gpus\": [], \"profile\": {\"data\": {\"seconds\": 40.5}, \"my-phase\": {\"seconds\": 1}}, \"feasible\": null," \
    " \"job\": \"123_4\", \"ignored\": false, \"added\": true, \"nodes\": null, \"verdict\": \"data\", \"figure\": "   \
    "0.67, \"step\": 12}"

static struct filter *parse(const char *text, size_t *column, struct err *err)
{
    json_t *about = experiment(), *metrics = read_json("[\"acc\", \"late\"]"), *trials = read_json("[" TRIAL "]");
    struct filter *filter = filter_parse(text, &(struct filter_names){about, metrics, trials}, column, err);
    json_decref(about);
    json_decref(metrics);
    json_decref(trials);
    return filter;
}

static bool keeps(const char *text, const char *trial)
{
    struct err err = {""};
    size_t column = 0;
    struct filter *filter = parse(text, &column, &err);
    if (!filter)
        fail_msg("%s: %zu: %s", text, column, err.text);
    json_t *json = read_json(trial);
    bool kept = filter_keeps(filter, json);
    json_decref(json);
    filter_destroy(filter);
    return kept;
}

static void yes(const char *text)
{
    if (!keeps(text, TRIAL))
        fail_msg("%s does not keep it", text);
}

static void no(const char *text)
{
    if (keeps(text, TRIAL))
        fail_msg("%s keeps it", text);
}

static void members_are_operands(void **state)
{
    (void)state;
    yes("trial == 7 and attempts > 1 and slot == 0 and step >= 12");
    yes("state == 'failed' and reason == 'out_of_memory'");
    yes("seconds > 60 and seconds < 61");
    yes("node == 'n01'");
    yes("job == \"123_4\"");
    yes("cpus == 3 and gpus == 0");
    yes("ended - started == 60.5");
    yes("started > 1763647331 - 1 or started < 0");
    yes("verdict == 'data' and figure > 0.5");
    yes("added and not ignored");
    no("ignored");
    no("state == 'completed'");
}

static void parameters_metrics_and_phases_are_operands(void **state)
{
    (void)state;
    yes("lr > 1e-3 and opt.name == 'sgd' and batch-size == 32");
    yes("param.lr == 0.01 and param.node == 5");
    yes("metric.seconds == 3.5");
    yes("late == 1 and metric.late == late");
    yes("time.data > 0.5 * seconds and data == 40.5");
    yes("time.my-phase == 1 and my-phase == time.my-phase");
    yes("layers == '[64, 64]' and layers != '[128]'");
    yes("mixed == 3 and mixed != null");
    yes("not nesterov and nesterov == false");
    yes("epochs == 30");
    no("opt.name == 'adam'");
}

static void a_member_goes_before_a_parameter_and_that_before_a_metric(void **state)
{
    (void)state;
    yes("seconds == 60.5");
    yes("node == 'n01'");
    yes("exited == 0.5"); /* a parameter has the name of an ending */
}

static void hostile_names_are_names(void **state)
{
    (void)state;
    yes("it's \"odd\" <b> == 4");
    yes("param.it's \"odd\" <b> + 1 == 5");
}

static void words_alone_are_states_and_endings(void **state)
{
    (void)state;
    yes("failed");
    yes("out_of_memory and not crashed");
    no("running");
    no("not failed or completed");
}

static void what_is_missing_compares_with_nothing_but_null(void **state)
{
    (void)state;
    yes("value == null");
    no("value != null");
    no("value < 1e300");
    no("value >= -1e300");
    yes("not (value > 0)");
    yes("nodes == null and nodes != 'n01'");
    yes("feasible == null");
    no("feasible");
    yes("not feasible");
    yes("not feasible and failed");
    no("-value < 1 or value * 2 > 0 or max(value, value) > 0");
    assert_true(keeps("lr == null and time.data == null and ended == null and cpus == null and loss == null", "{}"));
    assert_true(keeps("state == null and not failed", "{}"));
    assert_false(keeps("lr > 0 or lr <= 0 or state == 'failed'", "{}"));
}

static void numbers_that_are_not_finite_are_numbers(void **state)
{
    (void)state;
    no("loss < 1 or loss >= 1 or loss == loss");
    yes("loss != null");
    yes("acc > 1e300");
    assert_true(keeps("acc < -1e300", "{\"metrics\": {\"acc\": \"-inf\"}}"));
}

/* A name has had another kind in trials before, as in a damaged store. */
static void a_value_of_another_kind_is_no_value(void **state)
{
    (void)state;
    assert_true(keeps("lr == null", "{\"params\": {\"lr\": true}}"));
    assert_true(keeps("opt.name == null", "{\"params\": {\"opt.name\": 3}}"));
    assert_true(keeps("seconds == null", "{\"seconds\": {}}"));
    assert_true(keeps("state == null", "{\"state\": 3}"));
}

static void refused(const char *text, size_t at, const char *sentence)
{
    struct err err = {""};
    size_t column = 999;
    struct filter *filter = parse(text, &column, &err);
    if (filter)
        fail_msg("%s is taken", text);
    assert_has(err.text, sentence);
    assert_int_equal(column, at);
}

static void mistakes_are_named_where_they_are(void **state)
{
    (void)state;
    refused("lrr > 1", 0, "there is no column 'lrr'; did you mean 'lr'?");
    refused("lr > 1 and metric.los == 3", 11, "there is no column 'metric.los'; did you mean 'metric.loss'?");
    refused("state == 'faild'", 9, "'state' is never 'faild'; did you mean 'failed'?");
    refused("reason != 'oom'", 10, "'reason' is never 'oom'");
    refused("opt.name == 'adm'", 12, "did you mean 'adam'?");
    refused("qqqqqqqq", 0, "there is no column 'qqqqqqqq'");
    refused("opt.name == adam", 12, "there is no column 'adam'; a text stands in quotes: write 'adam'");
    refused("opt.name==adam", 10, "a text stands in quotes: write 'adam'");
    refused("qqqqqqqq != node", 0, "there is no column 'qqqqqqqq'");
    refused("node != zzzzzzzz", 8, "there is no column 'zzzzzzzz'; a text stands in quotes: write 'zzzzzzzz'");
    refused("lr == lrr", 6, "there is no column 'lrr'; did you mean 'lr'?");
    refused("loss", 0, "this is a number; a filter must be true or false, like seconds > 60");
    refused("state > 3", 0, "'state' is a text, but '>' needs numbers");
    refused("lr == 'x'", 6, "can't equal a number");
    refused("(lr > 1", 7, "')' is missing here");
    refused("lr = 1", 3, "write == to compare");
    refused("state == failed", 9, "a text stands in quotes: write 'failed' or \"failed\"");
    refused("lr > 1 or failed != state", 10, "a text stands in quotes: write 'failed'");
    refused("state = failed", 6, "write == to compare");
    refused("(state = 'failed')", 7, "write == to compare");
    refused("", 0, "something is missing at the end");
    refused("lr > 1 ; rm", 7, "this character means nothing here");
    refused("\x1b[31m", 0, "this character means nothing here");
}

static bool has_text(const json_t *list, const char *text)
{
    size_t index;
    json_t *one;
    json_array_foreach((json_t *)list, index, one)
    {
        if (strcmp(json_string_value(one), text) == 0)
            return true;
    }
    return false;
}

static void what_it_reads_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool only, params;
        const char *members;
    } rows[] = {{"state == 'failed' and seconds > 1", true, false, "[\"state\", \"seconds\"]"},
                {"failed or completed", true, false, "[\"reason\"]"},
                {"crashed", false, false, "[\"reason\"]"},
                {"lr > 1 and failed", true, true, "[\"params\", \"reason\"]"},
                {"metric.seconds > 1", false, false, "[\"metrics\"]"},
                {"time.data > 1", false, false, "[\"profile\"]"},
                {"step > 3 or lr > 3", false, true, "[\"params\", \"step\"]"},
                {"started > 1 or gpus > 1", false, false, "[\"gpus\", \"started\"]"},
                {"param.node > 1", true, true, "[\"params\"]"}};
    static const char *const members[] = {"state", "seconds", "node"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        size_t column;
        struct filter *filter = parse(rows[i].text, &column, &err);
        assert_non_null(filter);
        assert_int_equal(filter_reads_only(filter, members, 3), rows[i].only);
        json_t *list = json_array(), *expected = json_loads(rows[i].members, 0, NULL), *name;
        size_t index;
        filter_list_members(filter, list);
        assert_int_equal(json_array_size(list), json_array_size(expected));
        json_array_foreach(expected, index, name) assert_true(has_text(list, json_string_value(name)));
        json_decref(list);
        json_decref(expected);
        assert_int_equal(filter_reads_params(filter), rows[i].params);
        filter_destroy(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_operands),
        cmocka_unit_test(parameters_metrics_and_phases_are_operands),
        cmocka_unit_test(a_member_goes_before_a_parameter_and_that_before_a_metric),
        cmocka_unit_test(hostile_names_are_names),
        cmocka_unit_test(words_alone_are_states_and_endings),
        cmocka_unit_test(what_is_missing_compares_with_nothing_but_null),
        cmocka_unit_test(numbers_that_are_not_finite_are_numbers),
        cmocka_unit_test(a_value_of_another_kind_is_no_value),
        cmocka_unit_test(mistakes_are_named_where_they_are),
        cmocka_unit_test(what_it_reads_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
