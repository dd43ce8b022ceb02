/* The thread that reads what the screen shows: what is wanted comes, again and again, and nobody waits for it. */
#include "cli/fetch/fetch.h"
#include "cli/fetch/sections.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct store *begin(void **state, struct rundir *dir, uint64_t trials)
{
    struct err err = {""};
    experiment_make(state, experiment_text, dir);
    struct store *store = store_open(dir->store, &err);
    fine(!store, &err);
    if (trials)
        fine(stores_write(store, 1, trials, &err), &err);
    return store;
}

/* Waits until a reading of the section has come, a minute at most. */
static void take(struct fetch *fetch, enum section section, struct section_value *out)
{
    struct pollfd ready = {.fd = fetch_descriptor(fetch), .events = POLLIN};
    for (int i = 0; i < 60; i++) {
        if (fetch_take(fetch, section, out))
            return;
        poll(&ready, 1, 1000);
    }
    fail_msg("section %s did not come", section_name(section));
}

static struct fetch *start(const struct rundir *dir, enum section section)
{
    struct err err = {""};
    struct fetch *fetch = fetch_start(dir, &err);
    fine(!fetch, &err);
    fetch_want(fetch, &(struct wants){.sections = 1u << section});
    return fetch;
}

static json_int_t ended_in(const struct section_value *value)
{
    return json_integer_value(json_object_get(value->value, "ended"));
}

static void history_grows_by_what_has_ended_since(void **state)
{
    struct err err = {""};
    struct rundir dir;
    struct section_value value = {0};
    struct store *store = begin(state, &dir, 5);
    struct fetch *fetch = start(&dir, SECTION_HISTORY);
    take(fetch, SECTION_HISTORY, &value);
    assert_int_equal(ended_in(&value), 5);
    assert_true(json_is_true(json_object_get(value.value, "whole")));
    assert_int_equal(json_array_size(json_object_get(value.value, "improvements")), 1); /* loss is the trial's number */
    double first = value.read;
    assert_true(first > 0);
    fine(stores_write(store, 6, 3, &err), &err);
    for (int i = 0; i < 60 && ended_in(&value) != 8; i++)
        take(fetch, SECTION_HISTORY, &value);
    assert_int_equal(ended_in(&value), 8);
    assert_true(value.read >= first);
    section_value_fini(&value);
    fetch_stop(fetch);
    store_close(store);
    rundir_fini(&dir);
}

static void an_overview_comes_of_a_search_at_rest(void **state)
{
    struct rundir dir;
    struct section_value value = {0};
    store_close(begin(state, &dir, 3));
    struct fetch *fetch = start(&dir, SECTION_OVERVIEW);
    take(fetch, SECTION_OVERVIEW, &value);
    json_t *status = json_object_get(value.value, "status");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(status, "trials"), "completed")), 3);
    assert_string_equal(value.trouble, "");
    section_value_fini(&value);
    fetch_stop(fetch);
    rundir_fini(&dir);
}

static void the_best_trials_have_the_step_that_they_came_to(void **state)
{
    struct rundir dir;
    struct section_value value = {0};
    store_close(begin(state, &dir, 3));
    struct fetch *fetch = start(&dir, SECTION_TOP);
    take(fetch, SECTION_TOP, &value);
    json_t *best = json_object_get(value.value, "best"), *trial;
    size_t index;
    assert_int_equal(json_array_size(best), 3);
    json_array_foreach(best, index, trial) assert_int_equal(json_integer_value(json_object_get(trial, "step")), 1);
    section_value_fini(&value);
    fetch_stop(fetch);
    rundir_fini(&dir);
}

/* The numbers of a list of trials, as a text: "4 3 2". */
static void list_trials(const json_t *list, char *out, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < json_array_size(list) && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%d", i ? " " : "",
                                   (int)json_integer_value(json_object_get(json_array_get(list, i), "trial")));
    out[length < size ? length : size - 1] = '\0';
}

