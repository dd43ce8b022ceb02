/* Stores that lose a table, or columns, while they are open: whatever reads or writes says so in a sentence, and goes
 * on with the rest. */
#include "common/mem.h"
#include "scheduler/store/store.h"
#include "tests/claims.h"
#include "tests/damaged_store.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include <sqlite3.h>
#include <stdlib.h>

static const char *const tables[] = {
#define TABLE(name, help) #name,
#define COLUMN(table, name, type, help)
#define END(name, key, suffix)
#include "scheduler/store/schema_list.h"
#undef TABLE
#undef COLUMN
#undef END
};
enum { TABLES = sizeof tables / sizeof *tables };

static const char *const columns[][2] = {
#define TABLE(name, help)
#define COLUMN(table, name, type, help) {#table, #name},
#define END(name, key, suffix)
#include "scheduler/store/schema_list.h"
#undef TABLE
#undef COLUMN
#undef END
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Writes what comes next in the history, in one commit; whether it could. */
static bool write_more(struct store *store, struct err *err)
{
    struct random_history *history = random_history_create(DAMAGED_STORE_SEED);
    struct event events[2 * DAMAGED_STORE_EVENTS];
    for (int i = 0; i < 2 * DAMAGED_STORE_EVENTS; i++)
        events[i] = random_history_next(history);
    bool good = store_write(store, events + DAMAGED_STORE_EVENTS, DAMAGED_STORE_EVENTS, err) == 0;
    for (int i = 0; i < 2 * DAMAGED_STORE_EVENTS; i++)
        event_fini(&events[i]);
    random_history_destroy(history);
    return good;
}

/* By another connection, as other programs do. */
static void change(const char *path, const char *sql)
{
    sqlite3 *handle;
    char *said = NULL;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    sqlite3_exec(handle, "PRAGMA legacy_alter_table = ON", NULL, NULL, NULL); /* views need not fit afterwards */
    if (sqlite3_exec(handle, sql, NULL, NULL, &said) != SQLITE_OK)
        fail_msg("%s: %s", sql, said);
    sqlite3_close(handle);
}

/* How many of these said what is wrong. */
static int count_refused(json_t *json, struct err *err)
{
    if (!json)
        assert_true(*err->text);
    int refused = !json;
    json_decref(json);
    *err->text = '\0';
    return refused;
}

static int visit_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                          struct err *err)
{
    (void)context, (void)trial, (void)told_before, (void)from_start, (void)err;
    return !params;
}

static int visit_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)context, (void)err;
    return tell->ending >= ENDINGS_COUNT;
}

static int visit_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)context, (void)seen, (void)err;
    return 0;
}

/* Everything that reads; how many refused. */
static int read_all(struct reader *reader)
{
    struct err err = {""};
    struct snapshot snapshot;
    int refused =
        count_refused(reader_trials(reader, &(struct trial_query){0}, &err), &err) +
        count_refused(reader_trials(reader, &(struct trial_query){.order = "metric.loss"}, &err), &err) +
        count_refused(reader_numbers(reader, &(struct trial_query){0}, &err), &err) +
        count_refused(reader_best(reader, &err), &err) + count_refused(reader_front(reader, &err), &err) +
        count_refused(reader_experiment(reader, &err), &err) + count_refused(reader_events(reader, 0, &err), &err) +
        count_refused(reader_spans(reader, 0, 100, &err), &err) +
        count_refused(reader_operations(reader, 1, &err), &err) + count_refused(reader_phases(reader, 1, &err), &err) +
        count_refused(reader_verdicts(reader, 1, &err), &err) + count_refused(reader_speed(reader, 1, &err), &err) +
        count_refused(reader_faults(reader, &err), &err);
    for (uint64_t trial = 1; trial < 9; trial++)
        refused += count_refused(reader_show(reader, trial, &err), &err);
    if (reader_snapshot(reader, &snapshot, &err) == 0)
        snapshot_fini(&snapshot);
    else
        refused += *err.text != '\0';
    const struct replay_visitor visitor = {NULL, visit_proposal, visit_tell, visit_observation, NULL, NULL};
    refused += reader_replay(reader, &visitor, &err) != 0;
    return refused;
}

/* Reads, then writes, then starts from it, after the change: how often something refused. */
static int use_changed(const struct damaged_store *whole, const char *sql)
{
    struct memory memory;
    struct err err = {""};
    damaged_store_write(whole, (const uint8_t *)"", 0);
    struct store *store = store_open(whole->path, &err);
    if (!store)
        fail_msg("%s", err.text);
    struct reader *reader = stores_read(whole->path);
    change(whole->path, sql);
    int refused = read_all(reader);
    reader_close(reader);
    if (!write_more(store, &err)) {
        assert_true(*err.text);
        refused++;
    }
    if (store_recall(store, &memory, &err) == 0)
        memory_fini(&memory);
    else
        refused += *err.text != '\0';
    store_leave(store);
    return refused;
}

/* Some tables are for people's own questions alone, and some the history does not need. */
static void a_store_that_loses_a_table_says_so(void **state)
{
    struct damaged_store whole;
    int missed = 0;
    damaged_store_init(&whole, path_in(state, "a.db"));
    for (int i = 0; i < TABLES; i++) {
        char *sql = mem_format("ALTER TABLE %s RENAME TO not_there", tables[i]);
        missed += use_changed(&whole, sql) > 0;
        free(sql);
    }
    damaged_store_fini(&whole);
    assert_true(missed > TABLES / 2);
}

static void one_that_loses_a_column_does_too(void **state)
{
    struct damaged_store whole;
    damaged_store_init(&whole, path_in(state, "a.db"));
    for (int i = 0; i < COLUMNS; i++) {
        char *sql = mem_format("ALTER TABLE %s RENAME COLUMN %s TO not_there", columns[i][0], columns[i][1]);
        use_changed(&whole, sql);
        free(sql);
    }
    damaged_store_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_that_loses_a_table_says_so, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(one_that_loses_a_column_does_too, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
