/* A store of an older gannet is brought up to date step by step, and keeps what it has. */
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/store/migrate.h"
#include "scheduler/store/write.h"

#include <stdlib.h>

/* --- versions --- */

#define AS_VERSION_15                                                                                                  \
    "ALTER TABLE progress DROP COLUMN recent; DROP TABLE older; DROP TABLE ends;"                                      \
    "CREATE INDEX live ON trials (trial) WHERE ending IS NULL;"                                                        \
    "CREATE INDEX told ON trials (told) WHERE told IS NOT NULL;"

#define AS_VERSION_14                                                                                                  \
    AS_VERSION_15                                                                                                      \
    "DROP VIEW IF EXISTS v_decisions; ALTER TABLE decisions DROP COLUMN cut_off;"                                      \
    "ALTER TABLE decisions DROP COLUMN bracket;"

#define AS_VERSION_12                                                                                                  \
    AS_VERSION_14 "DROP INDEX told; ALTER TABLE trials DROP COLUMN energy; ALTER TABLE reopened DROP COLUMN energy;"

#define AS_VERSION_11                                                                                                  \
    AS_VERSION_12 "DROP VIEW IF EXISTS v_operations; DROP TABLE operations; ALTER TABLE runs DROP COLUMN operations;"

#define AS_VERSION_10                                                                                                  \
    AS_VERSION_11 "DROP VIEW IF EXISTS v_counters; DROP VIEW IF EXISTS v_uncounted; DROP TABLE counters;"              \
                  "ALTER TABLE runs DROP COLUMN counters; ALTER TABLE workers DROP COLUMN uncounted;"

#define AS_VERSION_9                                                                                                   \
    AS_VERSION_10                                                                                                      \
    "DROP VIEW IF EXISTS v_verdicts; DROP TABLE verdicts; ALTER TABLE runs DROP COLUMN verdict;"                       \
    "ALTER TABLE runs DROP COLUMN figure;"

#define AS_VERSION_8                                                                                                   \
    AS_VERSION_9 "DROP VIEW IF EXISTS v_trials; DROP VIEW IF EXISTS v_runs; DROP TABLE parts; ALTER TABLE progress "   \
                 "DROP COLUMN "                                                                                        \
                 "added;"                                                                                              \
                 "ALTER TABLE trials DROP COLUMN added;"

#define AS_VERSION_7                                                                                                   \
    AS_VERSION_8                                                                                                       \
    "ALTER TABLE progress DROP COLUMN ignored; ALTER TABLE trials DROP COLUMN ignored;"                                \
    "DROP TABLE ignored; DROP TABLE reopened;"

#define AS_VERSION_6                                                                                                   \
    AS_VERSION_7                                                                                                       \
    "ALTER TABLE trials DROP COLUMN memory_limit; ALTER TABLE trials DROP COLUMN time_limit;"                          \
    "ALTER TABLE runs DROP COLUMN memory_limit; ALTER TABLE runs DROP COLUMN time_limit;"

#define AS_VERSION_5 AS_VERSION_6 "ALTER TABLE experiment DROP COLUMN identity;"

/* As it was up to version 4; v_runs and v_profiles are gone before. */
#define AS_VERSION_4                                                                                                   \
    AS_VERSION_5                                                                                                       \
    "DROP VIEW IF EXISTS v_decisions; ALTER TABLE decisions RENAME COLUMN decision TO verdict;"                        \
    "ALTER TABLE decisions RENAME TO judgements; DROP INDEX decided; CREATE INDEX judged ON judgements (trial);"       \
    "DROP TABLE processors; ALTER TABLE runs DROP COLUMN profile;"                                                     \
    "CREATE TABLE profiles (trial INTEGER NOT NULL, attempt INTEGER NOT NULL, phase INTEGER NOT NULL,"                 \
    " seconds REAL NOT NULL, count INTEGER NOT NULL, min REAL, max REAL,"                                              \
    " PRIMARY KEY (trial, attempt, phase)) WITHOUT ROWID;"

