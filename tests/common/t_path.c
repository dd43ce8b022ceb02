/* Files and directories. */
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err err;

/* The text is freed. */
static void assert_path(char *path, const char *expected)
{
    assert_string_equal(path, expected);
    free(path);
}

static unsigned mode_of(const char *path)
{
    struct stat at;
    assert_int_equal(lstat(path, &at), 0);
    return at.st_mode & 07777;
}

static void paths_are_joined_by_one_slash(void **state)
{
    (void)state;
    assert_path(path_join("a", "b"), "a/b");
    assert_path(path_join("a/", "b"), "a/b");
    assert_path(path_join("/", "b"), "/b");
    assert_path(path_join("a", "/b"), "/b");
    assert_path(path_join("", "b"), "b");
}

static void a_path_is_parted_into_directory_and_name(void **state)
{
    (void)state;
    assert_path(path_directory("a/b/c"), "a/b");
    assert_path(path_directory("c"), ".");
    assert_path(path_directory("/c"), "/");
    assert_path(path_directory("a//c"), "a");
    assert_string_equal(path_base("a/b/c"), "c");
    assert_string_equal(path_base("c"), "c");
    assert_string_equal(path_base("a/"), "");
}

static void a_relative_path_starts_where_we_are(void **state)
{
    char here[4096], expected[5000];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "%s/a/../b", here);
    assert_path(path_absolute("a/../b"), expected);
    assert_path(path_absolute("/a"), "/a");
}

static void directories_are_made_with_those_above(void **state)
{
    mode_t before = umask(022);
    const char *path = path_in(state, "a/b/c");
    assert_int_equal(path_make_directory(path, 0700, &err), 0);
    assert_int_equal(path_make_directory(path, 0700, &err), 0);
    assert_int_equal(mode_of(path), 0700);
    assert_int_equal(mode_of(path_in(state, "a")), 0755);
    assert_int_equal(path_make_directory(path_in(state, "d/"), 0755, &err), 0);
    umask(before);
}

static void a_file_in_the_way_of_a_directory_is_named(void **state)
{
    write_file(path_in(state, "file"), "", 0600);
    assert_int_equal(path_make_directory(path_in(state, "file"), 0700, &err), -1);
    assert_has(err.text, "Not a directory");
    assert_int_equal(path_make_directory(path_in(state, "file/below"), 0700, &err), -1);
    assert_has(err.text, "/file'");
}

static void a_private_directory_is_ours_alone(void **state)
{
    static const unsigned open[] = {0755, 0750, 0701, 0777, 0720};
    assert_int_equal(path_check_private(*state, &err), 0);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        assert_int_equal(chmod(*state, open[i]), 0);
        assert_int_equal(path_check_private(*state, &err), -1);
        assert_has(err.text, "chmod 700");
    }
    assert_int_equal(chmod(*state, 0700), 0);
    assert_int_equal(symlink(*state, path_in(state, "link")), 0);
    assert_int_equal(path_check_private(path_in(state, "link"), &err), -1);
    assert_has(err.text, "symbolic link");
    write_file(path_in(state, "file"), "", 0600);
    assert_int_equal(path_check_private(path_in(state, "file"), &err), -1);
    assert_int_equal(path_check_private(path_in(state, "nothing"), &err), -1);
    assert_has(err.text, "No such file");
}

static void a_foreign_directory_is_not_private(void **state)
{
    if (geteuid())
        skip_because("whether a directory of another user is refused: only root can make one");
    const char *path = path_in(state, "theirs");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(path_check_private(path, &err), -1);
    assert_has(err.text, "belongs to user 65534");
}

static void a_file_comes_back_as_it_was_written(void **state)
{
    struct buf back = {0};
    const char *path = path_in(state, "file");
    size_t length = 100000;
    char *bytes = test_malloc(length);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(i * 7);
    assert_int_equal(path_write(path, bytes, length, 0640, &err), 0);
    assert_int_equal(mode_of(path), 0640);
    buf_text(&back, "what was there before");
    assert_int_equal(path_read(path, &back, length, &err), 0);
    assert_int_equal(back.length, length);
    assert_memory_equal(back.data, bytes, length);
    assert_int_equal(path_read(path, &back, length - 1, &err), -1);
    assert_has(err.text, "is larger than 99999 bytes");
    test_free(bytes);
    buf_fini(&back);
}

