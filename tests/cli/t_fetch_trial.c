/* The section trial: what a page has of one trial, and that its files can do no harm. */
#include "cli/fetch/sections.h"
#include "tests/claims.h"
#include "tests/stores.h"
#include "common/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run directory with a store of three trials and the files of the second. */
static void make_directory(void **state, struct rundir *dir)
{
    struct err err;
    rundir_name(path_in(state, ""), dir);
    struct store *store = stores_make(dir->store);
    fine(stores_write(store, 1, 3, &err), &err);
    store_close(store);
    assert_int_equal(mkdir(path_in(state, "trials"), 0700), 0);
    assert_int_equal(mkdir(path_in(state, "trials/000002"), 0700), 0);
    assert_int_equal(mkdir(path_in(state, "trials/000002/checkpoint"), 0700), 0);
    write_file(path_in(state, "trials/000002/stderr"), "\033[2Jred\rgreen\n\xff\xfe\n", 0600);
}

static json_t *read_trial(const struct rundir *dir, uint64_t trial, struct err *err)
{
    struct wants wants = {.trial = trial};
    struct section_memory memory = {0};
    struct section_reading reading = {.wants = &wants, .memory = &memory};
    assert_int_equal(source_open_dir(dir, &reading.source, err), 0);
    json_t *value = section_trial(&reading, err);
    if (memory.free)
        memory.free(memory.data);
    source_close(reading.source);
    return value;
}

static const char *text_of(const json_t *value, const char *name)
{
    const char *text = json_string_value(json_object_get(value, name));
    return text ? text : "";
}

static void a_page_has_the_trial_and_the_best(void **state)
{
    struct rundir dir;
    struct err err = {""};
    make_directory(state, &dir);
    json_t *value = read_trial(&dir, 2, &err), *trial = json_object_get(value, "trial"),
           *best = json_object_get(value, "best"), *files = json_object_get(value, "files");
    if (!value)
        fail_msg("%s", err.text);
    assert_int_equal(json_integer_value(json_object_get(trial, "trial")), 2);
    assert_int_equal(json_array_size(json_object_get(trial, "runs")), 1);
    assert_null(json_object_get(trial, "curve"));
    same_json(json_incref(json_object_get(value, "curve")), json_pack("[[i, f, f]]", 1, 2.0, 0.5));
    assert_int_equal(json_integer_value(json_object_get(best, "trial")), 1);
    same_json(json_incref(json_object_get(best, "params")), json_pack("{s:f}", "lr", 0.125));
    assert_string_equal(text_of(value, "metric"), "loss");
    assert_int_equal(json_array_size(files), 2);
    assert_string_equal(text_of(json_array_get(files, 0), "name"), "checkpoint");
    assert_true(json_is_true(json_object_get(json_array_get(files, 0), "directory")));
    assert_string_equal(text_of(json_array_get(files, 1), "name"), "stderr");
    json_decref(value);
    rundir_fini(&dir);
}

static void no_such_trial_is_said(void **state)
{
    struct rundir dir;
    struct err err = {""};
    make_directory(state, &dir);
    assert_null(read_trial(&dir, 9, &err));
    assert_has(err.text, "has no trial 9");
    rundir_fini(&dir);
}

static void output_can_do_no_harm(void **state)
{
    struct rundir dir;
    struct err err = {""};
    make_directory(state, &dir);
    json_t *value = read_trial(&dir, 2, &err);
    const char *text = text_of(value, "stderr");
    assert_has(text, "green\n");
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at >= ' ' || *at == '\n');
    json_decref(value);
    rundir_fini(&dir);
}

static void of_much_output_the_end_is_read(void **state)
{
    struct rundir dir;
    struct err err = {""};
    struct buf lines = {0};
    make_directory(state, &dir);
    for (int i = 1; i <= 10000; i++)
        buf_format(&lines, "line %d of many\n", i);
    write_file(path_in(state, "trials/000002/stdout"), buf_str(&lines), 0600);
    buf_fini(&lines);
    json_t *value = read_trial(&dir, 2, &err);
    const char *text = text_of(value, "stdout");
    assert_has(text, "\nline 10000 of many\n");
    assert_true(strlen(text) > 10000 && strlen(text) < 20000);
    assert_int_equal(strncmp(text, "line ", 5), 0); /* no line is cut */
    json_decref(value);
    rundir_fini(&dir);
}

/* A program may put anything in place of its output: nobody waits for it, and no other file is shown. */
static void what_is_no_plain_file_is_not_read(void **state)
{
    struct rundir dir;
    struct err err = {""};
    make_directory(state, &dir);
    write_file(path_in(state, "secret"), "a secret\n", 0600);
    assert_int_equal(mkfifo(path_in(state, "trials/000002/stdout"), 0600), 0);
    assert_int_equal(unlink(path_in(state, "trials/000002/stderr")), 0);
    assert_int_equal(symlink(path_in(state, "secret"), path_in(state, "trials/000002/stderr")), 0);
    json_t *value = read_trial(&dir, 2, &err);
    assert_non_null(value);
    assert_string_equal(text_of(value, "stdout"), "");
    assert_string_equal(text_of(value, "stderr"), "");
    json_decref(value);
    rundir_fini(&dir);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        TEST(a_page_has_the_trial_and_the_best),
        TEST(no_such_trial_is_said),
        TEST(output_can_do_no_harm),
        TEST(of_much_output_the_end_is_read),
        TEST(what_is_no_plain_file_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
