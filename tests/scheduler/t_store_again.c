/* Who looks at a search again and again reads what has come since, holds the file for moments, and can be broken off.
 */
#include "scheduler/store/reader.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include <dirent.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { WORKER = 7 };

/* A trial from its proposal to its end, told at the place of its number; NaN: it failed. */
static void end_trial(struct store *store, uint64_t trial, double value)
{
    struct err err = {""};
    enum ending ending = isnan(value) ? ENDING_CRASHED : ENDING_COMPLETED;
    struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .time = 100, .proposed = {.params = "{}"}},
        {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER},
        {.kind = EVENT_RUN_ENDED,
         .trial = trial,
         .attempt = 1,
         .worker = WORKER,
         .run = {.ending = ending, .started = 100, .seconds = 2.5}},
        {.kind = EVENT_TRIAL_ENDED,
         .trial = trial,
         .time = 100 + (double)trial,
         .end = {.ending = ending, .seconds = 2.5, .has_value = !isnan(value), .value = value, .told = trial}}};
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
}

/* Trials 1, 2, ... with these values. */
static struct store *make_store(void **state, const double *values, size_t count)
{
    struct err err = {""};
    struct store *store = stores_make(path_in(state, "a.db"));
    struct event worker = {
        .kind = EVENT_WORKER, .worker = WORKER, .hello = {.node = "n1", .version = "1", .machine = "m"}};
    fine(store_write(store, &worker, 1, &err), &err);
    for (size_t i = 0; i < count; i++)
        end_trial(store, i + 1, values[i]);
    return store;
}

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

static void write_ignored(struct store *store, uint64_t trial, uint64_t told)
{
    struct err err = {""};
    struct event ignored = {.kind = EVENT_IGNORED, .trial = trial, .ignored = {.ignored = true, .told = told}};
    fine(store_write(store, &ignored, 1, &err), &err);
}

/* --- the best --- */

static json_t *top(struct reader *reader, struct best_known known, uint64_t limit)
{
    struct err err = {""};
    json_t *answer = reader_top(reader, &known, limit, &err);
    fine(!answer, &err);
    return answer;
}

static void of_the_best_come_those_that_are_better_than_what_is_known(void **state)
{
    struct store *store = make_store(state, (const double[]){5, 3, NAN, 4}, 4);
    struct reader *reader = store_reader(store);
    same_json(top(reader, (struct best_known){.worst = NAN}, 2),
              parse("{\"trials\": [[2, 3.0], [4, 4.0]], \"told\": 4, \"taken_back\": 0, \"anew\": true}"));
    end_trial(store, 5, 4);
    end_trial(store, 6, 2);
    end_trial(store, 7, 9);
    same_json(top(reader, (struct best_known){.told = 4, .worst = 4}, 2),
              parse("{\"trials\": [[6, 2.0]], \"told\": 7, \"taken_back\": 0, \"anew\": false}"));
    same_json(top(reader, (struct best_known){.told = 7, .worst = 3}, 2),
              parse("{\"trials\": [], \"told\": 7, \"taken_back\": 0, \"anew\": false}"));
    store_close(store);
}

static void they_come_anew_when_a_person_says_that_one_does_not_count(void **state)
{
    struct store *store = make_store(state, (const double[]){5, 3, 4}, 3);
    struct reader *reader = store_reader(store);
    write_ignored(store, 2, 4);
    same_json(top(reader, (struct best_known){.told = 3, .worst = 4}, 2),
              parse("{\"trials\": [[3, 4.0], [1, 5.0]], \"told\": 3, \"taken_back\": 4, \"anew\": true}"));
    store_close(store);
}

static void ends_that_improve_nothing_are_counted_at_once(void **state)
{
    struct err err = {""};
    struct store *store = make_store(state, (const double[]){3, NAN}, 2);
    struct reader *reader = store_reader(store);
    struct improvements so_far = {.told = 2, .ended = 2, .best = 3};
    for (uint64_t trial = 3; trial < 10; trial++)
        end_trial(store, trial, (double)trial);
    write_ignored(store, 9, 10);
    so_far.taken_back = 10;
    json_t *answer = reader_improvements(reader, &so_far, 2, &err);
    fine(!answer, &err);
    same_json(answer, parse("{\"improvements\": [], \"anew\": false, \"more\": false, \"told\": 9, \"ended\": 8,"
                            " \"taken_back\": 10, \"best\": 3.0}"));
    store_close(store);
}

/* --- failures --- */

static void write_gone(struct store *store, uint64_t worker, double time, const char *why)
{
    struct err err = {""};
    struct event events[] = {
        {.kind = EVENT_WORKER, .worker = worker, .hello = {.node = "n1", .version = "1", .machine = "m"}},
        {.kind = EVENT_WORKER_GONE, .worker = worker, .time = time, .gone = {.detail = why}}};
    fine(store_write(store, events, 2, &err), &err);
}

