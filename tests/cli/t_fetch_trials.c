/* The section trials: which rows it gives, in which order, and that what it keeps from one reading to the next comes to
 * the same as a reading that knows nothing yet. */
#include "cli/fetch/sections.h"
#include "cli/fetch/trial_order.h"
#include "scheduler/rundir/rundir.h"
#include "tests/claims.h"
#include "tests/stores.h"
#include "common/buf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKER = 7 };

/* An experiment with a store and nobody that runs it. */
struct stage {
    struct store *store;
    struct rundir dir;
    struct section_memory memory;
    uint64_t told;
};

static void open_stage(void **state, struct stage *stage)
{
    *stage = (struct stage){0};
    rundir_name(path_in(state, ""), &stage->dir);
    stage->store = stores_make(stage->dir.store);
    struct event worker = {
        .kind = EVENT_WORKER, .worker = WORKER, .hello = {.node = "n1", .version = "1", .machine = "m"}};
    struct err err;
    fine(store_write(stage->store, &worker, 1, &err), &err);
}

static void close_stage(struct stage *stage)
{
    if (stage->memory.free)
        stage->memory.free(stage->memory.data);
    store_close(stage->store);
    rundir_fini(&stage->dir);
}

static void begin_trial(struct stage *stage, uint64_t trial, const char *params)
{
    struct err err;
    struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .time = 1e9, .proposed = {.params = params}},
        {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER, .time = 1e9},
    };
    fine(store_write(stage->store, events, 2, &err), &err);
}

static void end_trial(struct stage *stage, uint64_t trial, enum ending ending, double value, double seconds)
{
    struct err err;
    bool has_value = !isnan(value);
    struct msg_sample sample = {.metric = "acc", .step = 3, .value = -value, .time = 0.5};
    struct event events[] = {
        {.kind = EVENT_RUN_ENDED,
         .trial = trial,
         .attempt = 1,
         .worker = WORKER,
         .run = {.sampled = {.samples = &sample, .samples_count = has_value ? 1u : 0u},
                 .ending = ending,
                 .started = 1e9,
                 .seconds = seconds}},
        {.kind = EVENT_TRIAL_ENDED,
         .trial = trial,
         .time = 1e9 + 5,
         .end = {.ending = ending, .seconds = seconds, .has_value = has_value, .value = value, .told = ++stage->told}}};
    fine(store_write(stage->store, events, 2, &err), &err);
}

/* Trials first .. last: every fifth failed, every seventh has no end; values lie scattered. */
static void write_trials(struct stage *stage, uint64_t first, uint64_t last)
{
    static const char *const optimizers[] = {"sgd", "adam", "lamb"};
    char params[80];
    for (uint64_t trial = first; trial <= last; trial++) {
        snprintf(params, sizeof params, "{\"lr\": %g, \"opt\": \"%s\"}", 0.001 * (double)(trial * 37 % 50),
                 optimizers[trial % 3]);
        begin_trial(stage, trial, params);
        if (trial % 5 == 0)
            end_trial(stage, trial, ENDING_EXITED, NAN, 0.5);
        else if (trial % 7)
            end_trial(stage, trial, ENDING_COMPLETED, (double)(trial * 29 % 101), (double)(trial % 10));
    }
}

/* Reads until there is no more to look at. */
static json_t *read_with(struct stage *stage, struct section_memory *memory, const struct wants *wants)
{
    struct err err = {""};
    struct source *source;
    json_t *value = NULL;
    assert_int_equal(source_open_dir(&stage->dir, &source, &err), 0);
    struct section_reading reading = {.source = source, .wants = wants, .memory = memory};
    do {
        json_decref(value);
        memory->more = false;
        value = section_trials(&reading, &err);
        if (!value)
            fail_msg("%s", err.text);
    } while (memory->more);
    source_close(source);
    return value;
}

static struct wants wanted(const char *order, bool reverse, const char *filter, uint64_t first, uint32_t count)
{
    struct wants wants = {.trials = {.reverse = reverse, .first = first, .count = count}};
    snprintf(wants.trials.order, WANTS_TEXT, "%s", order);
    snprintf(wants.trials.filter, WANTS_TEXT, "%s", filter);
    return wants;
}

