/* A store whose file is taken away, or written by somebody else, while it is being written. */
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A store with 5 trials in it, in a directory of its own. */
static struct store *make_filled(void **state)
{
    struct err err;
    fine(path_make_directory(path_in(state, "run"), 0700, &err), &err);
    struct store *store = stores_make(path_in(state, "run/gannet.db"));
    fine(stores_write(store, 1, 5, &err), &err);
    assert_false(store_is_lost(store));
    return store;
}

/* The next commit notices it, says `words`, and what was recorded is in `copy`: trials 1 to 6, the last one by that
 * commit. */
static void expect_lost(void **state, struct store *store, const char *words, const char *copy)
{
    struct err err = {0};
    assert_int_equal(stores_write(store, 6, 1, &err), -1);
    assert_true(store_is_lost(store));
    assert_has(err.text, words);
    assert_has(err.text, "--resume");
    assert_int_equal(stores_write(store, 7, 1, &err), -1);
    store_close(store);
    struct reader *reader = stores_read(path_in(state, copy));
    assert_int_equal(stores_count(reader), 6);
    reader_close(reader);
    struct store *again = stores_open(path_in(state, copy));
    fine(stores_write(again, 7, 2, &err), &err);
    store_close(again);
}

static void move(void **state, const char *from, const char *to)
{
    char *old = mem_text(path_in(state, from));
    assert_int_equal(rename(old, path_in(state, to)), 0);
    free(old);
}

static void a_removed_store_is_kept_as_a_copy(void **state)
{
    struct store *store = make_filled(state);
    unlink(path_in(state, "run/gannet.db"));
    expect_lost(state, store, "removed", "run/gannet.rescued-1.db");
}

static void a_replaced_store_is_kept_beside_the_new_one(void **state)
{
    struct store *store = make_filled(state);
    store_close(stores_make(path_in(state, "other.db")));
    move(state, "other.db", "run/gannet.db");
    expect_lost(state, store, "replaced by another file", "run/gannet.rescued-1.db");
    struct reader *reader = stores_read(path_in(state, "run/gannet.db"));
    assert_int_equal(stores_count(reader), 0);
    reader_close(reader);
}

static void a_copy_never_overwrites_an_earlier_one(void **state)
{
    struct store *store = make_filled(state);
    close(open(path_in(state, "run/gannet.rescued-1.db"), O_CREAT | O_WRONLY, 0600));
    unlink(path_in(state, "run/gannet.db"));
    expect_lost(state, store, "rescued-2.db", "run/gannet.rescued-2.db");
}

static void when_the_whole_directory_is_removed_the_copy_lies_beside_it(void **state)
{
    struct store *store = make_filled(state);
    struct err err;
    fine(path_remove_tree(path_in(state, "run"), &err), &err);
    expect_lost(state, store, "removed", "run.rescued-1.db");
}

static void without_its_write_ahead_log_the_store_itself_has_all(void **state)
{
    struct store *store = make_filled(state);
    unlink(path_in(state, "run/gannet.db-wal"));
    expect_lost(state, store, "write-ahead log", "run/gannet.db");
}

/* Overwrites a file with the content of another, as cp does. */
static void overwrite(void **state, const char *name, const char *with)
{
    struct buf bytes = {0};
    struct err err;
    fine(path_read(path_in(state, with), &bytes, 1 << 24, &err), &err);
    int fd = open(path_in(state, name), O_WRONLY | O_TRUNC);
    assert_int_equal(path_write_all(fd, bytes.data, bytes.length), 0);
    close(fd);
    buf_fini(&bytes);
}

static void an_overwritten_store_ends_the_search_too(void **state)
{
    struct store *store = make_filled(state);
    struct err err = {0};
    close(open(path_in(state, "nothing"), O_CREAT | O_WRONLY, 0600));
    free(stores_sql(path_in(state, "run/gannet.db"), "PRAGMA wal_checkpoint(FULL)"));
    fine(stores_write(store, 6, 1, &err), &err);
    overwrite(state, "run/gannet.db", "nothing");
    assert_int_equal(stores_write(store, 7, 1, &err), -1);
    assert_true(store_is_lost(store));
    assert_has(err.text, "overwritten by another program");
    store_close(store);
}