static json_t *faults(struct reader *reader, uint64_t event)
{
    struct err err = {""};
    json_t *answer = reader_faults_since(reader, event, &err);
    fine(!answer, &err);
    return answer;
}

static void of_failures_come_those_since_an_event(void **state)
{
    struct store *store = make_store(state, (const double[]){1, NAN, NAN}, 3);
    struct reader *reader = store_reader(store);
    json_t *first = faults(reader, 0);
    same_json(json_incref(json_object_get(first, "endings")),
              parse("[{\"reason\": \"crashed\", \"attempts\": 2, \"seconds\": 5.0}]"));
    same_json(json_incref(json_object_get(first, "failed")), parse("[{\"trial\": 3}, {\"trial\": 2}]"));
    uint64_t last = (uint64_t)json_integer_value(json_object_get(first, "last"));
    json_decref(first);
    end_trial(store, 4, NAN);
    json_t *second = faults(reader, last);
    same_json(json_incref(json_object_get(second, "endings")),
              parse("[{\"reason\": \"crashed\", \"attempts\": 1, \"seconds\": 2.5}]"));
    same_json(json_incref(json_object_get(second, "failed")), parse("[{\"trial\": 4}]"));
    json_decref(second);
    store_close(store);
}

static void of_workers_that_are_gone_the_last_one_comes_and_how_many_they_are(void **state)
{
    struct store *store = make_store(state, NULL, 0);
    struct reader *reader = store_reader(store);
    write_gone(store, 8, 30, "it was silent");
    write_gone(store, 9, 20, "it was killed");
    write_gone(store, 10, 40, WORKER_LEFT_AT_END);
    json_t *answer = faults(reader, 0), *workers = json_object_get(answer, "workers");
    assert_int_equal(json_array_size(workers), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(workers, 0), "why")), "it was silent");
    assert_int_equal(json_integer_value(json_object_get(answer, "gone")), 2);
    json_decref(answer);
    store_close(store);
}

/* --- the file --- */

/* How many descriptors of ours stand for a file of that name. */
static int count_open(const char *name)
{
    char path[64], there[512];
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    for (struct dirent *one; (one = readdir(all));) {
        snprintf(path, sizeof path, "/proc/self/fd/%.40s", one->d_name);
        ssize_t length = readlink(path, there, sizeof there - 1);
        there[length > 0 ? length : 0] = '\0';
        count += strlen(there) >= strlen(name) && strcmp(there + strlen(there) - strlen(name), name) == 0;
    }
    closedir(all);
    return count;
}

static void a_store_that_is_held_stays_open_and_each_reading_sees_what_has_come(void **state)
{
    struct err err = {""};
    store_close(make_store(state, (const double[]){1}, 1));
    struct reader *reader = stores_read(path_in(state, "a.db"));
    assert_int_equal(stores_count(reader), 1);
    assert_int_equal(count_open("/a.db"), 0);
    reader_hold(reader);
    assert_int_equal(stores_count(reader), 1);
    assert_true(count_open("/a.db") > 0);
    struct store *store = store_open(path_in(state, "a.db"), &err);
    fine(!store, &err);
    end_trial(store, 2, 1);
    assert_int_equal(stores_count(reader), 2);
    reader_release(reader);
    store_close(store);
    assert_int_equal(stores_count(reader), 2);
    assert_int_equal(count_open("/a.db"), 0);
    reader_close(reader);
}

static void a_reading_that_nobody_waits_for_is_broken_off(void **state)
{
    enum { TRIALS = 500 };
    atomic_bool stop = false;
    struct err err = {""};
    struct store *store = make_store(state, NULL, 0);
    fine(stores_write(store, 1, TRIALS, &err), &err);
    struct reader *reader = stores_read(path_in(state, "a.db"));
    reader_stop_at(reader, &stop);
    json_t *all = reader_ended(reader, 0, 0, &err);
    assert_int_equal(json_array_size(all), TRIALS);
    json_decref(all);
    atomic_store(&stop, true);
    assert_null(reader_ended(reader, 0, 0, &err));
    assert_has(err.text, "reading it was broken off");
    atomic_store(&stop, false);
    all = reader_ended(reader, 0, 0, &err);
    assert_int_equal(json_array_size(all), TRIALS);
    json_decref(all);
    reader_close(reader);
    store_close(store);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(of_the_best_come_those_that_are_better_than_what_is_known),
        CLAIM(they_come_anew_when_a_person_says_that_one_does_not_count),
        CLAIM(ends_that_improve_nothing_are_counted_at_once),
        CLAIM(of_failures_come_those_since_an_event),
        CLAIM(of_workers_that_are_gone_the_last_one_comes_and_how_many_they_are),
        CLAIM(a_store_that_is_held_stays_open_and_each_reading_sees_what_has_come),
        CLAIM(a_reading_that_nobody_waits_for_is_broken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
