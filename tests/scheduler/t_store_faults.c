/* The store on disks that are full, that fail and that lose power, and on files that were damaged. */
#include "tests/bad_disk.h"
#include "tests/claims.h"
#include "tests/test_metrics.h"
#include "tests/reference.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What a reader sees of all trials, and what the model says of them. */
static json_t *seen(struct reader *reader)
{
    struct err err;
    json_t *trials = reader_trials(reader, &(struct trial_query){0}, &err);
    fine(!trials, &err);
    return trials;
}

static json_t *modelled(const struct reference *reference)
{
    json_t *trials = json_array();
    for (uint64_t trial = 1; trial <= reference_trials(reference); trial++)
        json_array_append_new(trials, reference_trial(reference, trial));
    return trials;
}

/* --- failing writes --- */

static size_t next_group(struct random_history *history, struct rng *rng, struct event *events, size_t most)
{
    size_t count = 1 + rng_below(rng, most);
    for (size_t i = 0; i < count; i++)
        events[i] = random_history_next(history);
    return count;
}

/* Any operation of any commit fails, in three ways. */
static void a_write_that_fails_leaves_nothing_and_can_be_repeated(void **state)
{
    enum { GROUPS = 250, MOST = 12 };
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC};
    static const char *const words[] = {"full", "filesystem failed", "filesystem failed"};
    char *path = mem_text(path_in(state, "a.db"));
    bad_disk_watch(path);
    struct store *store = stores_make(path);
    struct random_history *history = random_history_create(5);
    struct reference *reference = reference_create(false);
    struct rng rng = rng_make(5, "faults", 0);
    unsigned failures = 0;
    for (int group = 0; group < GROUPS; group++) {
        struct event events[MOST];
        struct err err = {0};
        size_t count = next_group(history, &rng, events, MOST), how = rng_below(&rng, 3);
        bad_disk_fail(1 + (int)rng_below(&rng, 16), codes[how], BAD_DISK_WAL);
        int failed = store_write(store, events, count, &err);
        bad_disk_mend();
        if (failed) {
            failures++;
            if (!strstr(err.text, words[how]) && !strstr(err.text, "filesystem failed"))
                fail_msg("'%s' does not say '%s'", err.text, words[how]);
            same_json(seen(store_reader(store)), modelled(reference));
            fine(store_write(store, events, count, &err), &err);
        }
        for (size_t i = 0; i < count; i++) {
            reference_take(reference, &events[i]);
            event_fini(&events[i]);
        }
        if (group % 10 == 0)
            same_json(seen(store_reader(store)), modelled(reference));
    }
    assert_true(failures > GROUPS / 4);
    store_close(store);
    store = stores_open(path);
    same_json(seen(store_reader(store)), modelled(reference));
    store_close(store);
    bad_disk_forget();
    random_history_destroy(history);
    reference_destroy(reference);
    free(path);
}

static void what_is_committed_stays_when_the_database_file_can_not_be_written(void **state)
{
    enum { GROUPS = 100, GROUP = 60 }; /* enough for checkpoints, which is when that file is written */
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    bad_disk_watch(path);
    struct store *store = stores_make(path);
    bad_disk_fail(1, SQLITE_IOERR_WRITE, BAD_DISK_DATABASE);
    for (uint64_t i = 0; i < GROUPS; i++)
        fine(stores_write(store, 1 + i * GROUP, GROUP, &err), &err);
    assert_true(bad_disk_mend());
    assert_int_equal(stores_count(store_reader(store)), GROUPS * GROUP);
    for (uint64_t i = GROUPS; i < 2 * GROUPS; i++)
        fine(stores_write(store, 1 + i * GROUP, GROUP, &err), &err);
    store_close(store);
    bad_disk_forget();
    assert_false(path_exists(path_in(state, "a.db-wal")));
    char *check = stores_sql(path, "PRAGMA integrity_check");
    assert_string_equal(check, "ok");
    free(check);
    struct reader *reader = stores_read(path);
    assert_int_equal(stores_count(reader), 2 * GROUPS * GROUP);
    reader_close(reader);
    free(path);
}

