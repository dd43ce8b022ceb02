/* Studies as Optuna's SQLite files: numbers that no float column holds, and statements of which each fails once. */
#include "tests/claims.h"
#include "tests/sqlite_faults.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/store/optuna_write.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char study[] = "{\"name\": \"s\", \"directions\": [\"MINIMIZE\", \"MAXIMIZE\"], \"user\": {\"mark\": 1},"
                            " \"system\": {\"kept\": [1]}}";
static const char first[] = "{\"trial\": 1, \"number\": 0, \"state\": \"COMPLETE\","
                            " \"started\": \"2026-11-20T14:02:11.123Z\", \"completed\": \"2026\","
                            " \"params\": {\"lr\": [0.5, \"{}\"], \"n\": [2, \"{}\"]}, \"values\": [1.5, \"inf\"],"
                            " \"steps\": [[3, \"-inf\"], [4, \"nan\"]], \"user\": {\"u\": 1}, \"system\": {\"s\": 2}}";
static const char anew[] = "{\"trial\": 1, \"number\": 0, \"state\": \"FAIL\", \"started\": null, \"completed\": null,"
                           " \"params\": {\"lr\": [0.25, \"{}\"]}, \"values\": [2.5], \"steps\": [], \"user\": {},"
                           " \"system\": {}}";
static const char second[] = "{\"trial\": 2, \"number\": 1, \"state\": \"COMPLETE\", \"params\": {\"lr\": [1, \"{}\"]},"
                             " \"values\": [3]}";

/* --- writing --- */

static int put_text(struct optuna_writer *writer, int (*put)(struct optuna_writer *, const json_t *, struct err *),
                    const char *text, struct err *err)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    int failed = put(writer, json, err);
    json_decref(json);
    return failed;
}

/* A study with one trial in the empty file; whether it is kept. */
static bool write_study(const char *path, struct err *err)
{
    struct optuna_writer *writer = optuna_create(path, err);
    bool kept = writer && put_text(writer, optuna_put_study, study, err) == 0 &&
                put_text(writer, optuna_put_trial, first, err) == 0 && optuna_keep(writer, err) == 0;
    optuna_end(writer);
    return kept;
}

/* The first trial once more and a second one; whether they are kept. */
static bool write_more(const char *path, struct err *err)
{
    struct optuna_writer *writer = optuna_go_on(path, err);
    bool kept = writer && put_text(writer, optuna_put_trial, anew, err) == 0 &&
                put_text(writer, optuna_put_trial, second, err) == 0 && optuna_keep(writer, err) == 0;
    optuna_end(writer);
    return kept;
}

static const char *make_study(void **state)
{
    struct err err = {""};
    const char *path = path_in(state, "study.db");
    write_file(path, "", 0600);
    if (!write_study(path, &err))
        fail_msg("%s", err.text);
    return path;
}

static void expect_row(const char *path, const char *sql, const char *expected)
{
    char *row = stores_sql(path, sql);
    assert_string_equal(row, expected);
    free(row);
}

static const char all_values[] =
    "SELECT group_concat(trial_id || ':' || objective || '=' || coalesce(value, value_type),"
    " ' ') FROM (SELECT * FROM trial_values ORDER BY trial_id, objective)";
static const char all_params[] = "SELECT group_concat(trial_id || ':' || param_name || '=' || param_value, ' ')"
                                 " FROM (SELECT * FROM trial_params ORDER BY trial_id, param_name)";

static void expect_first(const char *path)
{
    expect_row(path, all_values, "1:0=1.5 1:1=INF_POS");
    expect_row(path, all_params, "1:lr=0.5 1:n=2.0");
    expect_row(path, "SELECT group_concat(state) FROM trials", "COMPLETE");
}

static void expect_more(const char *path)
{
    expect_row(path, all_values, "1:0=2.5 2:0=3.0");
    expect_row(path, all_params, "1:lr=0.25 2:lr=1.0");
    expect_row(path, "SELECT group_concat(state) FROM (SELECT state FROM trials ORDER BY trial_id)", "FAIL,COMPLETE");
}

/* --- claims --- */