/* A trial that has ended, told at the place of its number; NaN: it failed. */
static void write_end(struct store *store, uint64_t trial, double value)
{
    struct err err = {""};
    enum ending ending = isnan(value) ? ENDING_CRASHED : ENDING_COMPLETED;
    struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .proposed = {.params = "{}"}},
        {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = 7},
        {.kind = EVENT_RUN_ENDED, .trial = trial, .attempt = 1, .worker = 7, .run = {.ending = ending}},
        {.kind = EVENT_TRIAL_ENDED,
         .trial = trial,
         .end = {.ending = ending, .has_value = !isnan(value), .value = value, .told = trial}}};
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
}

static void those_that_are_better_since_take_their_places_among_the_best(void **state)
{
    struct rundir dir;
    struct section_value value = {0};
    struct err err = {""};
    struct store *store = begin(state, &dir, 0);
    char best[200] = "";
    fine(stores_write(store, 1, 60, &err), &err); /* loss is the trial's number */
    struct fetch *fetch = start(&dir, SECTION_TOP);
    take(fetch, SECTION_TOP, &value);
    list_trials(json_object_get(value.value, "best"), best, sizeof best);
    assert_string_equal(best, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 "
                              "33 34 35 36 37 38 39 40");
    write_end(store, 61, 80);
    write_end(store, 62, 3);
    write_end(store, 63, 2.5);
    for (int i = 0; i < 60 && !strstr(best, " 63 "); i++) {
        take(fetch, SECTION_TOP, &value);
        list_trials(json_object_get(value.value, "best"), best, sizeof best);
    }
    assert_string_equal(best, "1 2 63 3 62 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
                              "31 32 33 34 35 36 37 38");
    section_value_fini(&value);
    fetch_stop(fetch);
    store_close(store);
    rundir_fini(&dir);
}

static void the_trials_that_failed_last_are_shown_however_often_it_is_looked(void **state)
{
    struct rundir dir;
    struct section_memory memory = {0};
    struct wants wants = {0};
    struct section_reading reading = {.wants = &wants, .memory = &memory};
    struct err err = {""};
    struct store *store = begin(state, &dir, 3);
    static const char *const expected[] = {"4", "6 5 4", "9 8 7 6 5 4", "9 8 7 6 5 4"};
    static const uint64_t last[] = {4, 6, 9, 9};
    char failed[100];
    fine(source_open_dir(&dir, &reading.source, &err), &err);
    for (uint64_t i = 0, trial = 4; i < sizeof last / sizeof *last; i++) {
        for (; trial <= last[i]; trial++)
            write_end(store, trial, NAN);
        json_t *value = section_attention(&reading, &err);
        fine(!value, &err);
        list_trials(json_object_get(value, "failures"), failed, sizeof failed);
        assert_string_equal(failed, expected[i]);
        json_decref(value);
    }
    memory.free(memory.data);
    source_close(reading.source);
    store_close(store);
    rundir_fini(&dir);
}

static void what_can_t_be_read_is_said_and_what_was_read_stays_with_its_time(void **state)
{
    struct rundir dir;
    struct section_value value = {0};
    store_close(begin(state, &dir, 3));
    struct fetch *fetch = start(&dir, SECTION_HISTORY);
    take(fetch, SECTION_HISTORY, &value);
    double read = value.read;
    assert_int_equal(remove(dir.store), 0);
    for (int i = 0; i < 60 && !*value.trouble; i++)
        take(fetch, SECTION_HISTORY, &value);
    assert_has(value.trouble, dir.store);
    assert_int_equal(ended_in(&value), 3);
    assert_true(value.read >= read);
    section_value_fini(&value);
    fetch_stop(fetch);
    rundir_fini(&dir);
}

static void a_thread_that_nobody_wants_anything_of_ends_at_once(void **state)
{
    struct err err = {""};
    struct rundir dir;
    struct section_value value = {0};
    store_close(begin(state, &dir, 0));
    struct fetch *fetch = fetch_start(&dir, &err);
    fine(!fetch, &err);
    assert_false(fetch_take(fetch, SECTION_OVERVIEW, &value));
    fetch_stop(fetch);
    fetch_stop(NULL);
    rundir_fini(&dir);
}

