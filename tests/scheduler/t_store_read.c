/* What is read of a store: trials in any order, the experiment, events, phases. t_store_model.c claims that all of it
 * is what was written. */
#include "tests/claims.h"
#include "tests/test_metrics.h"
#include "tests/stores.h"

#include "scheduler/store/operations.h"
#include "scheduler/store/profile.h"
#include "scheduler/verdict/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *trials_by(struct reader *reader, struct trial_query query)
{
    struct err err;
    json_t *trials = reader_trials(reader, &query, &err), *numbers = json_array();
    fine(!trials, &err);
    for (size_t i = 0; i < json_array_size(trials); i++)
        json_array_append(numbers, json_object_get(json_array_get(trials, i), "trial"));
    json_decref(trials);
    return numbers;
}

static void assert_numbers(struct reader *reader, struct trial_query query, const char *expected)
{
    json_t *numbers = trials_by(reader, query);
    char *text = json_dumps(numbers, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(numbers);
}

/* Trials 1 .. 6: completed 3.0, failed, completed 1.0, waiting, stopped 2.0, running. */
static struct store *six_trials(void **state, bool maximize)
{
    struct store_experiment experiment = {.name = "x",
                                          .spec = "",
                                          .metrics = maximize ? metrics_max : metrics_min,
                                          .strategy = "random",
                                          .parameters = "[]"};
    struct err err;
    struct store *store = store_make(path_in(state, "six.db"), &experiment, &err);
    fine(!store, &err);
    struct event events[6 + 1 + 4] = {
        [6] = {.kind = EVENT_LEASED, .trial = 6, .attempt = 1, .worker = 5},
        [7] = {.kind = EVENT_TRIAL_ENDED, .trial = 1, .end = {.has_value = true, .value = 3, .told = 1}},
        [8] = {.kind = EVENT_TRIAL_ENDED, .trial = 3, .end = {.has_value = true, .value = 1, .told = 2}},
        [9] = {.kind = EVENT_TRIAL_ENDED, .trial = 2, .end = {.ending = ENDING_DIVERGED, .told = 3}},
        [10] = {.kind = EVENT_TRIAL_ENDED,
                .trial = 5,
                .end = {.ending = ENDING_STOPPED_EARLY, .has_value = true, .value = 2, .told = 4}},
    };
    for (uint64_t i = 0; i < 6; i++)
        events[i] = (struct event){.kind = EVENT_PROPOSED, .trial = i + 1, .proposed = {.params = "{}"}};
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
    return store;
}

static void trials_are_read_in_the_order_and_number_asked_for(void **state)
{
    struct store *store = six_trials(state, false);
    struct reader *reader = store_reader(store);
    assert_numbers(reader, (struct trial_query){0}, "[1,2,3,4,5,6]");
    assert_numbers(reader, (struct trial_query){.limit = 2}, "[1,2]");
    assert_numbers(reader, (struct trial_query){.limit = 2, .after = 2}, "[3,4]");
    assert_numbers(reader, (struct trial_query){.by_value = true}, "[3,5,1,2,4,6]");
    assert_numbers(reader, (struct trial_query){.by_value = true, .limit = 1}, "[3]");
    assert_numbers(reader, (struct trial_query){.state = TRIAL_COMPLETED + 1}, "[1,3]");
    assert_numbers(reader, (struct trial_query){.state = TRIAL_COMPLETED + 1, .by_value = true, .limit = 1}, "[3]");
    assert_numbers(reader, (struct trial_query){.state = TRIAL_WAITING + 1}, "[4]");
    assert_numbers(reader, (struct trial_query){.state = TRIAL_RUNNING + 1}, "[6]");
    assert_numbers(reader, (struct trial_query){.state = TRIAL_PAUSED + 1}, "[]");
    assert_numbers(reader, (struct trial_query){.trial = 5}, "[5]");
    assert_numbers(reader, (struct trial_query){.trial = 5, .state = TRIAL_FAILED + 1}, "[]");
    assert_numbers(reader, (struct trial_query){.trial = 99}, "[]");
    store_close(store);
}

static void best_first_is_highest_first_when_the_metric_is_maximized(void **state)
{
    struct store *store = six_trials(state, true);
    struct err err;
    assert_numbers(store_reader(store), (struct trial_query){.by_value = true}, "[1,5,3,2,4,6]");
    json_t *best = reader_best(store_reader(store), &err);
    assert_int_equal(json_integer_value(json_object_get(best, "trial")), 1);
    json_decref(best);
    store_close(store);
}

static int count_three(void *context, json_t *trial, struct err *err)
{
    (void)trial;
    return ++*(int *)context == 3 ? err_set(err, "three are enough") : 0;
}

static void a_visit_can_end_the_reading(void **state)
{
    struct store *store = six_trials(state, false);
    struct err err;
    int seen = 0;
    assert_int_equal(reader_trials_each(store_reader(store), &(struct trial_query){0}, count_three, &seen, &err), -1);
    assert_string_equal(err.text, "three are enough");
    assert_int_equal(seen, 3);
    fine(stores_write(store, 7, 1, &err), &err);
    store_close(store);
}

static void what_is_not_there_is_null(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct reader *reader = store_reader(store);
    assert_true(json_is_null(reader_best(reader, &err)));
    assert_true(json_is_null(reader_show(reader, 1, &err)));
    json_t *trials = reader_trials(reader, &(struct trial_query){0}, &err), *phases = reader_phases(reader, 1, &err);
    assert_int_equal(json_array_size(trials), 0);
    assert_int_equal(json_array_size(phases), 0);
    json_decref(trials);
    json_decref(phases);
    store_close(store);
}

static void nan_and_infinities_are_kept_and_shown(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct msg_sample samples[] = {{.metric = "a", .step = 1, .value = NAN},
                                   {.metric = "b", .step = 1, .value = INFINITY},
                                   {.metric = "c", .step = 1, .value = -INFINITY}};
    struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = 1, .proposed = {.params = "{\"x\": \"nan\"}"}},
        {.kind = EVENT_LEASED, .trial = 1, .attempt = 1, .worker = 3},
        {.kind = EVENT_SAMPLED, .trial = 1, .attempt = 1, .sampled = {.samples = samples, .samples_count = 3}}};
    fine(store_write(store, events, 3, &err), &err);
    json_t *show = reader_show(store_reader(store), 1, &err);
    json_t *expected = json_pack("{s:s, s:s, s:s}", "a", "nan", "b", "inf", "c", "-inf");
    same_json(json_incref(json_object_get(show, "metrics")), expected);
    json_t *curve = json_object_get(show, "curve");
    assert_string_equal(json_string_value(json_object_get(json_array_get(curve, 0), "value")), "nan");
    json_decref(show);
    store_close(store);
}

