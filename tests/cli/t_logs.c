/* Files that grow, read together. */
#include "cli/data/logs.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What logs_read gives now. */
static void reads(struct logs *logs, size_t most, bool rest, const char *expected)
{
    struct buf text = {0};
    logs_read(logs, most, rest, &text);
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
}

static void lines_of_several_files_are_merged_by_time(void **state)
{
    append(path_in(state, "b.log"), "2026-11-20T14:00:01.000Z b one\nmore of b one\n2026-11-20T14:00:03.000Z b two\n");
    append(path_in(state, "a.log"), "2026-11-20T14:00:00.000Z a one\n2026-11-20T14:00:02.000Z a two\n");
    struct logs *logs = logs_open(*state, true);
    reads(logs, 0, false,
          "2026-11-20T14:00:00.000Z a one\n2026-11-20T14:00:01.000Z b one\nmore of b one\n"
          "2026-11-20T14:00:02.000Z a two\n2026-11-20T14:00:03.000Z b two\n");
    reads(logs, 0, false, "");
    logs_close(logs);
}

static void what_comes_later_is_read_later(void **state)
{
    struct logs *logs = logs_open(*state, false);
    reads(logs, 0, false, "");
    append(path_in(state, "stdout"), "one\ntw");
    reads(logs, 0, false, "==> stdout <==\none\n");
    append(path_in(state, "stdout"), "o\n");
    reads(logs, 0, false, "two\n");
    append(path_in(state, "stderr"), "oops\n");
    reads(logs, 0, false, "\n==> stderr <==\noops\n");
    append(path_in(state, "stdout"), "thr");
    reads(logs, 0, false, "");
    reads(logs, 0, true, "\n==> stdout <==\nthr\n");
    logs_close(logs);
}

static void the_last_lines_are_enough(void **state)
{
    append(path_in(state, "stdout"), "1\n2\n3\n4\n");
    struct logs *logs = logs_open(*state, false);
    reads(logs, 2, false, "==> stdout <==\n3\n4\n");
    logs_close(logs);
}

static void a_directory_that_is_not_there_is_empty(void **state)
{
    struct logs *logs = logs_open(path_in(state, "nowhere"), true);
    reads(logs, 0, true, "");
    logs_close(logs);
    logs_close(NULL);
}

static void pipes_and_directories_are_passed_over(void **state)
{
    assert_int_equal(mkfifo(path_in(state, "pipe"), 0600), 0);
    assert_int_equal(mkdir(path_in(state, "sub"), 0700), 0);
    append(path_in(state, "stdout"), "x\n");
    struct logs *logs = logs_open(*state, false);
    reads(logs, 0, true, "==> stdout <==\nx\n");
    logs_close(logs);
}

/* A checkpoint would do anything to a terminal, and says nothing; what a program prints is shown whatever it is. */
static void files_that_are_no_text_are_named_and_not_shown(void **state)
{
    static const char bytes[] = "PK\003\004\0\0data\n";
    FILE *file = fopen(path_in(state, "checkpoint"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    append(path_in(state, "later"), "");
    append(path_in(state, "notes.txt"), "caf\xe9\twas \033[1mgood\033[0m\n");
    append(path_in(state, "stdout"), "\001\002\n");
    assert_int_equal(mkdir(path_in(state, "weights"), 0700), 0);
    struct logs *logs = logs_open(*state, false);
    reads(logs, 0, true, "==> notes.txt <==\ncaf\xe9\twas \033[1mgood\033[0m\n\n==> stdout <==\n\001\002\n");
    append(path_in(state, "checkpoint"), "text\n");
    append(path_in(state, "later"), "now\n");
    reads(logs, 0, true, "\n==> later <==\nnow\n");
    json_t *others = logs_others(logs);
    char *text = json_dumps(others, JSON_COMPACT);
    assert_string_equal(text, "[\"checkpoint\",\"weights\"]");
    free(text);
    json_decref(others);
    logs_close(logs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_of_several_files_are_merged_by_time, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_comes_later_is_read_later, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(the_last_lines_are_enough, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_directory_that_is_not_there_is_empty, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(pipes_and_directories_are_passed_over, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(files_that_are_no_text_are_named_and_not_shown, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
