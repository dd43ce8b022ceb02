/* Stores with values that no row should have: a rich store is made once, the input says which columns of which rows
 * become what (or, when its first byte is odd, which bytes of the file), and then a start takes it up, and everything
 * that reads a store reads it. What a start takes up makes a core that works; what it refuses is refused in words and
 * stays as it was.
 *
 * The store lies in a directory of its own in TMPDIR, which goes when the program ends. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/core/core.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"
#include "tests/random_history.h"
#include "tests/scratch.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every table with its columns. */
static const char *const columns[][2] = {
#define TABLE(name, help)
#define COLUMN(table, name, type, help) {#table, #name},
#define END(name, key, suffix)
#include "scheduler/store/schema_list.h"
#undef TABLE
#undef COLUMN
#undef END
};

static const char *const values[] = {"-1",
                                     "0",
                                     "1",
                                     "2",
                                     "3",
                                     "4095",
                                     "4096",
                                     "2000000000",
                                     "4294967296",
                                     "9007199254740993",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "0.5",
                                     "1e300",
                                     "9e999",
                                     "-9e999",
                                     "NULL",
                                     "''",
                                     "'x'",
                                     "'{}'",
                                     "'{\"x\": 1e999}'",
                                     "'[1'",
                                     "'[0.5, null, \"nan\"]'",
                                     "x'ff00fe'",
                                     "'running'",
                                     "'ended'",
                                     "'maximize'",
                                     "'0-99999999999,-3'",
                                     "zeroblob(100000)"};

enum { COLUMNS = sizeof columns / sizeof *columns, VALUES = sizeof values / sizeof *values };

static char *scratch, *path;
static struct buf whole; /* the store as it was made */

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_store: %s: %s\n", what, err->text);
    abort();
}

static void remove_all(void)
{
    scratch_remove(scratch);
    buf_fini(&whole);
    free(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    enum { EVENTS = 80 };
    struct err err = {""};
    scratch = scratch_make();
    path = path_join(scratch, "a.db");
    struct store *store = stores_make(path);
    struct random_history *history = random_history_create(9);
    for (int i = 0; i < EVENTS; i++) {
        struct event event = random_history_next(history);
        require(store_write(store, &event, 1, &err) == 0, "it can't be written", &err);
        event_fini(&event);
    }
    random_history_destroy(history);
    store_close(store);
    require(path_read(path, &whole, 100 << 20, &err) == 0, "it can't be read", &err);
    require(store_check(path, &metrics_min, NULL, &err) == 0, "a sound store is refused", &err);
    atexit(remove_all);
    return 0;
}

/* --- the damage --- */

static void change_bytes(const uint8_t *data, size_t size)
{
    struct buf damaged = {0};
    buf_add(&damaged, whole.data, whole.length);
    for (; size >= 4; data += 4, size -= 4)
        damaged.data[((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % damaged.length] = (char)data[3];
    path_write(path, damaged.data, damaged.length, 0600, NULL);
    buf_fini(&damaged);
}

/* Three bytes a change: the column, its value, and which rows. */
static void change_rows(const uint8_t *data, size_t size)
{
    enum { MOST = 20 };
    sqlite3 *handle;
    path_write(path, whole.data, whole.length, 0600, NULL);
    if (sqlite3_open(path, &handle) == SQLITE_OK)
        sqlite3_exec(handle, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    for (int i = 0; i < MOST && size >= 3; i++, data += 3, size -= 3) {
        const char *const *column = columns[data[0] % COLUMNS];
        char *sql = mem_format("UPDATE OR IGNORE %s SET %s = %s WHERE abs(%s) %% 7 = %d OR %d", column[0], column[1],
                               values[data[1] % VALUES], strcmp(column[0], "runs") ? column[1] : "trial", data[2] % 7,
                               data[2] > 200);
        sqlite3_exec(handle, sql, NULL, NULL, NULL); /* what its constraints forbid stays */
        free(sql);
    }
    sqlite3_close(handle);
}

/* --- reading --- */

static int visit_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                          struct err *err)
{
    (void)context, (void)trial, (void)told_before, (void)from_start, (void)err;
    return strlen(params) > 1u << 30;
}

static int visit_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)context, (void)err;
    return tell->ending >= ENDINGS_COUNT;
}

static int visit_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)context, (void)err;
    return seen->value_count && seen->values[0] > 1e308;
}