static void what_no_float_column_holds_is_named_by_its_kind(void **state)
{
    const char *path = make_study(state);
    expect_first(path);
    expect_row(path,
               "SELECT group_concat(step || ':' || intermediate_value_type || ':' || (intermediate_value IS NULL))"
               " FROM (SELECT * FROM trial_intermediate_values ORDER BY step)",
               "3:INF_NEG:1,4:NAN:1");
    expect_row(path, "SELECT group_concat(direction) FROM (SELECT * FROM study_directions ORDER BY objective)",
               "MINIMIZE,MAXIMIZE");
}

static void a_time_of_another_form_is_no_time(void **state)
{
    const char *path = make_study(state);
    expect_row(path, "SELECT datetime_start || ' ' || (datetime_complete IS NULL) FROM trials",
               "2026-11-20 14:02:11.123000 1");
}

static void a_study_whose_writing_fails_anywhere_says_so(void **state)
{
    const char *path = path_in(state, "study.db");
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        struct err err = {""};
        write_file(path, "", 0600);
        fail_at(at, SQLITE_IOERR);
        bool kept = write_study(path, &err);
        came = mend();
        assert_int_equal(kept, !came);
        if (came)
            assert_has(err.text, path);
        failures += came;
        if (came)
            assert_int_equal(unlink(path), 0);
    }
    assert_true(failures > 20);
    expect_first(path);
}

static void trials_that_are_added_are_there_wholly_or_not_at_all(void **state)
{
    const char *path = make_study(state);
    unsigned failures = 0;
    bool came = true;
    for (unsigned at = 1; came; at++) {
        struct err err = {""};
        fail_at(at, SQLITE_IOERR);
        bool kept = write_more(path, &err);
        came = mend();
        assert_int_equal(kept, !came);
        if (came)
            assert_has(err.text, path);
        if (came)
            expect_first(path);
        failures += came;
    }
    assert_true(failures > 20);
    expect_more(path);
}

/* A real limit, as a quota is one. */
static void a_limit_of_the_disk_is_named_and_the_study_stays_as_it_was(void **state)
{
    struct err err = {""};
    struct rlimit before, tight;
    const char *path = make_study(state);
    char *text = mem_zero(2 << 20, 1);
    json_t *trial = json_loads(second, 0, NULL), *user = json_object();
    memset(text, 'x', (2 << 20) - 1);
    json_object_set_new(user, "long", json_string(text));
    json_object_set_new(trial, "user", user);
    struct optuna_writer *writer = optuna_go_on(path, &err);
    assert_non_null(writer);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    bool kept = optuna_put_trial(writer, trial, &err) == 0 && optuna_keep(writer, &err) == 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    optuna_end(writer);
    assert_false(kept);
    assert_has(err.text, "File too large");
    expect_first(path);
    json_decref(trial);
    free(text);
}

static void a_file_that_is_not_there_is_not_made(void **state)
{
    struct err err = {""};
    const char *path = path_in(state, "none.db");
    assert_null(optuna_create(path, &err));
    assert_has(err.text, path);
    err.text[0] = '\0';
    assert_null(optuna_go_on(path, &err));
    assert_has(err.text, path);
    assert_int_equal(access(path, F_OK), -1);
}

/* Whoever asks overwrites what has the mark, so one that can't be read has none. */
static void a_mark_that_can_not_be_read_is_not_there(void **state)
{
    const char *path = make_study(state);
    bool came = true;
    assert_true(optuna_has_mark(path, "mark"));
    assert_false(optuna_has_mark(path, "another"));
    assert_false(optuna_has_mark(path_in(state, "none.db"), "mark"));
    for (unsigned at = 1; came; at++) {
        fail_at(at, SQLITE_IOERR);
        bool has = optuna_has_mark(path, "mark");
        came = mend();
        assert_int_equal(has, !came);
    }
    free(stores_sql(path, "INSERT INTO studies VALUES (2, 'of somebody else')"));
    assert_false(optuna_has_mark(path, "mark"));
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_no_float_column_holds_is_named_by_its_kind),
        IN_SCRATCH(a_time_of_another_form_is_no_time),
        IN_SCRATCH(a_study_whose_writing_fails_anywhere_says_so),
        IN_SCRATCH(trials_that_are_added_are_there_wholly_or_not_at_all),
        IN_SCRATCH(a_limit_of_the_disk_is_named_and_the_study_stays_as_it_was),
        IN_SCRATCH(a_file_that_is_not_there_is_not_made),
        IN_SCRATCH(a_mark_that_can_not_be_read_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
