/* Lists of trials: which columns there are, CSV. */
#include "cli/view/columns.h"
#include "tests/claims.h"

#include <string.h>

/* Three trials: one that ran well, one that failed, one that waits. */
static json_t *three(void)
{
    return json_loads(
        "[{\"trial\": 1, \"state\": \"completed\", \"reason\": \"completed\", \"attempts\": 1,"
        "  \"params\": {\"lr\": 0.5, \"opt\": \"sgd, plain\", \"m\": 0.9}, \"metrics\": {\"loss\": 0.25, \"acc\": 0.5},"
        "  \"value\": 0.25, \"started\": \"2026-11-20T14:02:11.000Z\", \"ended\": \"2026-11-20T14:02:14.000Z\","
        "  \"seconds\": 3.0, \"node\": \"n1\", \"slot\": 0, \"cpus\": [0, 1, 2, 8], \"gpus\": [],"
        "  \"profile\": {\"forward\": {\"seconds\": 1.5, \"count\": 3, \"min\": 0.4, \"max\": 0.6}}},"
        " {\"trial\": 2, \"state\": \"failed\", \"reason\": \"diverged\", \"attempts\": 1,"
        "  \"params\": {\"lr\": 9.0, \"opt\": \"a \\\"b\\\"\"}, \"metrics\": {\"loss\": \"nan\"}, \"value\": null,"
        "  \"started\": null, \"ended\": null, \"seconds\": 0.125, \"node\": \"n1\", \"slot\": 1, \"cpus\": [3],"
        "  \"gpus\": [0], \"profile\": {}},"
        " {\"trial\": 3, \"state\": \"waiting\", \"reason\": null, \"attempts\": 0, \"params\": {\"lr\": 0.1,"
        "  \"opt\": \"adam\"}, \"metrics\": {}, \"value\": 0.5, \"started\": null, \"ended\": null, \"seconds\": null,"
        "  \"node\": null, \"slot\": null, \"cpus\": null, \"gpus\": null, \"profile\": {}}]",
        0, NULL);
}

/* The names of columns with their prefixes, and a '#' where they hold numbers. */
static void columns_are(const struct trial_columns *columns, const char *expected)
{
    struct buf names = {0};
    for (size_t i = 0; i < columns->count; i++) {
        buf_text(&names, i ? " " : "");
        column_title(&columns->items[i], &names);
        buf_text(&names, columns->items[i].number ? "#" : "");
    }
    assert_string_equal(buf_str(&names), expected);
    buf_fini(&names);
}

static void all_columns_are_members_params_metrics_and_times(void **state)
{
    (void)state;
    json_t *trials = three();
    struct trial_columns columns;
    columns_all(trials, &columns);
    columns_are(
        &columns,
        "trial# state reason attempts# started ended seconds# node slot# cpus gpus ignored added nodes step value# "
        "param.lr# param.opt param.m# metric.loss metric.acc# time.forward#");
    columns_fini(&columns);
    json_decref(trials);
}

static void reasons_are_shown_only_where_trials_failed(void **state)
{
    (void)state;
    json_t *trials = three();
    struct trial_columns columns;
    columns_usual(trials, &columns);
    columns_are(&columns, "trial# state value# seconds# reason param.lr# param.opt param.m#");
    columns_fini(&columns);
    json_array_remove(trials, 1);
    columns_usual(trials, &columns);
    columns_are(&columns, "trial# state value# seconds# param.lr# param.opt param.m#");
    columns_fini(&columns);
    json_decref(trials);
}

static void a_name_is_a_member_then_a_parameter_then_a_metric(void **state)
{
    (void)state;
    json_t *trials = three();
    struct trial_columns columns;
    struct err err;
    assert_int_equal(columns_choose(trials, "trial,loss,lr,time.forward,param.m,", &columns, &err), 0);
    columns_are(&columns, "trial# metric.loss param.lr# time.forward# param.m#");
    columns_fini(&columns);
    json_decref(trials);
}

static void an_unknown_column_is_answered_with_what_there_is(void **state)
{
    (void)state;
    json_t *trials = three();
    struct trial_columns columns;
    struct err err;
    assert_int_equal(columns_choose(trials, "trial,los", &columns, &err), -1);
    assert_has(err.text, "there is no column 'los'; did you mean 'loss'? The columns: trial, state");
    assert_int_equal(columns.count, 0);
    json_decref(trials);
}

static void no_trials_have_the_members_alone(void **state)
{
    (void)state;
    json_t *trials = json_array();
    struct trial_columns columns;
    columns_usual(trials, &columns);
    columns_are(&columns, "trial state value seconds");
    columns_fini(&columns);
    json_decref(trials);
}

static void of_no_trials_any_column_may_be_asked_for(void **state)
{
    (void)state;
    json_t *none = json_array();
    struct trial_columns columns;
    struct err err;
    assert_int_equal(columns_choose(none, "trial,lr", &columns, &err), 0);
    columns_are(&columns, "trial param.lr");
    columns_fini(&columns);
    json_decref(none);
}

static void csv_quotes_what_it_must_and_leaves_out_what_is_missing(void **state)
{
    (void)state;
    json_t *trials = three();
    struct trial_columns columns;
    struct err err;
    struct buf text = {0};
    assert_int_equal(columns_choose(trials, "trial,opt,loss,value,cpus,gpus,m", &columns, &err), 0);
    columns_csv_names(&columns, &text);
    for (size_t i = 0; i < json_array_size(trials); i++)
        columns_csv_trial(json_array_get(trials, i), &columns, &text);
    assert_string_equal(buf_str(&text), "trial,param.opt,metric.loss,value,cpus,gpus,param.m\r\n"
                                        "1,\"sgd, plain\",0.25,0.25,\"0-2,8\",,0.9\r\n"
                                        "2,\"a \"\"b\"\"\",nan,,3,0,\r\n"
                                        "3,adam,,0.5,,,\r\n");
    buf_fini(&text);
    columns_fini(&columns);
    json_decref(trials);
}

static void durations_and_ranges_are_shown_for_people(void **state)
{
    (void)state;
    json_t *trials = three();
    struct trial_columns columns;
    struct err err;
    struct buf text = {0};
    assert_int_equal(columns_choose(trials, "seconds,cpus,gpus,reason,time.forward", &columns, &err), 0);
    for (size_t i = 0; i < columns.count; i++) {
        column_show(&columns.items[i], json_array_get(trials, 0), &text);
        buf_text(&text, " ");
    }
    assert_string_equal(buf_str(&text), "3.0s 0-2,8 - completed 1.5s ");
    buf_fini(&text);
    columns_fini(&columns);
    json_decref(trials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_are_members_params_metrics_and_times),
        cmocka_unit_test(reasons_are_shown_only_where_trials_failed),
        cmocka_unit_test(a_name_is_a_member_then_a_parameter_then_a_metric),
        cmocka_unit_test(an_unknown_column_is_answered_with_what_there_is),
        cmocka_unit_test(no_trials_have_the_members_alone),
        cmocka_unit_test(of_no_trials_any_column_may_be_asked_for),
        cmocka_unit_test(csv_quotes_what_it_must_and_leaves_out_what_is_missing),
        cmocka_unit_test(durations_and_ranges_are_shown_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
