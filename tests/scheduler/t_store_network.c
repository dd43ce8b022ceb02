/* Stores where nothing can be shared: on network filesystems, and in directories that can't be written. */
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/network_disk.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void network_filesystems_are_known_by_their_numbers(void **state)
{
    (void)state;
    assert_true(network_disk_is(0x6969));
    assert_true(network_disk_is(0x0bd00bd0));
    assert_true(network_disk_is((unsigned long)(int)0xff534d42)); /* as a signed 32-bit field gives it */
    assert_false(network_disk_is(0xef53));                        /* ext4 */
    assert_false(network_disk_is(0x01021994));                    /* tmpfs */
}

static int as_on_a_network(void **state)
{
    setenv("GANNET_STORE_LOCKING", "exclusive", 1);
    return enter_scratch(state);
}

static int as_before(void **state)
{
    unsetenv("GANNET_STORE_LOCKING");
    return leave_scratch(state);
}

static void a_wrong_locking_is_refused_with_the_right_ones(void **state)
{
    struct err err;
    store_close(stores_make(path_in(state, "a.db")));
    setenv("GANNET_STORE_LOCKING", "none", 1);
    assert_null(store_open(path_in(state, "a.db"), &err));
    assert_has(err.text, "exclusive or shared");
}

static void on_a_network_filesystem_the_store_locks_the_file_for_itself(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    assert_true(store_is_exclusive(store));
    fine(stores_write(store, 1, 3, &err), &err);
    assert_false(path_exists(path_in(state, "a.db-shm")));
    assert_int_equal(stores_count(store_reader(store)), 3);
    store_close(store);
    struct reader *reader = stores_read(path_in(state, "a.db"));
    assert_int_equal(stores_count(reader), 3);
    reader_close(reader);
}

static void a_local_store_is_shared(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    assert_false(store_is_exclusive(store));
    store_close(store);
}

/* Copies a file as it is, as if its writer had been killed. */
static void copy(const char *from, const char *to)
{
    struct buf bytes = {0};
    struct err err;
    fine(path_read(from, &bytes, 100 << 20, &err) || path_write(to, bytes.data, bytes.length, 0600, &err), &err);
    buf_fini(&bytes);
}

static void what_a_killed_writer_left_is_read_on_a_network_filesystem_too(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, 3, &err), &err);
    copy(path_in(state, "a.db"), path_in(state, "b.db"));
    copy(path_in(state, "a.db-wal"), path_in(state, "b.db-wal"));
    struct reader *reader = stores_read(path_in(state, "b.db"));
    assert_int_equal(stores_count(reader), 3);
    reader_close(reader);
    assert_true(path_exists(path_in(state, "b.db-wal")));
    assert_false(path_exists(path_in(state, "b.db-shm")));
    store_close(store);
}

static void a_store_without_a_wal_is_read_where_nothing_can_be_written(void **state)
{
    if (geteuid() == 0)
        skip_because("a directory that can't be written: root can write every one");
    struct err err;
    char *inner = mem_text(path_in(state, "inner"));
    assert_int_equal(mkdir(inner, 0700), 0);
    struct store *store = stores_make(path_in(state, "inner/a.db"));
    fine(stores_write(store, 1, 3, &err), &err);
    store_close(store);
    free(stores_sql(path_in(state, "inner/a.db"), "PRAGMA journal_mode = WAL")); /* as a copy of a live one is */
    assert_int_equal(chmod(inner, 0500), 0);
    struct reader *reader = stores_read(path_in(state, "inner/a.db"));
    assert_int_equal(stores_count(reader), 3);
    reader_close(reader);
    assert_int_equal(chmod(inner, 0700), 0);
    free(inner);
}

static void a_store_that_is_locked_for_its_writer_says_so(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    assert_int_equal(unsetenv("GANNET_STORE_LOCKING"), 0); /* also for who does not know */
    assert_null(reader_open(path_in(state, "a.db"), &err));
    assert_has(err.text, "locked");
    assert_has(err.text, "coordinator");
    store_close(store);
}

/* Somebody who has the file locked until others have waited for twenty seconds, which none of them takes. */
static struct {
    sqlite3 *file;
    int microseconds;
} reading;

static int wait_in_thought(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    reading.microseconds += microseconds;
    if (reading.microseconds > 20000000) {
        sqlite3_close(reading.file);
        reading.file = NULL;
    }
    return microseconds;
}

static void whoever_writes_waits_long_for_those_who_read(void **state)
{
    struct err err;
    store_close(stores_make(path_in(state, "a.db")));
    assert_int_equal(sqlite3_open(path_in(state, "a.db"), &reading.file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reading.file, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    stores_wait_by(wait_in_thought);
    struct store *store = store_open(path_in(state, "a.db"), &err);
    fine(store ? 0 : -1, &err);
    stores_wait_by(NULL);
    assert_null(reading.file);
    fine(stores_write(store, 1, 3, &err), &err);
    store_close(store);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
#define ON_NETWORK(test) cmocka_unit_test_setup_teardown(test, as_on_a_network, as_before)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_filesystems_are_known_by_their_numbers),
        ON_NETWORK(a_wrong_locking_is_refused_with_the_right_ones),
        ON_NETWORK(on_a_network_filesystem_the_store_locks_the_file_for_itself),
        IN_SCRATCH(a_local_store_is_shared),
        ON_NETWORK(what_a_killed_writer_left_is_read_on_a_network_filesystem_too),
        IN_SCRATCH(a_store_without_a_wal_is_read_where_nothing_can_be_written),
        ON_NETWORK(a_store_that_is_locked_for_its_writer_says_so),
        ON_NETWORK(whoever_writes_waits_long_for_those_who_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
