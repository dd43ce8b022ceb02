/* Studies of Optuna, read from its SQLite file. The file is made here, with the tables that Optuna 3 and later make. */
#include "scheduler/store/optuna.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/json.h"

#include <math.h>
#include <stdlib.h>

static const char tables[] =
    "CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name TEXT);"
    "CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction TEXT, study_id INTEGER, objective"
    " INTEGER);"
    "CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER PRIMARY KEY, study_id INTEGER, key TEXT,"
    " value_json TEXT);"
    "CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state TEXT, datetime_start"
    " DATETIME, datetime_complete DATETIME);"
    "CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name TEXT, param_value FLOAT,"
    " distribution_json TEXT);"
    "CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT,"
    " value_type TEXT);"
    "CREATE TABLE trial_intermediate_values (trial_intermediate_value_id INTEGER PRIMARY KEY, trial_id INTEGER, step"
    " INTEGER, intermediate_value FLOAT, intermediate_value_type TEXT);";

/* Two objectives; the second trial was begun before the first one, and both have the distribution of x. Another study
 * has a trial of its own. */
static const char rows[] =
    "INSERT INTO studies VALUES (1, 'valley'), (2, 'hill');"
    "INSERT INTO study_directions VALUES (1, 'MAXIMIZE', 1, 1), (2, 'MINIMIZE', 1, 0), (3, 'MINIMIZE', 2, 0);"
    "INSERT INTO study_system_attributes VALUES (1, 1, 'study:metric_names', '[\"loss\", \"accuracy\"]'),"
    " (2, 1, 'other', '7');"
    "INSERT INTO trials VALUES (11, 1, 1, 'COMPLETE', '2026-01-01 00:00:00', '2026-01-01 00:01:30.500'),"
    " (12, 0, 1, 'PRUNED', '2026-01-01 00:02:00', '2026-01-01 00:01:00'),"
    " (13, 2, 1, 'RUNNING', '2026-01-01 00:03:00', NULL), (14, 3, 1, 'WAITING', NULL, NULL),"
    " (21, 0, 2, 'COMPLETE', NULL, NULL);"
    "INSERT INTO trial_params VALUES (1, 11, 'x', 0.25, 'D1'), (2, 12, 'x', 0.5, 'D1'), (3, 12, 'kind', 1, 'D2'),"
    " (4, 21, 'y', 3, 'D3'), (5, 11, 'odd', 'text', 'D2');"
    "INSERT INTO trial_values VALUES (1, 11, 1, NULL, 'INF_NEG'), (2, 11, 0, 2.5, 'FINITE'), (3, 21, 0, 7, 'FINITE');"
    "INSERT INTO trial_intermediate_values VALUES (1, 12, 20, NULL, 'NAN'), (2, 12, 10, 4, 'FINITE'),"
    " (3, 12, 30, NULL, 'INF_POS');";

static const char *make_file(void *const *state, const char *more)
{
    const char *path = path_in(state, "study.db");
    free(stores_sql(path, tables));
    free(stores_sql(path, rows));
    free(stores_sql(path, more));
    return path;
}

/* That part of a study is this. */
static void same_text(const json_t *got, const char *expected)
{
    same_json(json_deep_copy(got), json_loads(expected, JSON_DECODE_ANY, NULL));
}

static const json_t *trial_at(const struct optuna_study *study, size_t index)
{
    const json_t *trial = json_array_get(study->trials, index);
    assert_non_null(trial);
    return trial;
}

static double number_at(const json_t *trial, const char *key)
{
    double number = NAN;
    assert_true(json_to_real(json_object_get(trial, key), &number));
    return number;
}

static void a_study_is_read_as_it_was_and_nothing_of_another_one(void **state)
{
    struct optuna_study study;
    struct err err = {0};
    fine(optuna_read(make_file(state, "SELECT 1"), "valley", &study, &err), &err);
    assert_string_equal(study.name, "valley");
    same_text(study.maximize, "[false, true]");
    same_text(study.metrics, "[\"loss\", \"accuracy\"]");
    same_text(study.distributions, "[\"D1\", \"D2\"]");
    assert_int_equal(json_array_size(study.trials), 4);
    const json_t *first = trial_at(&study, 0), *second = trial_at(&study, 1);
    assert_string_equal(json_string_value(json_object_get(first, "state")), "PRUNED");
    same_text(json_object_get(first, "params"), "{\"x\": [0.5, 0], \"kind\": [1.0, 1]}");
    same_text(json_object_get(first, "values"), "[]");
    same_text(json_object_get(first, "steps"), "[[10, 4.0], [20, \"nan\"], [30, \"inf\"]]");
    assert_string_equal(json_string_value(json_object_get(second, "state")), "COMPLETE");
    same_text(json_object_get(second, "params"), "{\"x\": [0.25, 0], \"odd\": [\"nan\", 1]}");
    same_text(json_object_get(second, "values"), "[2.5, \"-inf\"]");
    optuna_fini(&study);
}

