/* A store's life: made, refused, opened, migrated, written to, closed. */
#include "tests/claims.h"
#include "tests/test_metrics.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/db.h"
#include "scheduler/store/write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- making --- */

static void a_new_store_is_for_its_owner_alone(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    struct stat info;
    static const char *const files[] = {"a.db", "a.db-wal", "a.db-shm"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(stat(path_in(state, files[i]), &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    store_close(store);
}

static void a_store_is_not_made_over_another_file(void **state)
{
    struct store_experiment experiment = {
        .name = "x", .spec = "", .metrics = metrics_min, .strategy = "random", .parameters = "[]"};
    struct err err;
    write_file(path_in(state, "a.db"), "precious", 0600);
    assert_null(store_make(path_in(state, "a.db"), &experiment, &err));
    assert_has(err.text, "already");
    struct buf text = {0};
    assert_int_equal(path_read(path_in(state, "a.db"), &text, 100, &err), 0);
    assert_string_equal(buf_str(&text), "precious");
    buf_fini(&text);
}

static void a_store_that_could_not_be_made_leaves_nothing_behind(void **state)
{
    struct store_experiment experiment = {
        .name = "x", .spec = "", .metrics = metrics_min, .strategy = "random", .parameters = "no array"};
    struct err err;
    assert_null(store_make(path_in(state, "a.db"), &experiment, &err));
    assert_has(err.text, "no JSON array");
    assert_false(path_exists(path_in(state, "a.db")));
    assert_false(path_exists(path_in(state, "a.db-wal")));
    assert_null(store_make(path_in(state, "no/such/directory/a.db"), &experiment, &err));
    assert_has(err.text, "No such file");
}

static void a_store_that_is_left_keeps_its_log_beside_it_and_all_that_was_committed(void **state)
{
    struct err err;
    struct stat info;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 3, &err), &err);
    store_leave(store);
    store_leave(NULL);
    assert_int_equal(stat(path_in(state, "a.db-wal"), &info), 0);
    assert_true(info.st_size > 0);
    struct reader *reader = stores_read(path_in(state, "a.db"));
    assert_int_equal(stores_count(reader), 3);
    reader_close(reader);
    store_close(stores_open(path_in(state, "a.db")));
    assert_false(path_exists(path_in(state, "a.db-wal")));
    reader = stores_read(path_in(state, "a.db"));
    assert_int_equal(stores_count(reader), 3);
    reader_close(reader);
}

static void a_store_at_rest_is_one_plain_file(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 3, &err), &err);
    store_close(store);
    assert_false(path_exists(path_in(state, "a.db-wal")));
    assert_false(path_exists(path_in(state, "a.db-shm")));
    struct reader *reader = stores_read(path_in(state, "a.db"));
    assert_int_equal(stores_count(reader), 3);
    reader_close(reader);
    assert_false(path_exists(path_in(state, "a.db-wal")));
    assert_false(path_exists(path_in(state, "a.db-shm")));
}

/* --- what is refused --- */

static void refuses(void **state, const char *name, const char *part)
{
    struct err err = {0};
    assert_null(store_open(path_in(state, name), &err));
    assert_has(err.text, part);
    assert_has(err.text, name);
    err = (struct err){0};
    assert_null(reader_open(path_in(state, name), &err));
    assert_has(err.text, part);
    assert_has(err.text, name);
}

static void what_is_not_there_is_refused(void **state)
{
    refuses(state, "nothing.db", "No such file");
}

static void a_directory_is_refused(void **state)
{
    assert_int_equal(mkdir(path_in(state, "directory"), 0700), 0);
    refuses(state, "directory", "is no file");
}

static void a_pipe_is_refused_without_waiting_for_it(void **state)
{
    assert_int_equal(mkfifo(path_in(state, "pipe"), 0600), 0);
    refuses(state, "pipe", "is no file");
}

static void an_empty_file_is_refused_and_stays_empty(void **state)
{
    write_file(path_in(state, "empty.db"), "", 0600);
    refuses(state, "empty.db", "no store of gannet");
    struct stat info;
    assert_int_equal(stat(path_in(state, "empty.db"), &info), 0);
    assert_int_equal(info.st_size, 0);
}

static void a_file_of_another_kind_is_refused(void **state)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    write_file(path_in(state, "letter.txt"), text, 0600);
    refuses(state, "letter.txt", "no SQLite database");
}

static void the_database_of_another_program_is_refused_and_not_changed(void **state)
{
    char *path = mem_text(path_in(state, "theirs.db"));
    free(stores_sql(path, "CREATE TABLE trials (id INTEGER PRIMARY KEY); INSERT INTO trials VALUES (1)"));
    refuses(state, "theirs.db", "no store of gannet");
    char *mode = stores_sql(path, "PRAGMA journal_mode");
    assert_string_equal(mode, "delete");
    free(mode);
    free(path);
}