/* "matching: 3 1 2", with what is wrong. */
static const char *rows_text(const json_t *value)
{
    static char text[4000];
    size_t index;
    json_t *trial;
    int at = snprintf(text, sizeof text, "%d:", (int)json_integer_value(json_object_get(value, "matching")));
    json_array_foreach(json_object_get(value, "rows"), index, trial) at +=
        snprintf(text + at, sizeof text - (size_t)at, " %d", (int)json_integer_value(json_object_get(trial, "trial")));
    snprintf(text + at, sizeof text - (size_t)at, "%s", json_string_value(json_object_get(value, "mistake")));
    return text;
}

static void rows_are(struct stage *stage, struct wants wants, const char *expected)
{
    json_t *value = read_with(stage, &stage->memory, &wants);
    assert_string_equal(rows_text(value), expected);
    json_decref(value);
}

static void rows_come_in_the_order_and_the_window_that_are_wanted(void **state)
{
    struct stage stage;
    open_stage(state, &stage);
    write_trials(&stage, 1, 20);
    rows_are(&stage, wanted("", false, "", 0, 4), "20: 1 2 3 4");
    rows_are(&stage, wanted("", true, "", 1, 3), "20: 19 18 17");
    rows_are(&stage, wanted("", false, "", 18, 9), "20: 19 20");
    rows_are(&stage, wanted("", false, "", 99, 9), "20:");
    /* 29 58 87 15 (5 failed) 73 (7 lives) 30 59 (10) 16 45 74 (14) (15) 62 91 19 48 (20) */
    rows_are(&stage, wanted("value", false, "", 0, 5), "20: 4 11 18 1 8");
    rows_are(&stage, wanted("loss", true, "", 0, 3), "20: 17 3 13");
    rows_are(&stage, wanted("value", false, "", 12, 9), "20: 3 17 5 7 10 14 15 20");
    rows_are(&stage, wanted("state", false, "", 0, 2), "20: 1 2");
    rows_are(&stage, wanted("opt", false, "", 0, 4), "20: 1 4 7 10");
    rows_are(&stage, wanted("param.opt", true, "", 0, 4), "20: 3 6 9 12");
    close_stage(&stage);
}

static void a_filter_keeps_what_it_says_and_mistakes_are_said(void **state)
{
    struct stage stage;
    open_stage(state, &stage);
    write_trials(&stage, 1, 20);
    rows_are(&stage, wanted("", false, "failed", 0, 9), "4: 5 10 15 20");
    rows_are(&stage, wanted("", true, "running", 0, 9), "2: 14 7");
    rows_are(&stage, wanted("value", false, "value > 20 and value < 60", 0, 9), "6: 1 8 12 19 2 9");
    rows_are(&stage, wanted("lr", true, "opt == 'adam' and completed", 0, 3), "5: 4 16 1");
    rows_are(&stage, wanted("", false, "acc < -70", 0, 9), "4: 3 6 13 17");
    rows_are(&stage, wanted("", false, "seconds > 1e6", 0, 9), "2: 7 14"); /* they run since 2001 */
    rows_are(&stage, wanted("", false, "sate == 'failed'", 0, 9),
             "0:filter: character 1: there is no column 'sate'; did you mean 'state'?");
    close_stage(&stage);
}