static void the_experiment_is_read_as_it_was_made(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct event begin = {.kind = EVENT_EXPERIMENT, .time = 1795183331.5};
    struct event end = {.kind = EVENT_EXPERIMENT,
                        .time = 1795183391.5,
                        .experiment = {.held = 60, .state = EXPERIMENT_ENDED, .reason = REASON_MAX_TRIALS}};
    fine(store_write(store, &begin, 1, &err) || store_write(store, &end, 1, &err), &err);
    json_t *json = reader_experiment(store_reader(store), &err);
    json_object_del(json, "gannet");
    json_t *expected = json_loads(
        "{\"name\": \"test\", \"description\": \"a small one\", \"seed\": 42, \"metric\": \"loss\", "
        "\"goal\": \"minimize\", \"use\": \"last\", \"strategy\": \"random\", \"spec\": \"version: 1\\n\", "
        "\"state\": \"ended\", \"reason\": \"max_trials\", \"detail\": null, \"sessions\": 0, \"started\": "
        "\"2026-11-20T14:02:11.500Z\", "
        "\"ended\": \"2026-11-20T14:03:11.500Z\", \"held\": 60.0, \"run_seconds\": 0.0, \"wasted_seconds\": 0.0, "
        "\"wasted\": 0.0, \"metrics\": [{\"name\": \"loss\", \"goal\": "
        "\"minimize\", "
        "\"use\": \"last\", \"min\": null, \"max\": null}], \"parameters\": [{\"name\": \"lr\", \"kind\": "
        "\"real\"}], \"energy\": null, \"aside\": []}",
        0, NULL);
    same_json(json, expected);
    store_close(store);
}

