/* See damaged_store.h. */
#include "tests/damaged_store.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/store.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "a store to be damaged: %s: %s\n", what, err->text);
    abort();
}

void damaged_store_init(struct damaged_store *self, const char *path)
{
    struct err err = {""};
    *self = (struct damaged_store){.path = mem_text(path)};
    struct store *store = stores_make(path);
    struct random_history *history = random_history_create(DAMAGED_STORE_SEED);
    for (int i = 0; i < DAMAGED_STORE_EVENTS; i++) {
        struct event event = random_history_next(history);
        require(store_write(store, &event, 1, &err) == 0, "it can't be written", &err);
        event_fini(&event);
    }
    random_history_destroy(history);
    store_close(store);
    require(path_read(path, &self->whole, 100 << 20, &err) == 0, "it can't be read", &err);
}

void damaged_store_fini(struct damaged_store *self)
{
    buf_fini(&self->whole);
    free(self->path);
}

static void change_bytes(const struct damaged_store *self, const uint8_t *data, size_t size)
{
    struct buf damaged = {0};
    buf_add(&damaged, self->whole.data, self->whole.length);
    for (; size >= 4; data += 4, size -= 4)
        damaged.data[((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % damaged.length] = (char)data[3];
    path_write(self->path, damaged.data, damaged.length, 0600, NULL);
    buf_fini(&damaged);
}

/* Three bytes a change: the column, its value, and which rows. */
static void change_rows(const struct damaged_store *self, const uint8_t *data, size_t size)
{
    enum { MOST = 20 };
    sqlite3 *handle;
    path_write(self->path, self->whole.data, self->whole.length, 0600, NULL);
    if (sqlite3_open(self->path, &handle) == SQLITE_OK)
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

void damaged_store_write(const struct damaged_store *self, const uint8_t *data, size_t size)
{
    static const char *const beside[] = {"-wal", "-shm"}; /* of the one before */
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char *name = mem_format("%s%s", self->path, beside[i]);
        unlink(name);
        free(name);
    }
    (size && data[0] % 2 ? change_bytes : change_rows)(self, data + 1, size ? size - 1 : 0);
}
