/* Readers beside the writer: what they see is whole, they wait for nobody, and they don't make the WAL grow for ever.
 */
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/path.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUP = 10 };

/* --- whole --- */

struct watcher {
    const char *path;
    atomic_bool done; /* the writer has ended */
    unsigned looks;
    const char *wrong; /* what was not whole; NULL: nothing */
};

static const char *wrong_about(const json_t *trial, size_t number)
{
    const char *state = json_string_value(json_object_get(trial, "state"));
    if (json_integer_value(json_object_get(trial, "trial")) != (json_int_t)number)
        return "a trial is missing";
    if (!state || strcmp(state, "completed") != 0)
        return "a trial has no end";
    if (json_object_size(json_object_get(trial, "metrics")) != 1)
        return "a trial has no metric";
    return json_object_size(json_object_get(trial, "profile")) == 3 ? NULL : "a trial has no profile";
}

/* Each commit is GROUP trials from beginning to end: anything else is a commit in half. */
static const char *look(struct reader *reader, size_t *count)
{
    struct err err;
    json_t *trials = reader_trials(reader, &(struct trial_query){0}, &err);
    size_t before = *count;
    *count = json_array_size(trials);
    const char *wrong = !trials           ? "reading failed"
                        : *count % GROUP  ? "a commit is there in half"
                        : *count < before ? "a trial has gone"
                                          : NULL;
    for (size_t i = 0; !wrong && i < *count; i++)
        wrong = wrong_about(json_array_get(trials, i), i + 1);
    json_decref(trials);
    return wrong;
}

static void *watch(void *context)
{
    struct watcher *watcher = context;
    struct err err;
    struct reader *reader = reader_open(watcher->path, &err);
    watcher->wrong = reader ? NULL : "the store can't be opened";
    size_t count = 0;
    for (bool last = false; !last && !watcher->wrong; watcher->looks++) {
        last = atomic_load(&watcher->done);
        watcher->wrong = look(reader, &count);
    }
    reader_close(reader);
    return NULL;
}

static void a_reader_sees_whole_commits_while_they_are_written(void **state)
{
    enum { GROUPS = 60 };
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    struct watcher watcher = {.path = path};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
    for (uint64_t i = 0; i < GROUPS; i++)
        fine(stores_write(store, 1 + i * GROUP, GROUP, &err), &err);
    atomic_store(&watcher.done, true);
    pthread_join(thread, NULL);
    if (watcher.wrong)
        fail_msg("%s", watcher.wrong);
    assert_true(watcher.looks > 1);
    store_close(store);
    free(path);
}

static void a_reader_that_stays_open_sees_what_comes_later(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    struct reader *reader = stores_read(path);
    fine(stores_write(store, 1, GROUP, &err), &err);
    assert_int_equal(stores_count(reader), GROUP);
    store_close(store);
    store = stores_open(path);
    fine(stores_write(store, 1 + GROUP, GROUP, &err), &err);
    assert_int_equal(stores_count(reader), 2 * GROUP);
    reader_close(reader);
    store_close(store);
    free(path);
}

/* --- rest --- */

static void a_reader_holds_nothing_between_its_calls(void **state)
{
    struct err err;
    struct store *store = stores_make(path_in(state, "a.db"));
    struct reader *reader = stores_read(path_in(state, "a.db"));
    fine(stores_write(store, 1, GROUP, &err), &err);
    assert_int_equal(stores_count(reader), GROUP);
    store_close(store);
    assert_false(path_exists(path_in(state, "a.db-wal")));
    assert_int_equal(stores_count(reader), GROUP);
    assert_false(path_exists(path_in(state, "a.db-wal")));
    reader_close(reader);
}

static void a_store_is_whole_without_its_wal_though_somebody_has_it_open(void **state)
{
    struct err err;
    struct stat info;
    sqlite3 *other;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, GROUP, &err), &err);
    assert_int_equal(sqlite3_open_v2(path_in(state, "a.db"), &other, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "SELECT count(*) FROM trials", NULL, NULL, NULL), SQLITE_OK);
    store_close(store);
    assert_int_equal(stat(path_in(state, "a.db-wal"), &info), 0);
    assert_int_equal(info.st_size, 0);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
}