/* Every order and filter, read before the rest came and again afterwards, and by who reads for the first time. */
static void increments_come_to_the_same_as_a_fresh_reading(void **state)
{
    static const struct {
        const char *order, *filter;
        bool reverse;
    } rows[] = {{"", "failed", false},
                {"value", "", false},
                {"value", "", true},
                {"lr", "", false},
                {"opt", "lr > 0.01", true},
                {"metric.acc", "", false},
                {"state", "", true},
                {"node", "running", false},
                {"seconds", "value > 10", false},
                {"ignored", "", true},
                {"value", "not ignored", false},
                {"attempts", "step == 3", false},
                {"", "failed or running", true}};
    enum { ROWS = sizeof rows / sizeof *rows };
    struct section_memory memories[ROWS] = {0};
    struct stage stage;
    struct err err;
    open_stage(state, &stage);
    write_trials(&stage, 1, 40);
    for (size_t i = 0; i < ROWS; i++) {
        struct wants wants = wanted(rows[i].order, rows[i].reverse, rows[i].filter, 0, 5);
        json_decref(read_with(&stage, &memories[i], &wants));
    }
    write_trials(&stage, 41, 80);
    end_trial(&stage, 7, ENDING_COMPLETED, 50.5, 3);
    end_trial(&stage, 14, ENDING_CANCELLED, NAN, 3);
    struct event said[] = {
        {.kind = EVENT_IGNORED, .trial = 4, .ignored = {.ignored = true, .told = ++stage.told}},
        {.kind = EVENT_REOPENED, .trial = 5, .reopened = {.told = ++stage.told}},
    };
    fine(store_write(stage.store, said, 2, &err), &err);
    for (size_t i = 0; i < ROWS; i++) {
        struct wants wants = wanted(rows[i].order, rows[i].reverse, rows[i].filter, 0, 100);
        struct section_memory fresh = {0};
        json_t *now = read_with(&stage, &memories[i], &wants), *first = read_with(&stage, &fresh, &wants);
        char known[4000];
        snprintf(known, sizeof known, "%s", rows_text(now));
        if (strcmp(known, rows_text(first)) != 0)
            fail_msg("%s, %s: %s is not %s", rows[i].order, rows[i].filter, known, rows_text(first));
        assert_true(json_array_size(json_object_get(now, "rows")) > 1);
        json_decref(now);
        json_decref(first);
        fresh.free(fresh.data);
        memories[i].free(memories[i].data);
    }
    close_stage(&stage);
}

/* Sessions that had asked for trials ended without them. */
static void numbers_with_gaps_are_found(void **state)
{
    struct stage stage;
    open_stage(state, &stage);
    write_trials(&stage, 1, 3);
    write_trials(&stage, 101, 104);
    rows_are(&stage, wanted("", false, "", 2, 3), "7: 3 101 102");
    rows_are(&stage, wanted("", true, "", 0, 2), "7: 104 103");
    close_stage(&stage);
}

static void what_runs_has_its_time_and_what_is_left(void **state)
{
    struct stage stage;
    open_stage(state, &stage);
    write_trials(&stage, 1, 7);
    struct wants wants = wanted("", false, "running", 0, 3);
    json_t *value = read_with(&stage, &stage.memory, &wants),
           *trial = json_array_get(json_object_get(value, "rows"), 0);
    assert_int_equal(json_integer_value(json_object_get(trial, "trial")), 7);
    assert_true(json_real_value(json_object_get(trial, "seconds")) > 1e6);
    assert_true(json_is_number(json_object_get(trial, "left")));
    json_decref(value);
    close_stage(&stage);
}

static void rows_have_the_last_values_of_the_objective(void **state)
{
    struct stage stage;
    struct err err;
    open_stage(state, &stage);
    begin_trial(&stage, 1, "{\"lr\": 1}");
    struct msg_sample samples[60];
    for (uint32_t i = 0; i < 60; i++)
        samples[i] = (struct msg_sample){
            .metric = i % 2 ? "loss" : "acc", .step = i, .value = i == 59 ? (double)NAN : i, .time = i};
    struct event event = {.kind = EVENT_SAMPLED,
                          .trial = 1,
                          .attempt = 1,
                          .worker = WORKER,
                          .sampled = {.samples = samples, .samples_count = 60}};
    fine(store_write(stage.store, &event, 1, &err), &err);
    struct wants wants = wanted("", false, "", 0, 3);
    json_t *value = read_with(&stage, &stage.memory, &wants),
           *trend = json_object_get(json_array_get(json_object_get(value, "rows"), 0), "trend");
    assert_int_equal(json_array_size(trend), 24);
    assert_true(json_real_value(json_array_get(trend, 0)) == 13);
    assert_true(json_real_value(json_array_get(trend, 22)) == 57);
    assert_string_equal(json_string_value(json_array_get(trend, 23)), "nan");
    json_decref(value);
    close_stage(&stage);
}