static void a_store_of_version_10_gets_counters(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "old.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 2, &err), &err);
    store_close(store);
    free(stores_sql(path, AS_VERSION_10 "PRAGMA user_version = 10"));
    store = stores_open(path);
    struct event event = {.kind = EVENT_WORKER, .worker = 3, .hello = {.node = "n", .version = "1", .machine = "m"}};
    fine(store_write(store, &event, 1, &err), &err);
    store_close(store);
    char *text = stores_sql(path, "SELECT (SELECT count(*) FROM v_counters) || (SELECT count(*) > 10 FROM counters)");
    assert_string_equal(text, "01");
    free(text);
    free(path);
}

/* What early stopping said before there were cut-offs is kept, and new rows have them. */
static void a_store_of_version_14_keeps_its_decisions_without_cut_offs(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "old.db"));
    double loss = 0.5;
    struct event decided = {.kind = EVENT_DECIDED,
                            .trial = 1,
                            .decided = {.step = 1, .values = &loss, .values_count = 1, .detail = "old", .cut_off = 9}};
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 2, &err), &err);
    fine(store_write(store, &decided, 1, &err), &err);
    store_close(store);
    free(stores_sql(path, AS_VERSION_14 "PRAGMA user_version = 14"));
    store = stores_open(path);
    decided.decided.step = 2;
    decided.decided.cut_off = 0.25;
    fine(store_write(store, &decided, 1, &err), &err);
    json_t *rows = reader_decided(store_reader(store), 0, 0, &err);
    store_close(store);
    assert_int_equal(json_array_size(rows), 2);
    assert_string_equal(json_string_value(json_array_get(json_array_get(rows, 0), 5)), "old");
    assert_true(json_is_null(json_array_get(json_array_get(rows, 0), 6)));
    assert_true(json_real_value(json_array_get(json_array_get(rows, 1), 6)) == 0.25);
    char *text = stores_sql(path, "SELECT group_concat(coalesce(cut_off, 'none')) FROM v_decisions");
    assert_string_equal(text, "none,0.25");
    json_decref(rows);
    free(text);
    free(path);
}

/* Who lives and what ended was found by indexes until version 15. */
static void a_store_of_version_15_keeps_who_lives_and_in_which_order_others_ended(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "old.db"));
    struct store *store = stores_make(path);
    const struct event lives[] = {{.kind = EVENT_PROPOSED, .trial = 1000, .proposed = {.params = "{}"}},
                                  {.kind = EVENT_PROPOSED, .trial = 1001, .proposed = {.params = "{}"}}};
    const struct event ends = {.kind = EVENT_TRIAL_ENDED, .trial = 1000, .end = {.told = 1000}};
    fine(stores_write(store, 1, 600, &err), &err);
    fine(store_write(store, lives, 2, &err), &err);
    json_t *ended = reader_ended(store_reader(store), 0, 0, &err),
           *living = reader_living(store_reader(store), 0, 0, &err);
    assert_int_equal(json_array_size(ended), 600);
    assert_int_equal(json_array_size(living), 2);
    store_close(store);
    free(stores_sql(path, AS_VERSION_15 "PRAGMA user_version = 15"));
    store = stores_open(path);
    same_json(reader_ended(store_reader(store), 0, 0, &err), ended);
    same_json(reader_living(store_reader(store), 0, 0, &err), living);
    fine(store_write(store, &ends, 1, &err), &err);
    living = reader_living(store_reader(store), 0, 0, &err);
    ended = reader_ended(store_reader(store), 600, 0, &err);
    assert_int_equal(json_array_size(living), 1);
    assert_int_equal(json_array_size(ended), 1);
    json_decref(living);
    json_decref(ended);
    store_close(store);
    free(path);
}