static void a_file_is_replaced_at_once_and_leaves_no_other(void **state)
{
    struct buf back = {0};
    const char *path = path_in(state, "file"), *other = path_in(state, "other");
    write_file(path, "old", 0644);
    int old = open(path, O_RDONLY);
    assert_int_equal(path_write(path, "new", 3, 0600, &err), 0);
    char text[8] = "";
    assert_int_equal(read(old, text, sizeof text), 3); /* who has the old one open still reads it whole */
    assert_string_equal(text, "old");
    close(old);
    assert_int_equal(path_read(path, &back, 100, &err), 0);
    assert_string_equal(buf_str(&back), "new");
    assert_int_equal(mode_of(path), 0600);
    buf_fini(&back);
    write_file(other, "untouched", 0600);
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(path_write(path, "", 0, 0600, &err), 0);
    assert_int_equal(path_read(other, &back, 100, &err), 0);
    assert_string_equal(buf_str(&back), "untouched");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(rmdir(*state), 0); /* nothing else is there */
    assert_int_equal(mkdir(*state, 0700), 0);
    buf_fini(&back);
}

static void what_can_not_be_read_or_written_is_named(void **state)
{
    struct buf back = {0};
    assert_int_equal(path_read(path_in(state, "nothing"), &back, 10, &err), -1);
    assert_has(err.text, "nothing': No such file");
    assert_int_equal(path_read(*state, &back, 10, &err), -1);
    assert_has(err.text, "Is a directory");
    assert_int_equal(path_write(path_in(state, "no/where"), "x", 1, 0600, &err), -1);
    assert_has(err.text, "can't write");
    buf_fini(&back);
}

static void what_a_person_names_as_an_output_stays_what_it_is(void **state)
{
    char *file = mem_text(path_in(state, "file")), *link = mem_text(path_in(state, "link"));
    struct stat at;
    struct buf back = {0};
    assert_int_equal(path_put("/dev/null", "x", 1, 0644, &err), 0);
    assert_int_equal(stat("/dev/null", &at), 0);
    assert_true(S_ISCHR(at.st_mode));
    assert_int_equal(path_put("/dev/full", "x", 1, 0644, &err), -1);
    assert_has(err.text, "No space left");
    assert_int_equal(path_write(file, "old", 3, 0644, &err), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(path_put(link, "new", 3, 0644, &err), 0);
    assert_int_equal(lstat(link, &at), 0);
    assert_true(S_ISLNK(at.st_mode));
    assert_int_equal(path_read(file, &back, 10, &err), 0);
    assert_string_equal(buf_str(&back), "new");
    buf_fini(&back);
    free(file);
    free(link);
}

static void links_to_nowhere_exist(void **state)
{
    assert_false(path_exists(path_in(state, "link")));
    assert_int_equal(symlink("/nowhere/at/all", path_in(state, "link")), 0);
    assert_true(path_exists(path_in(state, "link")));
}

static void a_tree_is_removed_and_nothing_outside_it(void **state)
{
    const char *tree = path_in(state, "tree"), *kept = path_in(state, "kept");
    char deep[3000];
    assert_int_equal(path_make_directory(kept, 0700, &err), 0);
    write_file(path_in(state, "kept/file"), "", 0600);
    snprintf(deep, sizeof deep, "%s", tree);
    for (int i = 0; i < 200; i++) /* deeper than descriptors are kept open */
        strcat(deep, "/d");
    assert_int_equal(path_make_directory(deep, 0700, &err), 0);
    assert_int_equal(symlink(kept, strcat(deep, "/link")), 0);
    assert_int_equal(path_remove_tree(tree, &err), 0);
    assert_false(path_exists(tree));
    assert_true(path_exists(path_in(state, "kept/file")));
    assert_int_equal(path_remove_tree(tree, &err), 0);
}

static void our_own_program_is_found(void **state)
{
    (void)state;
    char *directory = path_program_directory(), *program = path_join(directory, "t_path");
    assert_int_equal(access(program, X_OK), 0);
    free(program);
    free(directory);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(paths_are_joined_by_one_slash),
        CLAIM(a_path_is_parted_into_directory_and_name),
        CLAIM(a_relative_path_starts_where_we_are),
        CLAIM(directories_are_made_with_those_above),
        CLAIM(a_file_in_the_way_of_a_directory_is_named),
        CLAIM(a_private_directory_is_ours_alone),
        CLAIM(a_foreign_directory_is_not_private),
        CLAIM(a_file_comes_back_as_it_was_written),
        CLAIM(a_file_is_replaced_at_once_and_leaves_no_other),
        CLAIM(what_can_not_be_read_or_written_is_named),
        CLAIM(what_a_person_names_as_an_output_stays_what_it_is),
        CLAIM(links_to_nowhere_exist),
        CLAIM(a_tree_is_removed_and_nothing_outside_it),
        CLAIM(our_own_program_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
