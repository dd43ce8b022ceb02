/* Key files that nobody else can read, and refusals that say how to mend it. */
#include "common/keys.h"
#include "tests/claims.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err err;

static void expect_unreadable(const char *path, const char *part)
{
    static const struct key_pair nothing;
    struct key_pair pair;
    memset(&pair, 'x', sizeof pair);
    assert_int_equal(keys_read(path, &pair, &err), -1);
    assert_has(err.text, part);
    assert_memory_equal(&pair, &nothing, sizeof pair);
}

static void a_pair_comes_back_as_it_was_written(void **state)
{
    struct key_pair pair, other, back;
    const char *path = path_in(state, "server.key");
    assert_int_equal(keys_make(&pair, &err), 0);
    assert_int_equal(keys_make(&other, &err), 0);
    assert_int_equal(strlen(pair.public), KEY_TEXT - 1);
    assert_int_equal(strlen(pair.secret), KEY_TEXT - 1);
    assert_string_not_equal(pair.secret, other.secret);
    assert_int_equal(keys_write(path, &pair, &err), 0);
    assert_int_equal(keys_read(path, &back, &err), 0);
    assert_memory_equal(&pair, &back, sizeof pair);
}

static void a_key_file_is_closed_to_others_whatever_the_umask(void **state)
{
    struct key_pair pair;
    struct stat at;
    const char *path = path_in(state, "server.key");
    keys_make(&pair, &err);
    for (unsigned mask = 0; mask <= 0777; mask += 0777) {
        mode_t before = umask(mask);
        int result = keys_write(path, &pair, &err);
        umask(before);
        assert_int_equal(result, 0);
        assert_int_equal(stat(path, &at), 0);
        assert_int_equal(at.st_mode & 07777, 0600);
        assert_int_equal(unlink(path), 0);
    }
}

static void a_file_that_is_there_is_not_overwritten(void **state)
{
    struct key_pair pair;
    const char *path = path_in(state, "server.key");
    keys_make(&pair, &err);
    write_file(path, "mine", 0600);
    assert_int_equal(keys_write(path, &pair, &err), -1);
    assert_has(err.text, "File exists");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/nowhere/elsewhere", path), 0);
    assert_int_equal(keys_write(path, &pair, &err), -1);
}

static void a_file_open_to_others_is_refused(void **state)
{
    struct key_pair pair;
    static const unsigned modes[] = {0644, 0640, 0604, 0610, 0620, 0602};
    const char *path = path_in(state, "server.key");
    keys_make(&pair, &err);
    assert_int_equal(keys_write(path, &pair, &err), 0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        expect_unreadable(path, "chmod 600");
    }
}

static void a_link_is_refused(void **state)
{
    struct key_pair pair;
    const char *path = path_in(state, "server.key"), *link_path = path_in(state, "link.key");
    keys_make(&pair, &err);
    assert_int_equal(keys_write(path, &pair, &err), 0);
    assert_int_equal(symlink(path, link_path), 0);
    expect_unreadable(link_path, "is a symbolic link");
}

static void a_directory_open_to_others_is_refused(void **state)
{
    struct key_pair pair;
    const char *path = path_in(state, "server.key");
    keys_make(&pair, &err);
    assert_int_equal(keys_write(path, &pair, &err), 0);
    assert_int_equal(chmod(*state, 0750), 0);
    expect_unreadable(path, "chmod 700");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(keys_write(path, &pair, &err), -1);
    assert_has(err.text, "chmod 700");
    assert_int_equal(chmod(*state, 0700), 0);
}

static void a_foreign_file_is_refused(void **state)
{
    struct key_pair pair;
    const char *path = path_in(state, "server.key");
    if (geteuid())
        skip_because("whether a key file of another user is refused: only root can make one");
    keys_make(&pair, &err);
    assert_int_equal(keys_write(path, &pair, &err), 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    expect_unreadable(path, "belongs to user 65534");
}

static void what_is_no_key_file_is_refused(void **state)
{
    struct key_pair pair;
    char text[256];
    const char *path = path_in(state, "server.key");
    static const char *const wrong[] = {"", "hello\n", "public = short\nsecret = short\n",
                                        "public = 0123456789012345678901234567890123456789"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_file(path, wrong[i], 0600);
        expect_unreadable(path, "is no key file");
    }
    keys_make(&pair, &err);
    snprintf(text, sizeof text, "public = %s\nsecret = %s\n", pair.public, pair.secret);
    text[20] = '"'; /* no character of Z85 */
    write_file(path, text, 0600);
    expect_unreadable(path, "is no key file");
    snprintf(text, sizeof text, "public = %s\nsecret = %s\nmore\n", pair.public, pair.secret);
    write_file(path, text, 0600);
    expect_unreadable(path, "is no key file");
    assert_int_equal(unlink(path), 0);
    expect_unreadable(path, "No such file");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_unreadable(path, "no regular file");
}

static void wiping_leaves_nothing(void **state)
{
    (void)state;
    static const struct key_pair nothing;
    struct key_pair pair;
    keys_make(&pair, &err);
    keys_wipe(&pair);
    assert_memory_equal(&pair, &nothing, sizeof pair);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(a_pair_comes_back_as_it_was_written),
        CLAIM(a_key_file_is_closed_to_others_whatever_the_umask),
        CLAIM(a_file_that_is_there_is_not_overwritten),
        CLAIM(a_file_open_to_others_is_refused),
        CLAIM(a_link_is_refused),
        CLAIM(a_directory_open_to_others_is_refused),
        CLAIM(a_foreign_file_is_refused),
        CLAIM(what_is_no_key_file_is_refused),
        CLAIM(wiping_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