/* Waits until a reading's trouble has these words, a minute at most. */
static void take_trouble(struct fetch *fetch, struct section_value *out, const char *words)
{
    for (int i = 0; i < 120 && !strstr(out->trouble, words); i++)
        take(fetch, SECTION_HISTORY, out);
    assert_has(out->trouble, words);
}

static void a_run_directory_that_is_gone_is_told_and_one_that_is_back_is_read(void **state)
{
    struct rundir dir;
    struct section_value value = {0};
    store_close(begin(state, &dir, 5));
    struct fetch *fetch = start(&dir, SECTION_HISTORY);
    take(fetch, SECTION_HISTORY, &value);
    char *away = mem_format("%s.away", dir.path);
    assert_int_equal(rename(dir.path, away), 0);
    take_trouble(fetch, &value, "is gone, removed or moved; q leaves");
    assert_int_equal(ended_in(&value), 5);
    assert_int_equal(rename(away, dir.path), 0);
    for (int i = 0; i < 120 && *value.trouble; i++)
        take(fetch, SECTION_HISTORY, &value);
    assert_string_equal(value.trouble, "");
    free(away);
    section_value_fini(&value);
    fetch_stop(fetch);
    rundir_fini(&dir);
}

/* The same name, another experiment, with fewer trials: nothing of the old one is in it. */
static void another_store_in_the_place_is_read_from_its_beginning(void **state)
{
    struct rundir dir, other;
    struct section_value value = {0};
    store_close(begin(state, &dir, 9));
    struct fetch *fetch = start(&dir, SECTION_HISTORY);
    take(fetch, SECTION_HISTORY, &value);
    assert_int_equal(ended_in(&value), 9);
    char *away = mem_format("%s.away", dir.path);
    assert_int_equal(rename(dir.path, away), 0);
    store_close(begin(state, &other, 2));
    assert_string_equal(other.path, dir.path);
    for (int i = 0; i < 120 && ended_in(&value) != 2; i++)
        take(fetch, SECTION_HISTORY, &value);
    assert_int_equal(ended_in(&value), 2);
    assert_string_equal(value.trouble, "");
    free(away);
    section_value_fini(&value);
    fetch_stop(fetch);
    rundir_fini(&dir);
    rundir_fini(&other);
}

/* Its coordinator, or another store, may have come at any moment: what is asked for then is not answered from before.
 */
static void of_a_search_at_rest_each_reading_is_of_what_lies_there_now(void **state)
{
    struct rundir dir, other;
    struct section_value value = {0};
    struct wants wants = {.sections = 1u << SECTION_HISTORY, .parameter = "lr"};
    store_close(begin(state, &dir, 9));
    struct fetch *fetch = start(&dir, SECTION_HISTORY);
    take(fetch, SECTION_HISTORY, &value);
    char *away = mem_format("%s.away", dir.path);
    assert_int_equal(rename(dir.path, away), 0);
    store_close(begin(state, &other, 2));
    fetch_want(fetch, &wants);
    do
        take(fetch, SECTION_HISTORY, &value);
    while (memcmp(&value.wants, &wants, sizeof wants) != 0);
    assert_int_equal(ended_in(&value), 2);
    free(away);
    section_value_fini(&value);
    fetch_stop(fetch);
    rundir_fini(&dir);
    rundir_fini(&other);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(history_grows_by_what_has_ended_since),
        CLAIM(an_overview_comes_of_a_search_at_rest),
        CLAIM(the_best_trials_have_the_step_that_they_came_to),
        CLAIM(those_that_are_better_since_take_their_places_among_the_best),
        CLAIM(the_trials_that_failed_last_are_shown_however_often_it_is_looked),
        CLAIM(what_can_t_be_read_is_said_and_what_was_read_stays_with_its_time),
        CLAIM(a_run_directory_that_is_gone_is_told_and_one_that_is_back_is_read),
        CLAIM(another_store_in_the_place_is_read_from_its_beginning),
        CLAIM(of_a_search_at_rest_each_reading_is_of_what_lies_there_now),
        CLAIM(a_thread_that_nobody_wants_anything_of_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
