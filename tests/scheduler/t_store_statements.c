/* Every statement that the store gives to SQLite when it is opened, checked, written or taken up again fails once: of
 * what is written nothing is there, and the same call goes through when the next statement works again. */
#include "tests/claims.h"
#include "tests/full_store.h"
#include "tests/random_history.h"
#include "tests/reference.h"
#include "tests/sqlite_faults.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include "common/buf.h"
#include "scheduler/store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- events --- */

enum { EVENTS = 120, SOME = 4 };

static size_t next_events(struct random_history *history, struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        events[i] = random_history_next(history);
    return count;
}

static void drop_events(struct reference *reference, struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        reference_take(reference, &events[i]);
        event_fini(&events[i]);
    }
}

/* --- opening --- */

static uint64_t count_trials(struct store *store)
{
    struct err err;
    json_t *trials = reader_trials(store_reader(store), &(struct trial_query){0}, &err);
    fine(!trials, &err);
    uint64_t count = json_array_size(trials);
    json_decref(trials);
    return count;
}

static void a_store_that_can_not_be_made_leaves_no_file(void **state)
{
    const char *path = path_in(state, "a.db");
    struct store *store = NULL;
    unsigned at = 1;
    for (bool came = true; came; at++) {
        struct err err = {""};
        fail_at(at, SQLITE_FULL);
        store = full_store_begin(path, &err);
        came = mend();
        assert_true(store || *err.text);
        assert_int_equal(store != NULL, access(path, F_OK) == 0);
        if (store && came)
            store_close(store);
        if (store && came)
            assert_int_equal(unlink(path), 0);
    }
    assert_true(at > 20);
    assert_int_equal(count_trials(store), 0);
    store_close(store);
}

/* Versions back: what a store lacks that an older gannet made. */
static const char older[] =
    "ALTER TABLE progress DROP COLUMN recent; DROP TABLE older; DROP TABLE ends;"
    "CREATE INDEX live ON trials (trial) WHERE ending IS NULL;"
    "CREATE INDEX told ON trials (told) WHERE told IS NOT NULL;"
    "DROP VIEW IF EXISTS v_decisions; ALTER TABLE decisions DROP COLUMN cut_off;"
    "ALTER TABLE decisions DROP COLUMN bracket;"
    "DROP INDEX told; ALTER TABLE trials DROP COLUMN energy; ALTER TABLE reopened DROP COLUMN energy;"
    "DROP VIEW IF EXISTS v_operations; DROP TABLE operations; ALTER TABLE runs DROP COLUMN operations;"
    "PRAGMA user_version = 11";

static void an_older_store_is_brought_up_to_date_or_stays_as_it_is(void **state)
{
    const char *path = path_in(state, "a.db");
    struct store *store = full_store_make(path);
    uint64_t count = count_trials(store);
    store_close(store);
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        struct err err = {""};
        if (at > 1)
            free(stores_sql(path, "DROP VIEW IF EXISTS v_trials; DROP VIEW IF EXISTS v_runs"));
        char *version = stores_sql(path, "PRAGMA user_version");
        if (atoi(version) == SCHEMA_VERSION)
            free(stores_sql(path, older));
        free(version);
        fail_at(at, SQLITE_FULL);
        store = store_open(path, &err);
        came = mend();
        failures += !store;
        assert_true(store || *err.text);
        store_close(store);
        store = store_open(path, &err);
        fine(!store, &err);
        assert_int_equal(count_trials(store), count);
        store_close(store);
    }
    assert_true(failures > 5);
}

static void a_check_or_a_count_says_that_it_failed(void **state)
{
    const char *path = path_in(state, "a.db");
    store_close(full_store_make(path));
    uint64_t whole, ended;
    struct err err;
    bool came = true;
    fine(reader_count_ended(path, true, &whole, &err), &err);
    for (unsigned at = 1; came; at++) {
        struct buf stamp = {0};
        char *identity = NULL;
        err.text[0] = '\0';
        fail_at(at, SQLITE_IOERR);
        int failed = store_check(path, &metrics_min, &stamp, &err);
        came = mend();
        assert_int_not_equal(failed, STORE_DAMAGED); /* a disk that fails says nothing of the rows */
        assert_int_equal(failed == -1, *err.text != '\0');
        assert_true(failed == 0 || stamp.length == 0);
        buf_fini(&stamp);
        fail_at(at, SQLITE_IOERR);
        failed = reader_count_ended(path, true, &ended, &err);
        came = mend() || came;
        assert_true(failed || ended == whole);
        fail_at(at, SQLITE_IOERR);
        failed = reader_identity(path, &identity, &err);
        came = mend() || came;
        assert_true(failed || (identity && strcmp(identity, full_store_identity) == 0));
        free(identity);
    }
}