static void spoil(const char *path, const char *sql)
{
    store_close(stores_make(path));
    free(stores_sql(path, sql));
}

static void a_store_of_a_newer_gannet_is_refused_by_both_versions(void **state)
{
    spoil(path_in(state, "newer.db"), "PRAGMA user_version = 77");
    refuses(state, "newer.db", "77");
    refuses(state, "newer.db", "versions up to ");
}

static void a_missing_table_is_named(void **state)
{
    spoil(path_in(state, "hole.db"), "DROP TABLE samples");
    refuses(state, "hole.db", "samples");
}

static void a_missing_column_is_named(void **state)
{
    spoil(path_in(state, "hole.db"), "ALTER TABLE workers DROP COLUMN machine");
    refuses(state, "hole.db", "machine");
}

static void a_store_without_its_rows_is_refused(void **state)
{
    struct err err = {0};
    spoil(path_in(state, "bare.db"), "DELETE FROM progress");
    assert_null(store_open(path_in(state, "bare.db"), &err));
    assert_has(err.text, "progress is missing");
    spoil(path_in(state, "bare2.db"), "DELETE FROM experiment");
    assert_null(store_open(path_in(state, "bare2.db"), &err));
    assert_has(err.text, "experiment is missing");
    spoil(path_in(state, "odd.db"), "UPDATE progress SET state = 'dreaming'");
    assert_null(store_open(path_in(state, "odd.db"), &err));
    assert_has(err.text, "not one that this gannet knows");
}

static void what_may_not_be_read_is_refused(void **state)
{
    if (geteuid() == 0)
        skip_because("a file that may not be read: root may read every file");
    store_close(stores_make(path_in(state, "secret.db")));
    assert_int_equal(chmod(path_in(state, "secret.db"), 0), 0);
    refuses(state, "secret.db", "permissions");
}

/* --- what a trial costs --- */

/* Each takes about 10,000 instructions, which is most of what a trial costs the coordinator. */
static void a_trial_takes_five_statements_many_share_them_and_a_commit_takes_four(void **state)
{
    enum { TRIALS = 96, ROWS = 16, STATEMENTS = 5, A_COMMIT = 4 };
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 1, &err), &err); /* the names of the metric and the worker */
    uint64_t before = store_statements(store);
    fine(stores_write(store, 2, 1, &err), &err);
    assert_int_equal(store_statements(store) - before, A_COMMIT + STATEMENTS);
    before = store_statements(store);
    fine(stores_write(store, 3, TRIALS, &err), &err);
    assert_int_equal(store_statements(store) - before, A_COMMIT + STATEMENTS * TRIALS / ROWS);
    store_close(store);
}

static void a_trial_of_one_sample_and_three_phases_takes_less_than_350_bytes(void **state)
{
    enum { TRIALS = 5000 };
    struct err err;
    struct stat info;
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 1, &err), &err);
    store_close(store);
    stat(path, &info);
    off_t empty = info.st_size;
    store = stores_open(path);
    fine(stores_write(store, 2, TRIALS, &err), &err);
    store_close(store);
    stat(path, &info);
    assert_in_range((info.st_size - empty) / TRIALS, 100, 350);
    free(path);
}

/* --- versions --- */

static void views_of_another_gannet_are_replaced(void **state)
{
    char *path = mem_text(path_in(state, "views.db"));
    spoil(path, "DROP VIEW v_trials; CREATE VIEW v_trials AS SELECT 'old' AS state");
    store_close(stores_open(path));
    free(stores_sql(path, "SELECT node, gpus FROM v_trials"));
    free(path);
}

/* --- writing --- */

static void a_trial_does_not_end_twice(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 2, &err), &err);
    struct event again[] = {
        {.kind = EVENT_PROPOSED, .trial = 3, .proposed = {.params = "{}"}, .time = 5},
        {.kind = EVENT_TRIAL_ENDED, .trial = 2, .end = {.ending = ENDING_CRASHED, .told = 3}, .time = 6},
    };
    assert_int_equal(store_write(store, again, 2, &err), -1);
    assert_has(err.text, "trial 2");
    struct trial_query all = {0};
    json_t *trials = reader_trials(store_reader(store), &all, &err);
    assert_int_equal(json_array_size(trials), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 1), "reason")), "completed");
    json_decref(trials);
    fine(stores_write(store, 3, 1, &err), &err);
    store_close(store);
}

static void writing_nothing_is_fine(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(store_write(store, NULL, 0, &err), &err);
    store_close(store);
}