/* Whoever reads, and is gone once the store has waited a little. */
static sqlite3 *passing;

static int leave_while_others_wait(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    sqlite3_close(passing);
    passing = NULL;
    return microseconds;
}

static void a_store_is_one_plain_file_once_who_read_at_its_end_has_gone(void **state)
{
    struct err err;
    struct stat info;
    struct store *store = stores_make(path_in(state, "a.db"));
    fine(stores_write(store, 1, GROUP, &err), &err);
    assert_int_equal(sqlite3_open_v2(path_in(state, "a.db"), &passing, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(passing, "SELECT count(*) FROM trials", NULL, NULL, NULL), SQLITE_OK);
    stores_wait_by(leave_while_others_wait);
    store_close(store);
    stores_wait_by(NULL);
    assert_null(passing);
    assert_int_equal(stat(path_in(state, "a.db-wal"), &info), -1);
    assert_int_equal(stat(path_in(state, "a.db-shm"), &info), -1);
    struct reader *reader = stores_read(path_in(state, "a.db"));
    assert_int_equal(stores_count(reader), GROUP);
    reader_close(reader);
}

/* --- the WAL --- */

static long long wal_size(void **state)
{
    struct stat info;
    assert_int_equal(stat(path_in(state, "a.db-wal"), &info), 0);
    return info.st_size;
}

static void write_more(struct store *store, uint64_t *trials, unsigned groups)
{
    enum { LARGE = 100 };
    struct err err;
    for (unsigned i = 0; i < groups; i++, *trials += LARGE)
        fine(stores_write(store, 1 + *trials, LARGE, &err), &err);
}

static void the_wal_stays_small(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    uint64_t trials = 0;
    write_more(store, &trials, 200);
    assert_true(wal_size(state) < 8 << 20);
    store_close(store);
}

/* A reader in the middle of a reading keeps the WAL from beginning anew; when it ends, the WAL is used again. */
static void the_wal_stops_growing_when_a_slow_reader_has_ended(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    uint64_t trials = 0;
    sqlite3 *slow;
    write_more(store, &trials, 1);
    assert_int_equal(sqlite3_open_v2(path_in(state, "a.db"), &slow, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(slow, "BEGIN; SELECT count(*) FROM trials", NULL, NULL, NULL), SQLITE_OK);
    write_more(store, &trials, 200);
    long long grown = wal_size(state);
    assert_true(grown > 5 << 20);
    assert_int_equal(sqlite3_exec(slow, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    write_more(store, &trials, 400);
    assert_true(wal_size(state) < grown + (8 << 20));
    assert_int_equal(sqlite3_close(slow), SQLITE_OK);
    store_close(store);
}

/* --- locks --- */

/* Closing any descriptor of a file drops all locks that the process has on it: a reader must not do that to the store.
 */
static unsigned count_locks(const char *path)
{
    struct stat info;
    char line[256];
    unsigned count = 0;
    assert_int_equal(stat(path, &info), 0);
    FILE *locks = fopen("/proc/locks", "r");
    while (locks && fgets(line, sizeof line, locks)) {
        int owner;
        unsigned long long inode; /* other file systems, too, have a file of this number */
        count += sscanf(line, "%*s %*s %*s %*s %d %*x:%*x:%llu", &owner, &inode) == 2 && owner == getpid() &&
                 inode == info.st_ino;
    }
    if (locks)
        fclose(locks);
    return count;
}

static void a_reader_of_the_same_process_leaves_the_store_its_locks(void **state)
{
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    unsigned before = count_locks(path);
    if (!before)
        skip_because("the locks of a store: /proc/locks does not show them here");
    reader_close(stores_read(path));
    assert_int_equal(count_locks(path), before);
    store_close(store);
    free(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reader_sees_whole_commits_while_they_are_written, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_reader_that_stays_open_sees_what_comes_later, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_reader_holds_nothing_between_its_calls, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_store_is_whole_without_its_wal_though_somebody_has_it_open, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_store_is_one_plain_file_once_who_read_at_its_end_has_gone, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(the_wal_stays_small, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(the_wal_stops_growing_when_a_slow_reader_has_ended, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_reader_of_the_same_process_leaves_the_store_its_locks, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
