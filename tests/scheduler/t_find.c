/* Finding the experiment that a person names. */
#include "scheduler/rundir/rundir.h"
#include "tests/claims.h"

#include "common/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What rundir_find goes by: a frozen experiment, and the time of its store or lock. */
static void make_experiment(const char *path, time_t used)
{
    char *frozen = path_join(path, "experiment.yaml"), *store = path_join(path, "gannet.db");
    struct timespec times[] = {{.tv_sec = used}, {.tv_sec = used}};
    assert_int_equal(path_make_directory(path, 0700, NULL), 0);
    write_file(frozen, "version: 1\n", 0600);
    write_file(store, "", 0600);
    assert_int_equal(utimensat(AT_FDCWD, store, times, 0), 0);
    free(frozen);
    free(store);
}

static int go_there(void **state)
{
    if (enter_scratch(state) || chdir(*state))
        return -1;
    make_experiment("runs/digits", 1000);
    make_experiment("runs/digits-2", 3000);
    make_experiment("runs/branin", 2000);
    return path_make_directory("runs/no-experiment", 0700, NULL);
}

static int go_back(void **state)
{
    return chdir("/") || leave_scratch(state) ? -1 : 0;
}

/* Finds it and compares the directory with one below the present directory. */
#define assert_finds(what, expected)                                                                                   \
    do {                                                                                                               \
        struct rundir dir_ = {0};                                                                                      \
        struct err err_ = {0};                                                                                         \
        char *path_ = path_absolute(expected);                                                                         \
        if (rundir_find((what), &dir_, &err_))                                                                         \
            fail_msg("%s", err_.text);                                                                                 \
        assert_string_equal(dir_.path, path_);                                                                         \
        free(path_);                                                                                                   \
        rundir_fini(&dir_);                                                                                            \
    } while (0)

static void a_name_below_runs_is_found(void **state)
{
    (void)state;
    assert_finds("branin", "runs/branin");
}

static void an_exact_name_wins_over_a_longer_one(void **state)
{
    (void)state;
    assert_finds("digits", "runs/digits");
}

static void a_unique_beginning_is_enough(void **state)
{
    (void)state;
    assert_finds("br", "runs/branin");
}

static void a_directory_is_found_by_its_path_however_it_ends(void **state)
{
    (void)state;
    make_experiment("elsewhere/mine", 1);
    assert_finds("elsewhere/mine", "elsewhere/mine");
    assert_finds("elsewhere/mine/", "elsewhere/mine");
    assert_finds("runs/branin/.", "runs/branin");
}

static void a_directory_has_one_name_however_its_path_is_written(void **state)
{
    (void)state;
    assert_finds("./runs/digits", "runs/digits");
    assert_finds("runs//./digits/./", "runs/digits");
    assert_finds("runs/branin/../digits", "runs/digits");
    assert_finds("runs/branin/../../runs/./digits/.", "runs/digits");
    assert_int_equal(symlink("runs/branin", "elsewhere"), 0);
    assert_finds("elsewhere/../digits", "runs/digits"); /* up from where the link leads */
    assert_int_equal(unlink("elsewhere"), 0);
}

static void what_leads_up_from_nowhere_stays_as_it_is(void **state)
{
    (void)state;
    struct rundir dir = {0};
    rundir_name("/nowhere/../a", &dir);
    assert_string_equal(dir.path, "/nowhere/../a");
    rundir_fini(&dir);
    rundir_name("/nowhere/..hidden/...", &dir);
    assert_string_equal(dir.path, "/nowhere/..hidden/...");
    rundir_fini(&dir);
    rundir_name("/..", &dir);
    assert_string_equal(dir.path, "/");
    rundir_fini(&dir);
}

static void a_store_stands_for_its_directory(void **state)
{
    (void)state;
    struct rundir dir = {0};
    char *store = path_absolute("runs/branin/copy.db");
    assert_finds("runs/branin/gannet.db", "runs/branin");
    write_file(store, "", 0600);
    assert_int_equal(rundir_find("runs/branin/copy.db", &dir, NULL), 0);
    assert_string_equal(dir.store, store);
    free(store);
    rundir_fini(&dir);
}

static void last_is_the_one_used_last(void **state)
{
    (void)state;
    assert_finds(NULL, "runs/digits-2");
    assert_finds("last", "runs/digits-2");
    write_file("runs/branin/coordinator.lock", "started just now", 0600);
    assert_finds("last", "runs/branin");
}

static void an_ambiguous_beginning_lists_what_there_is(void **state)
{
    (void)state;
    struct rundir dir;
    struct err err = {0};
    make_experiment("runs/brew", 1);
    assert_int_equal(rundir_find("br", &dir, &err), -1);
    assert_has(err.text, "'br' is the beginning of 2 experiments");
    assert_has(err.text, "digits-2, branin, digits, brew");
}

static void an_unknown_name_lists_what_there_is(void **state)
{
    (void)state;
    struct rundir dir;
    struct err err = {0};
    assert_int_equal(rundir_find("mnist", &dir, &err), -1);
    assert_has(err.text, "there is no experiment 'mnist'");
    assert_has(err.text, "digits-2, branin, digits");
    assert_null(strstr(err.text, "no-experiment"));
}

static void where_nothing_was_run_it_says_so(void **state)
{
    (void)state;
    struct rundir dir;
    struct err err = {0};
    assert_int_equal(path_make_directory("empty", 0700, NULL), 0);
    assert_int_equal(chdir("empty"), 0);
    assert_int_equal(rundir_find(NULL, &dir, &err), -1);
    assert_has(err.text, "no experiment was run here yet");
}

/* Root may look everywhere, so it becomes somebody else for a moment. */
static void what_is_closed_to_us_is_not_said_to_be_missing(void **state)
{
    struct rundir dir;
    struct err err = {0};
    bool root = geteuid() == 0;
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(chmod("runs", 0755), 0);
    assert_int_equal(chmod("runs/digits", root ? 0700 : 0), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    int by_name = rundir_find("digits", &dir, &err);
    struct err by_path_err = {0};
    int by_path = rundir_find("runs/digits", &dir, &by_path_err);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod("runs/digits", 0700), 0);
    assert_int_equal(by_name, -1);
    assert_has(err.text, "runs/digits can't be looked into: Permission denied");
    assert_int_equal(by_path, -1);
    assert_has(by_path_err.text, "Permission denied");
}

int main(void)
{
#define THERE(test) cmocka_unit_test_setup_teardown(test, go_there, go_back)
    const struct CMUnitTest tests[] = {
        THERE(a_name_below_runs_is_found),
        THERE(an_exact_name_wins_over_a_longer_one),
        THERE(a_unique_beginning_is_enough),
        THERE(a_directory_is_found_by_its_path_however_it_ends),
        THERE(a_directory_has_one_name_however_its_path_is_written),
        cmocka_unit_test(what_leads_up_from_nowhere_stays_as_it_is),
        THERE(a_store_stands_for_its_directory),
        THERE(last_is_the_one_used_last),
        THERE(an_ambiguous_beginning_lists_what_there_is),
        THERE(an_unknown_name_lists_what_there_is),
        THERE(where_nothing_was_run_it_says_so),
        THERE(what_is_closed_to_us_is_not_said_to_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