/* --- the order itself --- */

static void order_is(struct trial_order *order, const char *expected)
{
    struct buf text = {0};
    json_t *list = json_array();
    size_t index;
    const json_t *number;
    trial_order_settle(order);
    trial_order_list(order, 0, UINT64_MAX, list);
    json_array_foreach(list, index, number)
        buf_format(&text, "%s%d", index ? " " : "", (int)json_integer_value(number));
    assert_string_equal(buf_str(&text), expected);
    /* A window of any place is that part of it. */
    for (size_t first = 0; first <= json_array_size(list); first++) {
        json_t *part = json_array();
        trial_order_list(order, first, 2, part);
        for (size_t i = 0; i < json_array_size(part); i++)
            assert_true(json_equal(json_array_get(part, i), json_array_get(list, first + i)));
        json_decref(part);
    }
    json_decref(list);
    buf_fini(&text);
}

static void put(struct trial_order *order, uint64_t trial, double number, const char *text)
{
    trial_order_put(order, trial, &(struct order_key){.number = number, .text = text}, true);
}

static void numbers_go_before_texts_and_nothing_goes_last(void **state)
{
    (void)state;
    for (int reverse = 0; reverse < 2; reverse++) {
        struct trial_order *order = trial_order_create(reverse);
        put(order, 1, NAN, "b");
        put(order, 2, 5, NULL);
        put(order, 3, NAN, NULL);
        put(order, 4, -INFINITY, NULL);
        put(order, 5, NAN, "a");
        put(order, 6, 5, NULL);
        order_is(order, reverse ? "2 6 4 1 5 3" : "4 2 6 5 1 3");
        trial_order_put_living(order, 9, &(struct order_key){.number = 5});
        trial_order_put_living(order, 8, &(struct order_key){.number = NAN});
        order_is(order, reverse ? "2 6 9 4 1 5 3 8" : "4 2 6 9 5 1 3 8");
        put(order, 9, 7, NULL); /* it has ended, and those that live were not read since */
        put(order, 2, NAN, "c");
        trial_order_put(order, 1, &(struct order_key){.number = 1}, false);
        order_is(order, reverse ? "9 6 4 2 5 3 8" : "4 6 9 5 2 3 8");
        trial_order_clear_living(order);
        order_is(order, reverse ? "9 6 4 2 5 3" : "4 6 9 5 2 3");
        trial_order_destroy(order);
    }
}

static void many_texts_are_kept_apart(void **state)
{
    (void)state;
    struct trial_order *order = trial_order_create(false);
    char text[16];
    enum { MANY = 3000 };
    for (uint64_t i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "t%06d", (int)(i * 7919 % MANY));
        put(order, i + 1, NAN, text);
        if (i % 100 == 0)
            trial_order_settle(order);
    }
    trial_order_settle(order);
    json_t *list = json_array();
    trial_order_list(order, 0, MANY, list);
    assert_int_equal(json_array_size(list), MANY);
    for (uint64_t i = 0; i < MANY; i++)
        assert_int_equal((uint64_t)(json_integer_value(json_array_get(list, i)) - 1) * 7919 % MANY, i);
    json_decref(list);
    trial_order_destroy(order);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        TEST(rows_come_in_the_order_and_the_window_that_are_wanted),
        TEST(a_filter_keeps_what_it_says_and_mistakes_are_said),
        TEST(increments_come_to_the_same_as_a_fresh_reading),
        TEST(numbers_with_gaps_are_found),
        TEST(what_runs_has_its_time_and_what_is_left),
        TEST(rows_have_the_last_values_of_the_objective),
        cmocka_unit_test(numbers_go_before_texts_and_nothing_goes_last),
        cmocka_unit_test(many_texts_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