static void visit_sample(void *context, uint64_t trial, uint64_t step, const double *judged)
{
    (void)trial, (void)step;
    *(double *)context += judged[0];
}

static void visit_went_on(void *context, uint64_t trial)
{
    (void)context, (void)trial;
}

static void visit_ended(void *context, uint64_t trial, enum ending ending)
{
    (void)context, (void)trial;
    ending_name(ending);
}

static void replay(struct reader *reader)
{
    struct err err;
    double sum = 0;
    reader_replay(reader, &(struct replay_visitor){NULL, visit_proposal, visit_tell, visit_observation, NULL, NULL},
                  &err);
    reader_decisions(reader, &(struct decision_visitor){&sum, visit_sample, visit_went_on, visit_ended}, &err);
}

static void read_everything(void)
{
    struct err err = {""};
    struct snapshot snapshot, again;
    struct reader *reader = reader_open(path, &err);
    require(reader || *err.text, "a store is refused without a sentence", &err);
    if (!reader)
        return;
    json_decref(reader_trials(reader, &(struct trial_query){0}, &err));
    json_decref(reader_trials(reader, &(struct trial_query){.order = "metric.loss", .limit = 5}, &err));
    json_decref(reader_best(reader, &err));
    for (uint64_t trial = 1; trial < 4; trial++)
        json_decref(reader_show(reader, trial, &err));
    json_decref(reader_experiment(reader, &err));
    json_decref(reader_events(reader, 0, &err));
    json_decref(reader_phases(reader, &err));
    if (reader_snapshot(reader, &snapshot, &err) == 0) {
        json_t *json = snapshot_encode(&snapshot);
        if (snapshot_decode(json, &again, &err) == 0)
            snapshot_fini(&again);
        json_decref(json);
        snapshot_fini(&snapshot);
    }
    replay(reader);
    reader_close(reader);
}

/* --- a start --- */

static void take_outputs(struct core *core)
{
    struct output output;
    uint64_t last = 0;
    while (core_next(core, &output)) {
        last = output.kind == OUTPUT_STORE ? output.event.number : last;
        output_fini(&output);
    }
    if (last)
        core_committed(core, 100, last);
}

static void start_core(const struct memory *memory)
{
    struct core_config config;
    struct snapshot snapshot;
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    core_config_defaults(&config);
    config.task = "{}";
    config.metrics = metrics_min;
    config.can_continue = true;
    struct core *core = core_create(&config, memory, 100);
    take_outputs(core);
    core_message(core, 100, 1, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 7, .node = "n"}});
    core_message(core, 100, 1, &(struct msg){.kind = MSG_OFFER, .offer = {1, &slot, 1, NULL, 0}});
    core_deadline(core, 100, 1000);
    for (int i = 0; i < 5; i++) {
        core_tick(core, 100 + 31 * i);
        take_outputs(core);
    }
    core_snapshot(core, 300, &snapshot);
    snapshot_fini(&snapshot);
    core_destroy(core);
}

static void start(void)
{
    struct err err = {""};
    struct memory memory;
    struct store *store = store_open(path, &err);
    require(store || *err.text, "a store is refused without a sentence", &err);
    if (!store)
        return;
    int failed = reader_check(store_reader(store), &metrics_min, &err);
    if (!failed)
        failed = store_recall(store, &memory, &err);
    require(!failed || *err.text, "a start is refused without a sentence", &err);
    if (!failed) {
        start_core(&memory);
        memory_fini(&memory);
    }
    store_leave(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {""};
    if (!size)
        return 0;
    (data[0] % 2 ? change_bytes : change_rows)(data + 1, size - 1);
    int failed = store_check(path, &metrics_min, NULL, &err);
    require(!failed || *err.text, "a store is refused without a sentence", &err);
    if (data[0] & 2) /* which takes ten times as long */
        read_everything();
    start();
    char *wal = mem_format("%s-wal", path), *index = mem_format("%s-shm", path);
    unlink(wal);
    unlink(index);
    free(wal);
    free(index);
    return 0;
}