/* A real limit, as a quota is one. */
static void a_full_disk_says_so_and_the_store_goes_on_when_there_is_room(void **state)
{
    struct err err = {0};
    struct rlimit before, tight;
    struct store *store = stores_make(path_in(state, "a.db"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    tight = before;
    tight.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    uint64_t written = 0;
    while (written < 100000 && stores_write(store, written + 1, 100, &err) == 0)
        written += 100;
    int again = stores_write(store, written + 1, 100, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(again, -1);
    assert_has(err.text, "the disk or the quota is full");
    assert_int_equal(stores_count(store_reader(store)), written);
    fine(stores_write(store, written + 1, 100, &err), &err);
    assert_int_equal(stores_count(store_reader(store)), written + 100);
    store_close(store);
}

static void a_store_is_not_made_on_a_full_disk_and_leaves_nothing(void **state)
{
    const struct store_experiment experiment = {
        .name = "x", .spec = "", .metrics = metrics_min, .strategy = "random", .parameters = "[]"};
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = NULL;
    for (int after = 1; !store; after++) {
        struct err err = {0};
        bad_disk_watch(path);
        bad_disk_fail(after, SQLITE_FULL, BAD_DISK_BOTH);
        store = store_make(path, &experiment, &err);
        bad_disk_mend();
        if (!store) {
            assert_true(*err.text);
            assert_false(path_exists(path));
            assert_false(path_exists(path_in(state, "a.db-wal")));
        }
    }
    store_close(store);
    bad_disk_forget();
    free(path);
}

/* --- power --- */

/* A copy of what the power cut left is opened by a new coordinator. */
static void check_after_cut(const char *path, uint64_t before, uint64_t after)
{
    char *check = stores_sql(path, "PRAGMA integrity_check");
    assert_string_equal(check, "ok");
    free(check);
    check = stores_sql(path, "SELECT count(*) = (SELECT tells FROM progress) FROM trials t JOIN samples USING (trial)"
                             " WHERE t.ending = 0");
    assert_string_equal(check, "1");
    free(check);
    struct store *store = stores_open(path);
    uint64_t count = stores_count(store_reader(store));
    if (count != before && count != after)
        fail_msg("%u trials are there; %u were committed, %u were being written", (unsigned)count, (unsigned)before,
                 (unsigned)after);
    store_close(store);
    assert_int_equal(unlink(path), 0);
}

static void a_power_cut_loses_nothing_that_was_committed(void **state)
{
    enum { CUTS = 40, MOST = 60, OPERATIONS = 250 };
    struct err err;
    char *path = mem_text(path_in(state, "a.db")), *cut = mem_text(path_in(state, "cut.db"));
    bad_disk_watch(path);
    struct store *store = stores_make(path);
    struct rng rng = rng_make(1, "cuts", 0);
    uint64_t written = 0;
    for (int i = 0; i < CUTS; i++) {
        bad_disk_cut_power(1 + (int)rng_below(&rng, OPERATIONS), cut, (uint64_t)i);
        while (!bad_disk_is_cut()) {
            uint64_t count = 1 + rng_below(&rng, MOST);
            fine(stores_write(store, written + 1, count, &err), &err);
            if (bad_disk_is_cut())
                check_after_cut(cut, written, written + count);
            written += count;
        }
    }
    store_close(store);
    bad_disk_forget();
    free(path);
    free(cut);
}

/* --- damaged files --- */

static int look_at_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)tell, (void)err;
    ++*(int *)context;
    return 0;
}

static int look_at_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                            struct err *err)
{
    (void)trial, (void)told_before, (void)from_start, (void)err;
    *(int *)context += (int)strlen(params);
    return 0;
}

/* Whatever comes back is well; that something does come back is the claim. */
static void read_everything(const char *path)
{
    struct err err = {0};
    struct reader *reader = reader_open(path, &err);
    if (!reader) {
        assert_true(*err.text);
        return;
    }
    struct snapshot snapshot;
    int looked = 0;
    json_decref(reader_trials(reader, &(struct trial_query){0}, &err));
    json_decref(reader_trials(reader, &(struct trial_query){.by_value = true, .limit = 5}, &err));
    json_decref(reader_trials(reader, &(struct trial_query){.state = TRIAL_RUNNING + 1}, &err));
    json_decref(reader_best(reader, &err));
    for (uint64_t trial = 1; trial < 6; trial++)
        json_decref(reader_show(reader, trial, &err));
    json_decref(reader_experiment(reader, &err));
    json_decref(reader_events(reader, 0, &err));
    json_decref(reader_phases(reader, 1, &err));
    reader_snapshot(reader, &snapshot, &err);
    snapshot_fini(&snapshot);
    reader_replay(reader, &(struct replay_visitor){&looked, look_at_proposal, look_at_tell, NULL, NULL, NULL}, &err);
    reader_close(reader);
}

static void write_something(const char *path)
{
    struct err err = {0};
    struct memory memory;
    struct store *store = store_open(path, &err);
    if (!store) {
        assert_true(*err.text);
        return;
    }
    if (store_recall(store, &memory, &err) == 0)
        memory_fini(&memory);
    stores_write(store, 100000, 3, &err);
    store_close(store);
}