/* Its first page, and so what it is of, is as it was; a page of rows is not. */
static void a_damaged_copy_of_itself_is_not_taken_for_the_store(void **state)
{
    struct store *store = make_filled(state);
    struct buf bytes = {0};
    struct err err = {0};
    const char *path = path_in(state, "run/gannet.db");
    for (uint64_t i = 0; i < 5; i++)
        fine(stores_write(store, 6 + 200 * i, 200, &err), &err);
    free(stores_sql(path, "PRAGMA wal_checkpoint(TRUNCATE)"));
    fine(stores_write(store, 1006, 1, &err), &err);
    fine(path_read(path, &bytes, 1 << 24, &err), &err);
    char *page = stores_sql(path, "SELECT (rootpage - 1) * page_size FROM sqlite_schema, pragma_page_size"
                                  " WHERE name = 'trials'");
    size_t at = (size_t)atoi(page);
    assert_true(at > 0 && at + 4096 <= bytes.length);
    memset(bytes.data + at, 0x5a, 4096);
    int fd = open(path, O_WRONLY);
    assert_int_equal(path_write_all(fd, bytes.data, bytes.length), 0);
    close(fd);
    assert_int_equal(stores_write(store, 1007, 1, &err), -1);
    assert_true(store_is_lost(store));
    assert_has(err.text, "overwritten by another program");
    store_close(store);
    buf_fini(&bytes);
    free(page);
}

static void when_no_copy_can_be_made_that_is_said(void **state)
{
    enum { COPIES = 100 };
    struct store *store = make_filled(state);
    struct err err = {0};
    for (int i = 1; i <= COPIES; i++) {
        char name[48];
        snprintf(name, sizeof name, "run/gannet.rescued-%d.db", i);
        close(open(path_in(state, name), O_CREAT | O_WRONLY, 0600));
    }
    unlink(path_in(state, "run/gannet.db"));
    assert_int_equal(stores_write(store, 6, 1, &err), -1);
    assert_true(store_is_lost(store));
    assert_has(err.text, "could not be copied: no file can be made beside it");
    assert_has(err.text, "Put the file back");
    store_close(store);
}

static void a_store_of_another_name_has_its_copy_beside_it(void **state)
{
    struct err err;
    fine(path_make_directory(path_in(state, "run"), 0700, &err), &err);
    struct store *store = stores_make(path_in(state, "run/search"));
    fine(stores_write(store, 1, 5, &err), &err);
    unlink(path_in(state, "run/search"));
    expect_lost(state, store, "removed", "run/search.rescued-1.db");
}

/* Where the file is locked for its writer nobody else can have written it, whatever its time says. */
static void a_new_time_of_a_locked_store_does_no_harm(void **state)
{
    setenv("GANNET_STORE_LOCKING", "exclusive", 1);
    struct store *store = make_filled(state);
    unsetenv("GANNET_STORE_LOCKING");
    struct err err;
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path_in(state, "run/gannet.db"), times, 0), 0);
    fine(stores_write(store, 6, 1, &err), &err);
    assert_false(store_is_lost(store));
    store_close(store);
}

static void a_checkpoint_by_another_program_does_no_harm(void **state)
{
    struct store *store = make_filled(state);
    struct err err;
    free(stores_sql(path_in(state, "run/gannet.db"), "PRAGMA wal_checkpoint(FULL)"));
    fine(stores_write(store, 6, 1, &err), &err);
    fine(stores_write(store, 7, 1, &err), &err);
    assert_false(store_is_lost(store));
    store_close(store);
}

static void our_own_checkpoints_are_nobody_elses(void **state)
{
    struct store *store = make_filled(state);
    struct err err;
    for (uint64_t i = 0; i < 40; i++)
        fine(stores_write(store, 6 + 200 * i, 200, &err), &err);
    assert_false(store_is_lost(store));
    store_close(store);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_removed_store_is_kept_as_a_copy),
        IN_SCRATCH(a_replaced_store_is_kept_beside_the_new_one),
        IN_SCRATCH(a_copy_never_overwrites_an_earlier_one),
        IN_SCRATCH(when_the_whole_directory_is_removed_the_copy_lies_beside_it),
        IN_SCRATCH(without_its_write_ahead_log_the_store_itself_has_all),
        IN_SCRATCH(an_overwritten_store_ends_the_search_too),
        IN_SCRATCH(a_damaged_copy_of_itself_is_not_taken_for_the_store),
        IN_SCRATCH(when_no_copy_can_be_made_that_is_said),
        IN_SCRATCH(a_store_of_another_name_has_its_copy_beside_it),
        IN_SCRATCH(a_new_time_of_a_locked_store_does_no_harm),
        IN_SCRATCH(a_checkpoint_by_another_program_does_no_harm),
        IN_SCRATCH(our_own_checkpoints_are_nobody_elses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