static void phases_add_up_over_all_runs(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 4, &err), &err);
    json_t *phases = reader_phases(store_reader(store), 1, &err);
    assert_int_equal(json_array_size(phases), 3);
    json_t *expected = json_pack("{s:s, s:f, s:i, s:f, s:f, s:n, s:n, s:f}", "phase", "queue", "seconds", 1.0, "count",
                                 4, "min", 0.25, "max", 0.25, "p50", "p95", "share", 1.0 / 3);
    same_json(json_incref(json_array_get(phases, 0)), expected);
    json_decref(phases);
    store_close(store);
}

static json_int_t count_first(json_t *phases)
{
    json_int_t count = json_integer_value(json_object_get(json_array_get(phases, 0), "count"));
    json_decref(phases);
    return count;
}

static void a_sample_has_one_trial_of_so_many(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 100, &err), &err);
    struct reader *reader = store_reader(store);
    same_json(reader_sample(reader, 0, &err), json_pack("{s:i, s:i, s:i}", "every", 1, "trials", 100, "of", 100));
    same_json(reader_sample(reader, 60, &err), json_pack("{s:i, s:i, s:i}", "every", 1, "trials", 100, "of", 100));
    same_json(reader_sample(reader, 10, &err), json_pack("{s:i, s:i, s:i}", "every", 10, "trials", 10, "of", 100));
    assert_int_equal(count_first(reader_phases(reader, 1, &err)), 100);
    assert_int_equal(count_first(reader_phases(reader, 10, &err)), 10);
    assert_int_equal(count_first(reader_phases(reader, INT64_MAX, &err)), 1);
    assert_int_equal(count_first(reader_phases(reader, 0, &err)), 100); /* nonsense harms nobody */
    store_close(store);
}

/* A number that no trial can have makes nothing long: what there is is looked through, not all numbers below. */
static void a_damaged_number_makes_no_sample_long(void **state)
{
    struct err err;
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 100, &err), &err);
    store_close(store);
    free(stores_sql(path, "UPDATE trials SET trial = 9223372036854775807 WHERE trial = 50"));
    struct reader *reader = reader_open(path, &err);
    assert_int_equal(count_first(reader_phases(reader, 1, &err)), 99); /* the changed one has no runs */
    assert_int_equal(count_first(reader_phases(reader, 10, &err)), 10);
    json_decref(reader_sample(reader, 10, &err));
    reader_close(reader);
}

/* As a grid tries them: every tenth trial has the same value. A sample of every tenth has all of them alike. */
static void a_sample_is_even_over_periods(void **state)
{
    enum { TRIALS = 2000, PERIOD = 10, EVERY = 20 };
    struct err err;
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, TRIALS, &err), &err);
    store_close(store);
    free(stores_sql(path, "UPDATE runs SET profile = '[[' || (trial % 10) || ',1000000000,1]]'"));
    struct reader *reader = reader_open(path, &err);
    json_t *phases = reader_phases(reader, EVERY, &err), *phase;
    size_t index;
    assert_int_equal(json_array_size(phases), PERIOD);
    json_array_foreach(phases, index, phase)
        assert_in_range(json_integer_value(json_object_get(phase, "count")), 8, 12);
    json_decref(phases);
    reader_close(reader);
}

static void events_are_read_from_any_of_them_on(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct event events[] = {
        {.kind = EVENT_WORKER, .worker = 9, .hello = {.node = "n01", .pid = 12, .cores = 4}, .time = 10},
        {.kind = EVENT_WORKER_GONE, .worker = 9, .gone = {.detail = "it fell silent"}, .time = 20},
        {.kind = EVENT_WORKER, .worker = 9, .hello = {.node = "n01", .pid = 12, .cores = 4}, .time = 30},
    };
    fine(store_write(store, events, 3, &err), &err);
    json_t *all = reader_events(store_reader(store), 0, &err);
    static const char *const kinds[] = {"worker_joined", "worker_gone", "worker_returned"};
    assert_int_equal(json_array_size(all), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(all, i), "kind")), kinds[i]);
    assert_has(json_string_value(json_object_get(json_array_get(all, 1), "text")), "it fell silent");
    assert_string_equal(json_string_value(json_object_get(json_array_get(all, 1), "node")), "n01");
    json_int_t second = json_integer_value(json_object_get(json_array_get(all, 1), "id"));
    json_t *rest = reader_events(store_reader(store), second, &err);
    assert_int_equal(json_array_size(rest), 1);
    json_decref(all);
    json_decref(rest);
    store_close(store);
}