static void make_rich_store(const char *path)
{
    struct store *store = stores_make(path);
    struct random_history *history = random_history_create(9);
    struct err err;
    for (int i = 0; i < 300; i++) {
        struct event event = random_history_next(history);
        fine(store_write(store, &event, 1, &err), &err);
        event_fini(&event);
    }
    random_history_destroy(history);
    store_close(store);
}

static void put_bytes(const char *path, const struct buf *bytes, size_t length)
{
    struct err err;
    fine(path_write(path, bytes->data, length, 0600, &err), &err);
}

static void damaged_files_give_sentences(void **state)
{
    enum { ROUNDS = 100, MOST_FLIPS = 40 };
    struct buf whole = {0};
    struct err err;
    struct rng rng = rng_make(3, "damage", 0);
    char *path = mem_text(path_in(state, "a.db"));
    make_rich_store(path);
    fine(path_read(path, &whole, 100 << 20, &err), &err);
    for (int round = 0; round < ROUNDS; round++) {
        struct buf damaged = {0};
        buf_add(&damaged, whole.data, whole.length);
        /* The first page holds the schema: it gets its share. */
        size_t reach = rng_below(&rng, 3) ? whole.length : 4096;
        for (uint64_t flips = 1 + rng_below(&rng, MOST_FLIPS); flips; flips--)
            damaged.data[rng_below(&rng, reach)] = (char)rng_next(&rng);
        put_bytes(path, &damaged, rng_below(&rng, 8) ? damaged.length : rng_below(&rng, damaged.length));
        read_everything(path);
        write_something(path);
        read_everything(path);
        buf_fini(&damaged);
        unlink(path_in(state, "a.db-wal"));
        unlink(path_in(state, "a.db-shm"));
    }
    buf_fini(&whole);
    free(path);
}

/* Values that no column should have, in a file that is sound for SQLite. */
static void odd_values_give_sentences(void **state)
{
    static const char *const spoils[] = {
        "UPDATE trials SET ending = 77 WHERE trial % 2",
        "UPDATE trials SET ending = 'crashed', value = 'high', params = x'ff00fe', told = -5",
        "UPDATE trials SET params = '[1, 2', proposed = 9e999, ended = -9e999, seconds = 'x'",
        "UPDATE trials SET params = '{\"a\": 1e999}', told = NULL",
        "UPDATE runs SET worker = 9e18, slot = -1, leased = 'now', ending = -3, started = 1e300",
        "UPDATE samples SET metric = number * 1000003, step = 'x', value = 'y'",
        "UPDATE runs SET profile = '[[99,5,1],[0,-5,1],[1,2,3' WHERE trial % 2",
        "UPDATE runs SET profile = x'5b005d'",
        "UPDATE runs SET profile = '[[0,99999999999999999999999,1],[1],[],[[2,3,4]]'",
        "UPDATE metrics SET name = CAST(x'fffe' || metric AS TEXT)",
        "UPDATE endings SET name = CAST(x'ff' AS TEXT), state = 'asleep'",
        "UPDATE slots SET cpus = '0-99999999999999999999,-5--3,,x', gpus = '3-1'",
        "INSERT INTO workers (worker, number) VALUES (0, 7)",
        "UPDATE progress SET best_trial = 9e18, best = 'good', tells = -1, held = 'x'",
        "UPDATE progress SET reason = ''",
        "UPDATE workers SET node = CAST(x'ff' AS TEXT), pid = -1",
        "UPDATE parameters SET definition = '['",
        "UPDATE experiment SET goal = 5, seed = 'x', spec = CAST(x'ff' AS TEXT)",
        "DROP VIEW v_trials; CREATE VIEW v_trials AS SELECT load_extension('/nowhere') AS trial",
        "CREATE TRIGGER t AFTER UPDATE ON progress BEGIN DELETE FROM trials; END",
    };
    struct buf whole = {0};
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    make_rich_store(path);
    fine(path_read(path, &whole, 100 << 20, &err), &err);
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        put_bytes(path, &whole, whole.length);
        free(stores_sql(path, spoils[i]));
        read_everything(path);
        write_something(path);
        read_everything(path);
    }
    char *left = stores_sql(path, "SELECT count(*) > 0 FROM trials");
    assert_string_equal(left, "1"); /* the trigger was not run */
    free(left);
    buf_fini(&whole);
    free(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_write_that_fails_leaves_nothing_and_can_be_repeated, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(what_is_committed_stays_when_the_database_file_can_not_be_written,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_full_disk_says_so_and_the_store_goes_on_when_there_is_room, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_store_is_not_made_on_a_full_disk_and_leaves_nothing, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_power_cut_loses_nothing_that_was_committed, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(damaged_files_give_sentences, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(odd_values_give_sentences, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
