/* Opening a store for reading, and the names of metrics; see reader.h. */
#include "scheduler/store/reader.h"
#include "scheduler/store/reader_state.h"
#include "scheduler/store/schema.h"

#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>

/* --- life --- */

static void close_own(struct reader *reader)
{
    db_close(&reader->own);
    reader->open = false;
}

static int open_own(struct reader *reader, int *version, struct err *err)
{
    reader->db = &reader->own;
    if (db_open_to_read(&reader->own, reader->path, err) || schema_version(&reader->own, version, err)) {
        close_own(reader);
        return -1;
    }
    if (reader->stop)
        db_stop_at(&reader->own, reader->stop);
    reader->open = true;
    return 0;
}

int reader_begin(struct reader *reader, struct err *err)
{
    int version;
    if (reader->path && !reader->open && open_own(reader, &version, err))
        return -1;
    if (db_begin_read(reader->db, err) == 0)
        return 0;
    reader_end(reader);
    return -1;
}

void reader_end(struct reader *reader)
{
    db_rollback(reader->db);
    if (reader->path && !reader->holds)
        close_own(reader);
}

void reader_hold(struct reader *reader)
{
    reader->holds = true;
}

void reader_release(struct reader *reader)
{
    reader->holds = false;
    if (reader->open)
        close_own(reader);
}

void reader_stop_at(struct reader *reader, const atomic_bool *stop)
{
    reader->stop = stop;
}

json_t *reader_finish(struct reader *reader, int failed, json_t *json)
{
    reader_end(reader);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}

/* The store lies in its run directory, whose path `gannet run` takes for a name. */
static int refuse_older(const char *path, int version, struct err *err)
{
    char *directory = path_directory(path);
    err_write(err, "%s: its store has schema version %d; bring it up to date with `gannet run %s --resume`", path,
              version, directory);
    free(directory);
    return -1;
}

static int check_schema(struct reader *reader, struct err *err)
{
    int version;
    if (open_own(reader, &version, err))
        return -1;
    int failed = version < SCHEMA_VERSION ? refuse_older(reader->path, version, err) : schema_check(&reader->own, err);
    close_own(reader);
    return failed;
}

struct reader *reader_open(const char *path, struct err *err)
{
    struct reader *reader = MEM_NEW(struct reader);
    reader->path = mem_text(path);
    if (check_schema(reader, err) == 0)
        return reader;
    reader_close(reader);
    return NULL;
}

/* The column `added` came with version 9. */
static const char *count_of_ended(bool added, int version)
{
    return added || version < 9 ? "SELECT completed + stopped + failed + cancelled FROM progress"
                                : "SELECT completed + stopped + failed + cancelled - added FROM progress";
}

int reader_count_ended(const char *path, bool added, uint64_t *ended, struct err *err)
{
    struct reader reader = {.path = mem_text(path)};
    int version;
    int64_t count = 0;
    int failed = open_own(&reader, &version, err);
    if (!failed) {
        failed = db_number(&reader.own, count_of_ended(added, version), &count, err);
        close_own(&reader);
    }
    free(reader.path);
    *ended = (uint64_t)count;
    return failed;
}

/* The column came with version 6. */
static int read_identity(struct db *db, int version, char **identity, struct err *err)
{
    if (version < 6)
        return 0;
    struct query query = query_make(db, STATEMENT_IDENTITY);
    int row = query_row(&query, err);
    if (row > 0 && !query_is_null(&query))
        *identity = mem_text(query_get_text(&query));
    if (row > 0)
        query_end(&query);
    return row < 0 ? -1 : 0;
}

int reader_identity(const char *path, char **identity, struct err *err)
{
    struct reader reader = {.path = mem_text(path)};
    int version;
    *identity = NULL;
    int failed = open_own(&reader, &version, err);
    if (!failed) {
        failed = read_identity(&reader.own, version, identity, err);
        close_own(&reader);
    }
    free(reader.path);
    return failed;
}

void reader_close(struct reader *reader)
{
    if (reader)
        reader_fini(reader);
    free(reader);
}

void reader_fini(struct reader *reader)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&reader->metrics, &at, &entry);)
        free(entry.value);
    map_fini(&reader->metrics);
    arena_fini(&reader->memory);
    free(reader->path);
}

/* --- names of metrics --- */

/* The names go into JSON, as members' names too, so they are made proper here once. */
static void remember_name(struct reader *reader, int64_t metric, const char *name)
{
    json_t *proper = json_of_text(name);
    free(map_put(&reader->metrics, (uint64_t)metric, mem_text(json_string_value(proper))));
    json_decref(proper);
}

static int read_metrics(struct reader *reader, struct err *err)
{
    struct query query = query_make(reader->db, STATEMENT_METRIC_NAMES);
    int row;
    while ((row = query_row(&query, err)) > 0) {
        int64_t metric = query_get_int(&query);
        if (!map_get(&reader->metrics, (uint64_t)metric))
            remember_name(reader, metric, query_get_text(&query));
    }
    return row;
}

const char *reader_metric(struct reader *reader, int64_t metric, struct err *err)
{
    const char *name = map_get(&reader->metrics, (uint64_t)metric);
    if (name)
        return name;
    if (read_metrics(reader, err))
        return NULL;
    if (!map_get(&reader->metrics, (uint64_t)metric))
        remember_name(reader, metric, "?");
    return map_get(&reader->metrics, (uint64_t)metric);
}