static void a_session_is_noted_once_and_the_time_held_is_written_down_without_being_news(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct memory memory;
    fine(store_recall(store, &memory, &err), &err);
    memory_fini(&memory);
    for (int i = 0; i < 5; i++) {
        struct event event = {.kind = EVENT_EXPERIMENT, .time = 1.7e9 + 10 * i, .experiment = {.held = 10 * i}};
        fine(store_write(store, &event, 1, &err), &err);
    }
    json_t *events = reader_events(store_reader(store), 0, &err);
    assert_int_equal(json_array_size(events), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(events, 0), "text")), "session 1 begins");
    json_decref(events);
    fine(store_recall(store, &memory, &err), &err);
    assert_int_equal(memory.session, 1);
    assert_true(memory.held == 40);
    memory_fini(&memory);
    struct event again = {.kind = EVENT_EXPERIMENT, .time = 1.8e9, .experiment = {.held = 40}};
    fine(store_write(store, &again, 1, &err), &err);
    events = reader_events(store_reader(store), 1, &err);
    assert_int_equal(json_array_size(events), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(events, 0), "text")), "session 2 begins");
    json_decref(events);
    store_close(store);
}

static void time_between_sessions_is_not_held(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct event begin = {.kind = EVENT_EXPERIMENT, .time = 1000};
    struct event work = {.kind = EVENT_PROPOSED, .trial = 1, .proposed = {.params = "{}"}, .time = 1030};
    struct event later = {.kind = EVENT_PROPOSED, .trial = 2, .proposed = {.params = "{}"}, .time = 9000};
    struct memory memory;
    fine(store_write(store, &begin, 1, &err) || store_write(store, &work, 1, &err), &err);
    fine(store_recall(store, &memory, &err), &err); /* the coordinator was killed, another one starts */
    assert_true(memory.held == 30);
    memory_fini(&memory);
    fine(store_write(store, &later, 1, &err), &err);
    fine(store_recall(store, &memory, &err), &err);
    assert_true(memory.held == 30);
    memory_fini(&memory);
    store_close(store);
}

static void any_letter_may_be_in_the_path(void **state)
{
    struct err err;
    static const char name[] = "100% ?mode=rw#a&b '\" \xc3\xa9.db";
    struct store *store = stores_make(path_in(state, name));
    fine(stores_write(store, 1, 1, &err), &err);
    store_close(store);
    assert_true(path_exists(path_in(state, name)));
    struct reader *reader = stores_read(path_in(state, name));
    assert_int_equal(stores_count(reader), 1);
    reader_close(reader);
}

static void versions_that_may_damage_a_log_are_known(void **state)
{
    static const int safe[] = {3044006, 3044999, 3050007, 3050012, 3051003, 3052000, 4000000},
                     unsafe[] = {3007000, 3040001, 3044005, 3045000, 3050006, 3051000, 3051002};
    (void)state;
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
        assert_true(db_is_safe_version(safe[i]) && !db_is_safe_version(unsafe[i]));
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_new_store_is_for_its_owner_alone),
        IN_SCRATCH(a_store_is_not_made_over_another_file),
        IN_SCRATCH(a_store_that_could_not_be_made_leaves_nothing_behind),
        IN_SCRATCH(a_store_that_is_left_keeps_its_log_beside_it_and_all_that_was_committed),
        IN_SCRATCH(a_store_at_rest_is_one_plain_file),
        IN_SCRATCH(what_is_not_there_is_refused),
        IN_SCRATCH(a_directory_is_refused),
        IN_SCRATCH(a_pipe_is_refused_without_waiting_for_it),
        IN_SCRATCH(an_empty_file_is_refused_and_stays_empty),
        IN_SCRATCH(a_file_of_another_kind_is_refused),
        IN_SCRATCH(the_database_of_another_program_is_refused_and_not_changed),
        IN_SCRATCH(a_store_of_a_newer_gannet_is_refused_by_both_versions),
        IN_SCRATCH(a_missing_table_is_named),
        IN_SCRATCH(a_missing_column_is_named),
        IN_SCRATCH(a_store_without_its_rows_is_refused),
        IN_SCRATCH(what_may_not_be_read_is_refused),
        IN_SCRATCH(a_trial_takes_five_statements_many_share_them_and_a_commit_takes_four),
        IN_SCRATCH(a_trial_of_one_sample_and_three_phases_takes_less_than_350_bytes),
        IN_SCRATCH(views_of_another_gannet_are_replaced),
        IN_SCRATCH(a_trial_does_not_end_twice),
        IN_SCRATCH(writing_nothing_is_fine),
        IN_SCRATCH(a_session_is_noted_once_and_the_time_held_is_written_down_without_being_news),
        IN_SCRATCH(time_between_sessions_is_not_held),
        IN_SCRATCH(any_letter_may_be_in_the_path),
        cmocka_unit_test(versions_that_may_damage_a_log_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
