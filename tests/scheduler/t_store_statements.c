/* Every statement that the store gives to SQLite fails once: whoever reads is told so or gets all, never a part; of
 * what is written nothing is there, and the same call goes through when the next statement works again. */
#include "tests/claims.h"
#include "tests/random_history.h"
#include "tests/reference.h"
#include "tests/sqlite_faults.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include "common/buf.h"
#include "common/mem.h"
#include "scheduler/store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a store --- */

enum { EVENTS = 120, SOME = 4 };

static const char own_identity[] = "0123456789abcdef0123456789abcdef";

static struct store *make_store(const char *path, struct err *err)
{
    const struct store_experiment experiment = {.name = "statements",
                                                .spec = "version: 1\n",
                                                .metrics = metrics_min,
                                                .strategy = "random",
                                                .parameters = "[{\"name\": \"lr\", \"kind\": \"real\"}]",
                                                .identity = own_identity};
    return store_make(path, &experiment, err);
}

static size_t next_events(struct random_history *history, struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        events[i] = random_history_next(history);
    return count;
}

static void drop_events(struct reference *reference, struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (reference)
            reference_take(reference, &events[i]);
        event_fini(&events[i]);
    }
}

/* A store with a history of every kind of event. */
static struct store *make_full(const char *path)
{
    struct err err;
    struct event events[SOME];
    struct store *store = make_store(path, &err);
    fine(!store, &err);
    struct random_history *history = random_history_create(11);
    for (size_t i = 0; i < EVENTS; i += SOME) {
        next_events(history, events, SOME);
        fine(store_write(store, events, SOME, &err), &err);
        drop_events(NULL, events, SOME);
    }
    random_history_destroy(history);
    return store;
}

/* --- readings --- */

static json_t *read_all(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){0}, err);
}

static json_t *read_by_value(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){.by_value = true, .limit = 5}, err);
}

static json_t *read_by_column(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){.order = "seconds", .reverse = true}, err);
}

static json_t *read_by_metric(struct reader *reader, struct err *err)
{
    return reader_trials(reader, &(struct trial_query){.order = "metric.loss"}, err);
}

static json_t *read_by_time(struct reader *reader, struct err *err)
{
    return reader_numbers(reader, &(struct trial_query){.order = "time.compute"}, err);
}

static json_t *read_listed(struct reader *reader, struct err *err)
{
    json_t *numbers = json_pack("[i, i, i]", 2, 1, 3);
    json_t *trials = reader_trials(reader, &(struct trial_query){.numbers = numbers}, err);
    json_decref(numbers);
    return trials;
}

static json_t *read_one(struct reader *reader, struct err *err)
{
    return reader_show(reader, 2, err);
}

static json_t *read_events(struct reader *reader, struct err *err)
{
    return reader_events(reader, 0, err);
}

static json_t *read_spans(struct reader *reader, struct err *err)
{
    return reader_spans(reader, 0, 0, err);
}

static json_t *read_sample(struct reader *reader, struct err *err)
{
    return reader_sample(reader, 3, err);
}

static json_t *read_operations(struct reader *reader, struct err *err)
{
    return reader_operations(reader, 1, err);
}

static json_t *read_phases(struct reader *reader, struct err *err)
{
    return reader_phases(reader, 1, err);
}

static json_t *read_verdicts(struct reader *reader, struct err *err)
{
    return reader_verdicts(reader, 1, err);
}

static json_t *read_speed(struct reader *reader, struct err *err)
{
    return reader_speed(reader, 2, err);
}

static json_t *read_snapshot(struct reader *reader, struct err *err)
{
    struct snapshot snapshot;
    if (reader_snapshot(reader, &snapshot, err))
        return NULL;
    json_t *json = json_pack("[I, I, I]", (json_int_t)snapshot.trials[TRIAL_COMPLETED],
                             (json_int_t)snapshot.trials[TRIAL_RUNNING], (json_int_t)snapshot.worker_count);
    snapshot_fini(&snapshot);
    return json;
}

static json_t *read_earlier(struct reader *reader, struct err *err)
{
    struct searcher_past *past;
    size_t count;
    if (reader_earlier(reader, &past, &count, err))
        return NULL;
    reader_free_earlier(past, count);
    return json_integer((json_int_t)count);
}

static json_t *read_processors(struct reader *reader, struct err *err)
{
    struct reader_processor *processors;
    size_t count;
    if (reader_processors(reader, &processors, &count, err))
        return NULL;
    free(processors);
    return json_integer((json_int_t)count);
}

static json_t *read_next_sample(struct reader *reader, struct err *err)
{
    uint32_t next;
    return reader_next_sample(reader, 1, 1, &next, err) ? NULL : json_integer(next);
}

static int note_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                         struct err *err)
{
    (void)err;
    return json_array_append_new(
        context, json_pack("[I, s, I, b]", (json_int_t)trial, params, (json_int_t)told_before, (int)from_start));
}

static int note_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    return json_array_append_new(context,
                                 json_pack("[I, i, f]", (json_int_t)tell->trial, (int)tell->ending, tell->seconds));
}

static json_t *read_replay(struct reader *reader, struct err *err)
{
    json_t *list = json_array();
    struct replay_visitor visitor = {.context = list, .proposal = note_proposal, .tell = note_tell};
    if (reader_replay(reader, &visitor, err) == 0)
        return list;
    json_decref(list);
    return NULL;
}