static void a_trial_takes_the_time_between_its_two_dates_and_none_when_they_make_no_sense(void **state)
{
    struct optuna_study study;
    struct err err = {0};
    fine(optuna_read(make_file(state, "SELECT 1"), "valley", &study, &err), &err);
    assert_true(fabs(number_at(trial_at(&study, 1), "started") - 1767225600) < 0.01);
    assert_true(fabs(number_at(trial_at(&study, 1), "seconds") - 90.5) < 0.01);
    assert_true(number_at(trial_at(&study, 0), "seconds") == 0); /* it ended before it began */
    assert_true(fabs(number_at(trial_at(&study, 2), "started") - 1767225780) < 0.01);
    assert_true(number_at(trial_at(&study, 2), "seconds") == 0);
    assert_true(number_at(trial_at(&study, 3), "started") == 0);
    optuna_fini(&study);
}

/* Reads that study, which can't be, and gives why. */
static const char *refusal(const char *path, const char *name)
{
    static struct err err;
    struct optuna_study study;
    err = (struct err){0};
    assert_int_equal(optuna_read(path, name, &study, &err), -1);
    optuna_fini(&study);
    return err.text;
}

static void which_study_is_meant_has_to_be_said_when_there_are_several(void **state)
{
    struct optuna_study study;
    struct err err = {0};
    const char *path = make_file(state, "SELECT 1");
    assert_has(refusal(path, NULL), "several studies; choose one with --study: 'valley', 'hill'");
    assert_has(refusal(path, "dale"), "no study 'dale'; it has 'valley', 'hill'");
    free(stores_sql(path, "DELETE FROM studies WHERE study_id = 1"));
    fine(optuna_read(path, NULL, &study, &err), &err);
    assert_string_equal(study.name, "hill");
    assert_null(study.metrics);
    assert_int_equal(json_array_size(study.trials), 1);
    optuna_fini(&study);
    free(stores_sql(path, "DELETE FROM studies"));
    assert_has(refusal(path, NULL), "has no study");
}

static void what_is_none_of_optunas_files_is_refused_in_words(void **state)
{
    const char *path = make_file(state, "DROP TABLE trial_values; CREATE VIEW trial_values AS SELECT 1 AS value");
    assert_has(refusal(path, "valley"), "is no storage of Optuna 3 or later");
    write_file(path_in(state, "text.db"), "no database at all, but a text that is long enough for the first page\n",
               0600);
    assert_has(refusal(path_in(state, "text.db"), NULL), "text.db");
    assert_has(refusal(path_in(state, "away.db"), NULL), "away.db");
}

static void a_table_that_older_files_lack_is_not_needed_and_a_column_is(void **state)
{
    struct optuna_study study;
    struct err err = {0};
    const char *path = make_file(state, "DROP TABLE trial_intermediate_values; DROP TABLE study_system_attributes");
    fine(optuna_read(path, "valley", &study, &err), &err);
    assert_null(study.metrics);
    assert_int_equal(json_array_size(study.trials), 4);
    same_text(json_object_get(trial_at(&study, 0), "steps"), "[]");
    optuna_fini(&study);
    free(stores_sql(path, "ALTER TABLE trial_params RENAME COLUMN param_value TO worth"));
    assert_has(refusal(path, "valley"), "param_value");
}

/* A stranger's tables have no keys that would keep them from it. */
static void rows_that_name_no_trial_or_one_twice_are_passed_over(void **state)
{
    struct optuna_study study;
    struct err err = {0};
    const char *path = make_file(state, "ALTER TABLE trials RENAME TO once;"
                                        "CREATE TABLE trials (trial_id, number, study_id, state, datetime_start,"
                                        " datetime_complete);"
                                        "INSERT INTO trials SELECT * FROM once;"
                                        "INSERT INTO trials VALUES (12, 9, 1, 'COMPLETE', NULL, NULL)");
    fine(optuna_read(path, "valley", &study, &err), &err);
    assert_int_equal(json_array_size(study.trials), 4);
    assert_string_equal(json_string_value(json_object_get(trial_at(&study, 0), "state")), "PRUNED");
    optuna_fini(&study);
}

static void a_study_has_a_hundred_objectives_at_most(void **state)
{
    struct optuna_study study;
    struct err err = {0};
    const char *path = make_file(
        state, "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
               "INSERT INTO study_directions (direction, study_id, objective) SELECT 'MINIMIZE', 1, i FROM n;"
               "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
               "INSERT INTO trial_values (trial_id, objective, value, value_type) SELECT 11, i, i, 'FINITE' FROM n");
    fine(optuna_read(path, "valley", &study, &err), &err);
    assert_int_equal(json_array_size(study.maximize), 100);
    assert_int_equal(json_array_size(json_object_get(trial_at(&study, 1), "values")), 100);
    optuna_fini(&study);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_study_is_read_as_it_was_and_nothing_of_another_one),
        IN_SCRATCH(a_trial_takes_the_time_between_its_two_dates_and_none_when_they_make_no_sense),
        IN_SCRATCH(which_study_is_meant_has_to_be_said_when_there_are_several),
        IN_SCRATCH(what_is_none_of_optunas_files_is_refused_in_words),
        IN_SCRATCH(a_table_that_older_files_lack_is_not_needed_and_a_column_is),
        IN_SCRATCH(rows_that_name_no_trial_or_one_twice_are_passed_over),
        IN_SCRATCH(a_study_has_a_hundred_objectives_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