static void a_store_of_version_0_is_brought_up_to_date_and_keeps_what_it_has(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "old.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 5, &err), &err);
    store_close(store);
    free(stores_sql(
        path, "DROP VIEW v_trials; DROP VIEW v_outcomes; DELETE FROM endings;"
              "DROP TABLE criteria; DROP TABLE outcomes; DROP TABLE earlier; ALTER TABLE trials DROP COLUMN infeasible;"
              "DROP VIEW v_metrics; DROP VIEW v_runs; DROP VIEW v_params;"
              "DROP VIEW v_profiles; DROP VIEW v_events;"
              "ALTER TABLE progress DROP COLUMN steps; ALTER TABLE progress DROP COLUMN stepped;"
              "ALTER TABLE progress DROP COLUMN max_steps; ALTER TABLE trials DROP COLUMN start_from;"
              "ALTER TABLE trials DROP COLUMN paused; ALTER TABLE trials DROP COLUMN reached;"
              "ALTER TABLE trials DROP COLUMN step; ALTER TABLE runs DROP COLUMN resumed;"
              "ALTER TABLE progress DROP COLUMN idle; ALTER TABLE progress DROP COLUMN run_seconds;"
              "ALTER TABLE progress DROP COLUMN cut; ALTER TABLE workers DROP COLUMN job;"
              "ALTER TABLE workers DROP COLUMN element; " AS_VERSION_4
              "DROP INDEX live; DROP TABLE judgements; DROP TABLE jobs; PRAGMA user_version = 0"));
    store = stores_open(path);
    assert_int_equal(stores_count(store_reader(store)), 5);
    store_close(store);
    char *text = stores_sql(path, "SELECT (SELECT user_version FROM pragma_user_version) || (SELECT count(*) FROM "
                                  "sqlite_master WHERE name = 'older') || (SELECT state FROM v_trials)"
                                  "|| (SELECT name || goal || use FROM criteria)");
    assert_string_equal(text, "161completedlossminimizelast");
    free(text);
    free(path);
}

static void a_store_of_version_3_learns_what_its_attempts_took(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "old.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 5, &err), &err);
    store_close(store);
    char *before = stores_sql(path, "SELECT sum(seconds) FROM runs");
    free(stores_sql(path, "DROP VIEW v_trials; DROP VIEW v_runs; DROP VIEW v_events; DROP VIEW v_jobs;"
                          "DROP VIEW v_metrics; DROP VIEW v_params; DROP VIEW v_profiles; DROP VIEW v_outcomes;"
                          "DROP TABLE jobs;"
                          "ALTER TABLE progress DROP COLUMN idle; ALTER TABLE progress DROP COLUMN run_seconds;"
                          "ALTER TABLE progress DROP COLUMN cut; ALTER TABLE workers DROP COLUMN job;"
                          "ALTER TABLE workers DROP COLUMN element;" AS_VERSION_4 "PRAGMA user_version = 3"));
    store = stores_open(path);
    struct memory memory;
    fine(store_recall(store, &memory, &err), &err);
    assert_int_equal(memory.idle, 0);
    assert_int_equal(memory.duration_count, 5);
    memory_fini(&memory);
    fine(stores_write(store, 6, 1, &err), &err);
    store_close(store);
    char *after = stores_sql(path, "SELECT run_seconds > 0 FROM progress"),
         *jobs = stores_sql(path, "SELECT count(*) FROM v_jobs");
    assert_true(strtod(before, NULL) > 0);
    assert_string_equal(after, "1");
    assert_string_equal(jobs, "0");
    free(before);
    free(after);
    free(jobs);
    free(path);
}