/* Of c another worker has been taken, and d left as usual. */
static void nodes_that_are_set_aside_are_read_with_the_reason(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct event events[] = {
        {.kind = EVENT_WORKER, .worker = 1, .hello = {.node = "b", .pid = 12}, .time = 10},
        {.kind = EVENT_WORKER, .worker = 2, .hello = {.node = "b", .pid = 13}, .time = 10},
        {.kind = EVENT_WORKER, .worker = 3, .hello = {.node = "c", .pid = 14}, .time = 10},
        {.kind = EVENT_WORKER, .worker = 4, .hello = {.node = "d", .pid = 15}, .time = 10},
        {.kind = EVENT_WORKER_GONE, .worker = 1, .gone = {.detail = EVENT_ASIDE "trials fail"}, .time = 20},
        {.kind = EVENT_WORKER_GONE, .worker = 2, .gone = {.detail = EVENT_ASIDE "trials fail"}, .time = 20},
        {.kind = EVENT_WORKER_GONE, .worker = 3, .gone = {.detail = EVENT_ASIDE "trials fail"}, .time = 20},
        {.kind = EVENT_WORKER_GONE, .worker = 4, .gone = {.detail = "it left"}, .time = 20},
        {.kind = EVENT_WORKER, .worker = 5, .hello = {.node = "c", .pid = 16}, .time = 30},
    };
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
    json_t *experiment = reader_experiment(store_reader(store), &err);
    const json_t *list = json_object_get(experiment, "aside"), *aside = json_array_get(list, 0);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(aside, "node")), "b");
    assert_string_equal(json_string_value(json_object_get(aside, "why")), "trials fail");
    assert_has(json_string_value(json_object_get(aside, "since")), "1970-01-01T00:00:20");
    json_decref(experiment);
    store_close(store);
}

static void a_job_that_came_back_ended_before_it_did(void **state)
{
    struct store *store = six_trials(state, false);
    struct event starts[] = {
        {.kind = EVENT_JOB, .job = {.job = 12, .element = NODE_NO_ELEMENT, .state = "running", .started = 100}},
        {.kind = EVENT_JOB, .job = {.job = 13, .element = NODE_NO_ELEMENT, .state = "running", .started = 150}},
        {.kind = EVENT_JOB,
         .job = {.job = 12, .element = NODE_NO_ELEMENT, .restarts = 1, .state = "running", .started = 200}},
    };
    struct err err;
    fine(store_write(store, starts, sizeof starts / sizeof *starts, &err), &err);
    store_close(store);
    char *text =
        stores_sql(path_in(state, "six.db"), "SELECT group_concat(job || ' ' || restarts || ' ' || state || ' '"
                                             " || coalesce(ended, '-'), ', ') FROM jobs");
    assert_string_equal(text, "12 0 requeued 200.0, 12 1 running -, 13 0 running -");
    free(text);
}

static void trials_of_earlier_experiments_are_read_as_they_were_given(void **state)
{
    static const struct searcher_past given[] = {
        {.source = 0, .params = "{\"x\":1}", .loss = -0.5, .seconds = 2.5},
        {.source = 1, .params = "{\"x\":2}", .failed = true, .seconds = 7},
        {.source = 1, .params = "{\"x\":3}", .loss = 3, .seconds = NAN},
    };
    enum { COUNT = sizeof given / sizeof *given };
    struct store_experiment experiment = {.name = "x",
                                          .spec = "",
                                          .metrics = metrics_min,
                                          .strategy = "random",
                                          .past = given,
                                          .past_count = COUNT,
                                          .parameters = "[]"};
    struct searcher_past *past;
    size_t count;
    struct err err;
    store_close(store_make(path_in(state, "a.db"), &experiment, &err));
    struct reader *reader = stores_read(path_in(state, "a.db"));
    fine(reader_earlier(reader, &past, &count, &err), &err);
    assert_int_equal(count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(past[i].source, given[i].source);
        assert_string_equal(past[i].params, given[i].params);
        assert_int_equal(past[i].failed, given[i].failed);
        assert_true(past[i].failed || past[i].loss == given[i].loss);
        assert_true(past[i].seconds == (isnan(given[i].seconds) ? 0 : given[i].seconds));
    }
    reader_free_earlier(past, count);
    reader_close(reader);
}