static void count_sample(void *context, uint64_t trial, uint64_t step, const double *values)
{
    (void)trial, (void)step, (void)values;
    ++*(int *)context;
}

static void count_went_on(void *context, uint64_t trial)
{
    (void)trial;
    ++*(int *)context;
}

static void count_ended(void *context, uint64_t trial, enum ending ending)
{
    (void)trial, (void)ending;
    ++*(int *)context;
}

static json_t *read_decisions(struct reader *reader, struct err *err)
{
    int count = 0;
    return reader_decisions(reader, &(struct decision_visitor){&count, count_sample, count_went_on, count_ended}, err)
               ? NULL
               : json_integer(count);
}

static const struct reading {
    const char *name;
    json_t *(*read)(struct reader *reader, struct err *err);
} readings[] = {
    {"trials", read_all},
    {"by value", read_by_value},
    {"by seconds", read_by_column},
    {"by metric", read_by_metric},
    {"by time", read_by_time},
    {"listed", read_listed},
    {"show", read_one},
    {"events", read_events},
    {"spans", read_spans},
    {"sample", read_sample},
    {"operations", read_operations},
    {"phases", read_phases},
    {"verdicts", read_verdicts},
    {"speed", read_speed},
    {"snapshot", read_snapshot},
    {"earlier", read_earlier},
    {"processors", read_processors},
    {"next sample", read_next_sample},
    {"replay", read_replay},
    {"decisions", read_decisions},
    {"best", reader_best},
    {"front", reader_front},
    {"experiment", reader_experiment},
    {"faults", reader_faults},
};

/* How often the reading was tried, with another statement failing each time. */
static unsigned try_reading(struct reader *reader, const struct reading *reading, int code)
{
    struct err err;
    json_t *whole = reading->read(reader, &err);
    if (!whole)
        fail_msg("%s: %s", reading->name, err.text);
    unsigned at = 1;
    for (bool came = true; came; at++) {
        err.text[0] = '\0';
        fail_at(at, code);
        json_t *got = reading->read(reader, &err);
        came = mend();
        if (!got && !*err.text)
            fail_msg("%s: nothing is said when statement %u fails", reading->name, at);
        if (got && !json_equal(got, whole))
            fail_msg("%s: a part is read when statement %u fails", reading->name, at);
        json_decref(got);
        got = reading->read(reader, &err);
        fine(!got, &err);
        same_json(got, json_incref(whole));
    }
    json_decref(whole);
    return at - 1;
}

static void a_reading_says_that_it_failed_or_is_whole(void **state)
{
    struct store *store = make_full(path_in(state, "a.db"));
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        if (try_reading(store_reader(store), &readings[i], SQLITE_IOERR) < 2)
            fail_msg("%s: no statement has failed", readings[i].name);
    store_close(store);
}

/* A reader of its own opens the file each time; the next sample is asked for only by who writes the store. */
static void so_does_one_that_opens_the_file(void **state)
{
    const char *path = path_in(state, "a.db");
    store_close(make_full(path));
    struct reader *reader = stores_read(path);
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        if (readings[i].read != read_next_sample && try_reading(reader, &readings[i], SQLITE_CORRUPT) < 2)
            fail_msg("%s: no statement has failed", readings[i].name);
    reader_close(reader);
}

/* --- opening --- */

static uint64_t count_trials(struct store *store)
{
    struct err err;
    json_t *trials = read_all(store_reader(store), &err);
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
        store = make_store(path, &err);
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
    "ALTER TABLE trials DROP COLUMN energy; ALTER TABLE reopened DROP COLUMN energy;"
    "DROP VIEW IF EXISTS v_operations; DROP TABLE operations; ALTER TABLE runs DROP COLUMN operations;"
    "PRAGMA user_version = 11";

static void an_older_store_is_brought_up_to_date_or_stays_as_it_is(void **state)
{
    const char *path = path_in(state, "a.db");
    struct store *store = make_full(path);
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
    store_close(make_full(path));
    uint64_t whole, ended;
    struct err err;
    bool came = true;
    fine(reader_count_ended(path, &whole, &err), &err);
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
        failed = reader_count_ended(path, &ended, &err);
        came = mend() || came;
        assert_true(failed || ended == whole);
        fail_at(at, SQLITE_IOERR);
        failed = reader_identity(path, &identity, &err);
        came = mend() || came;
        assert_true(failed || (identity && strcmp(identity, own_identity) == 0));
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
    struct store *store = make_store(path_in(state, "a.db"), &err);
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
    struct store *store = make_full(path);
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
    struct store *store = make_full(path_in(state, "a.db"));
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
    struct store *store = make_full(path_in(state, "a.db"));
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
        IN_SCRATCH(a_reading_says_that_it_failed_or_is_whole),
        IN_SCRATCH(so_does_one_that_opens_the_file),
        IN_SCRATCH(a_store_that_can_not_be_made_leaves_no_file),
        IN_SCRATCH(an_older_store_is_brought_up_to_date_or_stays_as_it_is),
        IN_SCRATCH(a_check_or_a_count_says_that_it_failed),
        IN_SCRATCH(nothing_of_a_commit_is_there_when_a_statement_fails),
        IN_SCRATCH(what_a_person_says_of_a_trial_is_there_wholly_or_not_at_all),
        IN_SCRATCH(a_recall_that_fails_changes_nothing),
        IN_SCRATCH(a_look_at_one_trial_says_that_it_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