/* --- writing --- */

/* Writes these events when each of the statements that this takes has failed once. */
static unsigned write_at_last(struct store *store, const struct event *events, size_t count, int code)
{
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        struct err err = {""};
        fail_at(at, code);
        int failed = store_write(store, events, count, &err);
        bool came = mend();
        if (!failed)
            return failures;
        assert_true(came);
        assert_true(*err.text);
        failures++;
    }
}

static void nothing_of_a_commit_is_there_when_a_statement_fails(void **state)
{
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM};
    struct err err;
    struct event events[SOME];
    struct store *store = full_store_begin(path_in(state, "a.db"), &err);
    fine(!store, &err);
    struct random_history *history = random_history_create(12);
    struct reference *reference = reference_create(false);
    unsigned failures = 0;
    for (size_t i = 0; i < EVENTS; i += SOME) {
        next_events(history, events, SOME);
        failures += write_at_last(store, events, SOME, codes[i / SOME % 3]);
        drop_events(reference, events, SOME);
    }
    assert_true(failures > 2 * EVENTS); /* an event takes two statements and more */
    for (uint64_t trial = 1; trial <= reference_trials(reference); trial++) {
        json_t *shown = reader_show(store_reader(store), trial, &err);
        fine(!shown, &err);
        same_json(shown, reference_show(reference, trial));
    }
    random_history_destroy(history);
    reference_destroy(reference);
    store_close(store);
}

/* SQLite is told of parameters that change alone: each row has what it was given all the same, whatever the row before
 * had, be it NULL, zero, a number of other kind or the same text in the same place. */
static void a_row_has_what_it_was_given_whatever_the_one_before_had(void **state)
{
    static const struct {
        double time;
        uint64_t trial, attempt;
    } rows[] = {{1, 7, 0}, {1, 7, 3}, {1, 0, 3}, {0, 0, 3}, {-0.5, 1, 3}, {1, 1, 0}, {1, 1, 0}};
    char words[] = "a";
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    store_close(store);
    struct db db;
    fine(db_open_to_write(&db, path_in(state, "a.db"), &err), &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        words[0] = (char)('a' + i);
        struct query query =
            QUERY(&db, STATEMENT_PUT_EVENT, PUT(rows[i].time), PUT("added"), put_nonzero(rows[i].trial),
                  put_nonzero(rows[i].attempt), PUT(i % 3 ? (const char *)NULL : "9"), PUT(words));
        fine(query_run(&query, &err), &err);
    }
    db_close(&db);
    char *text = stores_sql(path_in(state, "a.db"),
                            "SELECT group_concat(time || ' ' || coalesce(trial, '-') || ' ' || coalesce(attempt, '-') "
                            "|| ' ' || coalesce(worker, '-') || ' ' || text) FROM events");
    assert_string_equal(text, "1.0 7 - 9 a,1.0 7 3 - b,1.0 - 3 - c,0.0 - 3 9 d,-0.5 1 3 - e,1.0 1 - - f,1.0 1 - 9 g");
    free(text);
}

/* --- a person's word --- */

/* The number that SQL gives. */
static uint64_t number_of(const char *path, const char *sql)
{
    char *text = stores_sql(path, sql);
    uint64_t number = strtoull(text, NULL, 10);
    free(text);
    return number;
}

