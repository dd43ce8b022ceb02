/* Trials in the order of a column: the store sorts by whatever a trial has. */
#include "scheduler/store/reader.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include <string.h>

enum { TRIALS = 4, WORKER = 7 };

/* What is sorted: of each trial its parameters, its metric at two steps, the seconds of its first phase, its ending.
 * Trial 4 never ran. */
static const struct row {
    const char *params;
    double first, last, data, seconds;
    enum ending ending;
} rows[TRIALS - 1] = {
    {"{\"lr\": 0.5, \"opt\": \"sgd\", \"a.b \\\"c\\\"\": 3, \"mixed\": \"deep\"}", 1, 0.25, 2, 3, ENDING_COMPLETED},
    {"{\"lr\": 9.0, \"opt\": \"adam\", \"a.b \\\"c\\\"\": 1, \"mixed\": 2}", 2, 0.125, 1, 1, ENDING_CRASHED},
    {"{\"lr\": 0.125, \"opt\": \"lion\", \"mixed\": 10}", 3, 0.5, 3, 2, ENDING_COMPLETED},
};

static void write_trial(struct store *store, uint64_t trial, const struct row *row)
{
    struct err err;
    struct msg_sample samples[] = {{.metric = "loss", .step = 1, .value = row->first},
                                   {.metric = "loss", .step = 2, .value = row->last}};
    struct phase_time profile[PHASES_COUNT] = {0};
    struct event run = {.kind = EVENT_RUN_ENDED,
                        .trial = trial,
                        .attempt = 1,
                        .worker = WORKER,
                        .run = {.sampled = {.samples = samples, .samples_count = 2},
                                .ending = row->ending,
                                .seconds = row->seconds,
                                .profile = profile}};
    phase_add(&profile[PHASE_DATA], row->data);
    struct event events[] = {{.kind = EVENT_PROPOSED, .trial = trial, .proposed = {.params = row->params}},
                             {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER},
                             run,
                             {.kind = EVENT_TRIAL_ENDED,
                              .trial = trial,
                              .end = {.ending = row->ending,
                                      .seconds = row->seconds,
                                      .has_value = row->ending == ENDING_COMPLETED,
                                      .value = row->last,
                                      .told = trial}}};
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
}

static int make(void **state)
{
    struct err err;
    if (enter_scratch(state))
        return -1;
    struct store *store = stores_make(path_in(state, "order.db"));
    struct event waits = {.kind = EVENT_PROPOSED, .trial = TRIALS, .proposed = {.params = "{\"lr\": 1.0}"}};
    for (uint64_t i = 0; i < TRIALS - 1; i++)
        write_trial(store, i + 1, &rows[i]);
    fine(store_write(store, &waits, 1, &err), &err);
    store_close(store);
    return 0;
}

/* The numbers as a text, "3 1 2 4 "; both ways of reading must agree. */
static void is_order(void **state, struct trial_query query, const char *expected)
{
    struct err err;
    struct buf text = {0};
    struct reader *reader = stores_read(path_in(state, "order.db"));
    json_t *numbers = reader_numbers(reader, &query, &err), *trials = reader_trials(reader, &query, &err);
    fine(!numbers || !trials, &err);
    assert_int_equal(json_array_size(numbers), json_array_size(trials));
    for (size_t i = 0; i < json_array_size(numbers); i++) {
        json_t *number = json_array_get(numbers, i);
        assert_true(json_equal(number, json_object_get(json_array_get(trials, i), "trial")));
        buf_format(&text, "%d ", (int)json_integer_value(number));
    }
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
    json_decref(numbers);
    json_decref(trials);
    reader_close(reader);
}

static void numbers_are_sorted_by_size_and_what_is_missing_goes_last(void **state)
{
    is_order(state, (struct trial_query){.order = "seconds"}, "2 3 1 4 ");
    is_order(state, (struct trial_query){.order = "seconds", .reverse = true}, "1 3 2 4 ");
    is_order(state, (struct trial_query){.order = "value"}, "1 3 2 4 ");
    is_order(state, (struct trial_query){.order = "value", .reverse = true}, "3 1 2 4 ");
    is_order(state, (struct trial_query){.order = "trial", .reverse = true}, "4 3 2 1 ");
}

static void texts_are_sorted_by_messages(void **state)
{
    is_order(state, (struct trial_query){.order = "state"}, "1 3 2 4 ");
    is_order(state, (struct trial_query){.order = "reason", .reverse = true}, "2 1 3 4 ");
}

static void parameters_are_sorted_whatever_they_are_called(void **state)
{
    is_order(state, (struct trial_query){.order = "param.lr"}, "3 1 4 2 ");
    is_order(state, (struct trial_query){.order = "param.opt"}, "2 3 1 4 ");
    is_order(state, (struct trial_query){.order = "param.a.b \"c\""}, "2 1 3 4 ");
}

static void numbers_go_before_texts_in_either_order(void **state)
{
    is_order(state, (struct trial_query){.order = "param.mixed"}, "2 3 1 4 ");
    is_order(state, (struct trial_query){.order = "param.mixed", .reverse = true}, "3 2 1 4 ");
}

static void a_metric_counts_with_its_last_sample_and_a_phase_with_its_seconds(void **state)
{
    is_order(state, (struct trial_query){.order = "metric.loss"}, "2 1 3 4 ");
    is_order(state, (struct trial_query){.order = "time.data"}, "2 1 3 4 ");
    is_order(state, (struct trial_query){.order = "time.data", .reverse = true}, "3 1 2 4 ");
}

static void a_column_that_is_not_there_leaves_them_by_number(void **state)
{
    is_order(state, (struct trial_query){.order = "param.x"}, "1 2 3 4 ");
    is_order(state, (struct trial_query){.order = "nonsense'; DROP TABLE trials"}, "1 2 3 4 ");
    is_order(state, (struct trial_query){.order = ""}, "1 2 3 4 ");
}

static void a_limit_takes_the_first_of_the_order(void **state)
{
    is_order(state, (struct trial_query){.order = "seconds", .limit = 2}, "2 3 ");
    is_order(state, (struct trial_query){.by_value = true, .limit = 1}, "1 ");
    is_order(state, (struct trial_query){.by_value = true}, "1 3 2 4 ");
}

static void of_listed_trials_those_of_the_state_come_in_their_order(void **state)
{
    struct err err;
    struct reader *reader = stores_read(path_in(state, "order.db"));
    json_t *numbers = json_pack("[i, i, i, i]", 3, 99, 2, 1), *shown = json_array();
    struct trial_query query = {.numbers = numbers, .state = TRIAL_COMPLETED + 1};
    json_t *trials = reader_trials(reader, &query, &err);
    for (size_t i = 0; i < json_array_size(trials); i++)
        json_array_append(shown, json_object_get(json_array_get(trials, i), "trial"));
    same_json(shown, json_pack("[i, i]", 3, 1));
    json_decref(trials);
    json_decref(numbers);
    reader_close(reader);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, make, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(numbers_are_sorted_by_size_and_what_is_missing_goes_last),
        CLAIM(texts_are_sorted_by_messages),
        CLAIM(parameters_are_sorted_whatever_they_are_called),
        CLAIM(numbers_go_before_texts_in_either_order),
        CLAIM(a_metric_counts_with_its_last_sample_and_a_phase_with_its_seconds),
        CLAIM(a_column_that_is_not_there_leaves_them_by_number),
        CLAIM(a_limit_takes_the_first_of_the_order),
        CLAIM(of_listed_trials_those_of_the_state_come_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