static void the_processors_that_proposals_were_made_on_are_read_in_order(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    struct reader_processor *processors;
    struct memory memory;
    size_t count;
    struct err err;
    fine(store_recall(store, &memory, &err), &err);
    memory_fini(&memory);
    fine(store_recall(store, &memory, &err), &err); /* on the same one: that is no news */
    memory_fini(&memory);
    store_close(store);
    free(stores_sql(path_in(state, "a.db"), "INSERT INTO processors (trial, since, model, vector, kernels, gannet)"
                                            " VALUES (17, 1, 'a model', 'avx9', 'Zen', '1.0')"));
    struct reader *reader = stores_read(path_in(state, "a.db"));
    fine(reader_processors(reader, &processors, &count, &err), &err);
    assert_int_equal(count, 2);
    assert_int_equal(processors[0].trial, 1);
    assert_true(*processors[0].processor.model);
    assert_int_equal(processors[1].trial, 17);
    assert_string_equal(processors[1].processor.model, "a model");
    assert_string_equal(processors[1].processor.vector, "avx9");
    assert_string_equal(processors[1].processor.kernels, "Zen");
    assert_string_equal(processors[1].processor.gannet, "1.0");
    free(processors);
    reader_close(reader);
}

static void profile_of_one_phase(double seconds, double min, double max, struct phase_time *out)
{
    struct phase_time phases[PHASES_COUNT] = {[PHASE_DATA] = {.seconds = seconds, .count = 3, .min = min, .max = max}};
    char text[PROFILE_BYTES];
    memset(out, 0, PHASES_COUNT * sizeof *out);
    errno = ERANGE; /* of whatever failed before */
    profile_decode(profile_encode(phases, NULL, 0, text), out);
}

static void a_profile_comes_back_as_it_was_to_the_nanosecond(void **state)
{
    (void)state;
    struct phase_time back[PHASES_COUNT];
    profile_of_one_phase(1.25, 0.25, 0.75, back);
    assert_true(back[PHASE_DATA].seconds == 1.25 && back[PHASE_DATA].count == 3);
    assert_true(back[PHASE_DATA].min == 0.25 && back[PHASE_DATA].max == 0.75);
    assert_int_equal(back[PHASE_QUEUE].count, 0);
    profile_of_one_phase(NAN, -1, 1e300, back);
    assert_true(back[PHASE_DATA].seconds == 0 && back[PHASE_DATA].min == 0 && back[PHASE_DATA].max == 9e9);
    struct phase_time none[PHASES_COUNT] = {0};
    char text[PROFILE_BYTES];
    assert_null(profile_encode(none, NULL, 0, text));
}

static void phases_that_a_program_named_come_back_behind_ours(void **state)
{
    (void)state;
    static const char *const damaged[] = {"[[\"",        "[[\"a\"",         "[[\"a\",",
                                          "[[\"a\",1]]", "[[\"a b\",1,1]]", "[[\"a\",x,1]]"};
    const struct msg_named named[] = {
        {.name = "augment", .seconds = 1.5, .count = 1, .min = 1.5, .max = 1.5},
        {.name = "io/write", .seconds = 4, .count = 4, .min = 0.5, .max = 2, .p50 = 0.75, .p95 = 1.75}};
    struct phase_time phases[PHASES_COUNT] = {[PHASE_DATA] = {.seconds = 1, .count = 1, .min = 1, .max = 1}},
                      back[PHASES_COUNT] = {0}, time;
    char text[PROFILE_BYTES], name[PHASE_NAME_LONGEST + 1];
    const char *at = profile_encode(phases, named, 2, text);
    assert_string_equal(text, "[[2,1000000000,1],[\"augment\",1500000000,1],[\"io/"
                              "write\",4000000000,4,500000000,2000000000,750000000,1750000000]]");
    profile_decode(text, back);
    assert_true(back[PHASE_DATA].seconds == 1 && back[PHASE_FORWARD].count == 0);
    assert_non_null(at = profile_next_named(at, name, &time));
    assert_string_equal(name, "augment");
    assert_true(time.seconds == 1.5 && time.count == 1 && time.max == 1.5);
    assert_non_null(at = profile_next_named(at, name, &time));
    assert_string_equal(name, "io/write");
    assert_true(time.seconds == 4 && time.count == 4 && time.min == 0.5 && time.max == 2);
    assert_true(time.p50 == 0.75 && time.p95 == 1.75);
    assert_null(profile_next_named(at, name, &time));
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        assert_null(profile_next_named(damaged[i], name, &time));
}