static void what_a_person_says_of_a_trial_is_there_wholly_or_not_at_all(void **state)
{
    const char *path = path_in(state, "a.db");
    struct store *store = full_store_make(path);
    struct err err;
    uint64_t told = number_of(path, "SELECT tells FROM progress");
    uint64_t best = number_of(path, "SELECT best_trial FROM progress"), failed = 0;
    assert_true(best > 0);
    for (int ending = 0; ending < ENDINGS_COUNT && !failed; ending++) {
        char sql[120];
        snprintf(sql, sizeof sql, "SELECT max(trial) FROM trials WHERE ending = %d", ending);
        if (ending_state((enum ending)ending) == TRIAL_FAILED)
            failed = number_of(path, sql);
    }
    assert_true(failed > 0);
    const struct event words[] = {
        {.kind = EVENT_IGNORED, .trial = best, .ignored = {.ignored = true, .told = told + 1}},
        {.kind = EVENT_IGNORED, .trial = best, .ignored = {.ignored = false, .told = told + 2}},
        {.kind = EVENT_REOPENED, .trial = failed, .reopened = {.told = told + 3}},
    };
    unsigned failures = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        failures += write_at_last(store, &words[i], 1, SQLITE_FULL);
        assert_int_equal(store_tally(store).ignored, i == 0);
        assert_int_equal(store_tally(store).best_trial == best, i > 0);
        assert_int_equal(store_write(store, &words[i], 1, &err), -1); /* it is so already */
        assert_has(err.text, i == 0 ? "is ignored already" : i == 1 ? "is not ignored" : "has not failed");
    }
    assert_true(failures > 12);
    store_close(store);
    assert_int_equal(number_of(path, "SELECT tells FROM progress"), told + 3);
    assert_int_equal(number_of(path, "SELECT count(*) FROM ignored"), 2);
    assert_int_equal(number_of(path, "SELECT count(*) FROM reopened"), 1);
}

/* --- going on --- */

static void a_recall_that_fails_changes_nothing(void **state)
{
    struct store *store = full_store_make(path_in(state, "a.db"));
    struct memory memory = {0};
    struct err err;
    uint64_t sessions = 0;
    fine(store_look(store, &memory, &err), &err);
    uint32_t trials = memory.trial_count;
    memory_fini(&memory);
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        err.text[0] = '\0';
        fail_at(at, SQLITE_IOERR);
        int failed = store_recall(store, &memory, &err);
        bool came = mend();
        if (!failed && !came)
            break;
        assert_true(failed < 0 ? *err.text != '\0' : came);
        failures += failed < 0;
        if (!failed) {
            sessions++;
            memory_fini(&memory);
        }
    }
    sessions++;
    assert_true(failures > 10);
    assert_int_equal(memory.trial_count, trials);
    memory_fini(&memory);
    store_close(store);
    char *counted = stores_sql(path_in(state, "a.db"), "SELECT sessions FROM progress");
    assert_int_equal(strtoull(counted, NULL, 10), sessions);
    free(counted);
}

static void a_look_at_one_trial_says_that_it_failed(void **state)
{
    struct store *store = full_store_make(path_in(state, "a.db"));
    char *live = stores_sql(path_in(state, "a.db"), "SELECT max(trial) FROM trials WHERE ending IS NULL");
    uint64_t trial = strtoull(live, NULL, 10);
    free(live);
    assert_true(trial > 0);
    bool came = true;
    for (unsigned at = 1; came; at++) {
        struct memory memory = {0};
        struct err err = {""};
        fail_at(at, SQLITE_IOERR);
        int failed = store_recall_trial(store, trial, &memory, &err);
        came = mend();
        assert_true(failed ? *err.text != '\0' : memory.trial_count == 1 && memory.trials[0].trial == trial);
        if (!failed)
            memory_fini(&memory);
    }
    store_close(store);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_store_that_can_not_be_made_leaves_no_file),
        IN_SCRATCH(an_older_store_is_brought_up_to_date_or_stays_as_it_is),
        IN_SCRATCH(a_check_or_a_count_says_that_it_failed),
        IN_SCRATCH(nothing_of_a_commit_is_there_when_a_statement_fails),
        IN_SCRATCH(a_row_has_what_it_was_given_whatever_the_one_before_had),
        IN_SCRATCH(what_a_person_says_of_a_trial_is_there_wholly_or_not_at_all),
        IN_SCRATCH(a_recall_that_fails_changes_nothing),
        IN_SCRATCH(a_look_at_one_trial_says_that_it_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