static void a_store_of_version_4_keeps_where_the_time_of_its_runs_went(void **state)
{
    static const char shown[] =
        "SELECT group_concat(trial || ' ' || attempt || ' ' || phase || ' ' || seconds || ' ' ||"
        " count || ' ' || min || ' ' || max) FROM v_profiles";
    struct err err;
    char *path = mem_text(path_in(state, "old.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 2, &err), &err);
    store_close(store);
    free(stores_sql(path, "DROP VIEW v_runs; DROP VIEW v_profiles;" AS_VERSION_4
                          "INSERT INTO profiles VALUES (1, 1, 1, 0.25, 1, NULL, NULL), (1, 1, 0, 1.5, 4, 0.125, 0.75),"
                          " (2, 1, 9, 1e-9, 1, NULL, NULL); PRAGMA user_version = 4"));
    store = stores_open(path);
    json_t *phases = reader_phases(store_reader(store), 1, &err), *queue = json_array_get(phases, 0);
    assert_string_equal(json_string_value(json_object_get(queue, "phase")), "queue");
    assert_true(json_number_value(json_object_get(queue, "max")) == 0.75);
    json_decref(phases);
    store_close(store);
    char *text = stores_sql(path, shown), *tables = stores_sql(path, "SELECT count(*) FROM sqlite_master"
                                                                     " WHERE name = 'profiles'");
    assert_string_equal(text,
                        "1 1 queue 1.5 4 0.125 0.75,1 1 launch 0.25 1 0.25 0.25,2 1 idle 1.0e-09 1 1.0e-09 1.0e-09");
    assert_string_equal(tables, "0");
    free(text);
    free(tables);
    free(path);
}

static void steps_are_taken_one_after_the_other(void **state)
{
    static const struct migration steps[] = {{1, "INSERT INTO log VALUES ('one to two')"},
                                             {0, "CREATE TABLE log (text); INSERT INTO log VALUES ('zero to one')"}};
    char *path = mem_text(path_in(state, "steps.db"));
    struct db db;
    struct err err;
    write_file(path, "", 0600);
    fine(db_open_to_write(&db, path, &err), &err);
    fine(migrate_run(&db, 0, 2, steps, 2, &err), &err);
    db_close(&db);
    char *text = stores_sql(path, "SELECT group_concat(text) || ' ' || user_version FROM log, pragma_user_version");
    assert_string_equal(text, "zero to one,one to two 2");
    free(text);
    free(path);
}

static void a_step_that_fails_changes_nothing_and_is_named(void **state)
{
    static const struct migration steps[] = {{0, "CREATE TABLE log (text)"},
                                             {1, "INSERT INTO log VALUES ('half'); INSERT INTO nowhere VALUES (1)"}};
    char *path = mem_text(path_in(state, "steps.db"));
    struct db db;
    struct err err;
    write_file(path, "", 0600);
    fine(db_open_to_write(&db, path, &err), &err);
    assert_int_equal(migrate_run(&db, 0, 2, steps, 2, &err), -1);
    assert_has(err.text, "schema version 1 to 2");
    assert_has(err.text, "nowhere");
    assert_int_equal(migrate_run(&db, 1, 3, steps, 1, &err), -1);
    assert_has(err.text, "no way from schema version 1");
    db_close(&db);
    char *text = stores_sql(path, "SELECT (SELECT count(*) FROM log) || ' ' || user_version FROM pragma_user_version");
    assert_string_equal(text, "0 1");
    free(text);
    free(path);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_store_of_version_3_learns_what_its_attempts_took),
        IN_SCRATCH(a_store_of_version_15_keeps_who_lives_and_in_which_order_others_ended),
        IN_SCRATCH(a_store_of_version_14_keeps_its_decisions_without_cut_offs),
        IN_SCRATCH(a_store_of_version_10_gets_counters),
        IN_SCRATCH(a_store_of_version_0_is_brought_up_to_date_and_keeps_what_it_has),
        IN_SCRATCH(a_store_of_version_4_keeps_where_the_time_of_its_runs_went),
        IN_SCRATCH(steps_are_taken_one_after_the_other),
        IN_SCRATCH(a_step_that_fails_changes_nothing_and_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
