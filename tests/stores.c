/* Small stores for tests; see stores.h. */
#include "tests/stores.h"
#include "tests/test_metrics.h"
#include "tests/claims.h"

#include "common/mem.h"

#include <sqlite3.h>
#include <stdlib.h>

void fine(int failed, const struct err *err)
{
    if (failed)
        fail_msg("%s", err->text);
}

struct store *stores_make(const char *path)
{
    const struct store_experiment experiment = {.name = "test",
                                                .description = "a small one",
                                                .spec = "version: 1\n",
                                                .seed = 42,
                                                .metrics = metrics_min,
                                                .strategy = "random",
                                                .parameters = "[{\"name\": \"lr\", \"kind\": \"real\"}]"};
    struct err err;
    struct store *store = store_make(path, &experiment, &err);
    fine(!store, &err);
    return store;
}

struct store *stores_open(const char *path)
{
    struct err err;
    struct store *store = store_open(path, &err);
    fine(!store, &err);
    return store;
}

struct reader *stores_read(const char *path)
{
    struct err err;
    struct reader *reader = reader_open(path, &err);
    fine(!reader, &err);
    return reader;
}

static void make_trial(struct event *events, struct msg_sample *sample, uint64_t trial)
{
    enum { WORKER = 7 };
    static const struct phase_time profile[PHASES_COUNT] = {{.seconds = 0.25, .count = 1, .min = 0.25, .max = 0.25},
                                                            {.seconds = 0.25, .count = 1, .min = 0.25, .max = 0.25},
                                                            {.seconds = 0.25, .count = 1, .min = 0.25, .max = 0.25}};
    double now = 1.7e9 + (double)trial;
    *sample = (struct msg_sample){.metric = "loss", .step = 1, .value = (double)trial, .time = 0.5};
    events[0] =
        (struct event){.kind = EVENT_PROPOSED, .trial = trial, .time = now, .proposed = {.params = "{\"lr\": 0.125}"}};
    events[1] = (struct event){.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER, .time = now};
    events[2] = (struct event){
        .kind = EVENT_RUN_ENDED,
        .trial = trial,
        .attempt = 1,
        .worker = WORKER,
        .time = now + 1,
        .run = {.sampled = {.samples = sample, .samples_count = 1}, .started = now, .seconds = 1, .profile = profile}};
    events[3] = (struct event){.kind = EVENT_TRIAL_ENDED,
                               .trial = trial,
                               .time = now + 1,
                               .end = {.seconds = 1, .has_value = true, .value = (double)trial, .told = trial}};
}

int stores_write(struct store *store, uint64_t first, uint64_t count, struct err *err)
{
    struct event *events = MEM_ARRAY(struct event, 4 * count);
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, count);
    for (uint64_t i = 0; i < count; i++)
        make_trial(events + 4 * i, samples + i, first + i);
    int failed = store_write(store, events, 4 * count, err);
    free(events);
    free(samples);
    return failed;
}

uint64_t stores_count(struct reader *reader)
{
    struct snapshot snapshot;
    struct err err;
    fine(reader_snapshot(reader, &snapshot, &err), &err);
    uint64_t count = snapshot.trials[TRIAL_COMPLETED];
    snapshot_fini(&snapshot);
    return count;
}

void same_json(json_t *got, json_t *expected)
{
    if (!json_equal(got, expected)) {
        char *a = json_dumps(got, JSON_INDENT(1)), *b = json_dumps(expected, JSON_INDENT(1));
        fail_msg("read:\n%s\nexpected:\n%s", a, b);
    }
    json_decref(got);
    json_decref(expected);
}

static int keep_first(void *context, int count, char **columns, char **names)
{
    char **text = context;
    (void)names;
    if (!*text && count)
        *text = mem_text(columns[0] ? columns[0] : "");
    return 0;
}

char *stores_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    char *text = NULL, *why = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    if (sqlite3_exec(db, sql, keep_first, &text, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return text ? text : mem_text("");
}

void stores_wait_by(int (*wait)(sqlite3_vfs *vfs, int microseconds))
{
    static sqlite3_vfs *usual, own;
    if (wait) {
        usual = sqlite3_vfs_find(NULL);
        own = *usual;
        own.zName = "waiting";
        own.xSleep = wait;
        sqlite3_vfs_register(&own, 1);
    } else {
        sqlite3_vfs_unregister(&own);
        sqlite3_vfs_register(usual, 1);
    }
}