/* Thousands are what is kept of amounts, nanoseconds of times. */
static void operations_come_back_with_the_calls_that_were_timed(void **state)
{
    (void)state;
    const struct msg_operation given[] = {
        {.operation = OPERATION_dense, .calls = 5, .flops = 2e6, .bytes = 1.5e3},
        {.operation = OPERATION_conv, .calls = 4, .flops = 1e3, .timed = 4, .seconds = 2, .min = 0.25, .max = 1},
        {.operation = OPERATION_update, .calls = 4, .timed = 2, .seconds = 1.5, .min = 0.5, .max = 1}};
    struct operation_count back[OPERATIONS_COUNT] = {0};
    char text[OPERATIONS_BYTES];
    assert_null(operations_encode(given, 0, text));
    assert_string_equal(operations_encode(given, 3, text), "[[0,5,2000,2],[3,4,1,0,2000000000,250000000,1000000000],"
                                                           "[35,4,0,0,1500000000,500000000,1000000000,2]]");
    operations_decode(text, back);
    assert_true(back[OPERATION_dense].calls == 5 && back[OPERATION_dense].flops == 2e6 && !back[OPERATION_dense].timed);
    assert_true(back[OPERATION_conv].timed == 4 && back[OPERATION_conv].min == 0.25 &&
                back[OPERATION_conv].seconds == 2);
    assert_true(back[OPERATION_update].timed == 2 && back[OPERATION_update].max == 1);
    operations_decode(text, back);
    assert_true(back[OPERATION_conv].calls == 8 && back[OPERATION_conv].seconds == 4 && back[OPERATION_conv].max == 1);
}

static void damaged_operations_are_read_as_far_as_they_are_understood(void **state)
{
    (void)state;
    static const char *const damaged[] = {"",
                                          "[",
                                          "[[",
                                          "[[0,1,2",
                                          "{}",
                                          "[[99,1,1,1]]",
                                          "[[0,-1,1,1]]",
                                          "[[0,1,1]]",
                                          "[[0,1,1,1,1,1,1,1,1]]",
                                          "[[0,1e9,1,1]]"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct operation_count back[OPERATIONS_COUNT] = {0};
        operations_decode(damaged[i], back);
        assert_int_equal(back[0].calls, 0);
    }
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(trials_are_read_in_the_order_and_number_asked_for),
        IN_SCRATCH(best_first_is_highest_first_when_the_metric_is_maximized),
        IN_SCRATCH(a_visit_can_end_the_reading),
        IN_SCRATCH(what_is_not_there_is_null),
        IN_SCRATCH(nan_and_infinities_are_kept_and_shown),
        IN_SCRATCH(the_experiment_is_read_as_it_was_made),
        IN_SCRATCH(phases_add_up_over_all_runs),
        IN_SCRATCH(a_sample_has_one_trial_of_so_many),
        IN_SCRATCH(a_damaged_number_makes_no_sample_long),
        IN_SCRATCH(a_sample_is_even_over_periods),
        IN_SCRATCH(events_are_read_from_any_of_them_on),
        IN_SCRATCH(nodes_that_are_set_aside_are_read_with_the_reason),
        IN_SCRATCH(a_job_that_came_back_ended_before_it_did),
        IN_SCRATCH(trials_of_earlier_experiments_are_read_as_they_were_given),
        IN_SCRATCH(the_processors_that_proposals_were_made_on_are_read_in_order),
        cmocka_unit_test(operations_come_back_with_the_calls_that_were_timed),
        cmocka_unit_test(damaged_operations_are_read_as_far_as_they_are_understood),
        cmocka_unit_test(a_profile_comes_back_as_it_was_to_the_nanosecond),
        cmocka_unit_test(phases_that_a_program_named_come_back_behind_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
