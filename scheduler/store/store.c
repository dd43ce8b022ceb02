/* A store's life: made, opened, closed; see store.h. */
#include "scheduler/store/store.h"
#include "scheduler/store/migrate.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/write.h"

#include "common/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* --- making --- */

static const char *goal_of(const struct metric *metric)
{
    return metric->maximize ? "maximize" : "minimize";
}

static const char *use_of(const struct metric *metric)
{
    return metric->use_best ? "best" : "last";
}

static int put_experiment(struct db *db, const struct store_experiment *experiment, struct err *err)
{
    const struct metric *first = experiment->metrics.items;
    struct query query =
        QUERY(db, STATEMENT_PUT_EXPERIMENT, PUT(experiment->name), PUT(experiment->description), PUT(experiment->spec),
              PUT(experiment->seed), PUT(first->name), PUT(goal_of(first)), PUT(use_of(first)),
              PUT(experiment->strategy), PUT(GANNET_VERSION), PUT(experiment->identity));
    return query_run(&query, err);
}

static int put_criteria(struct db *db, const struct metrics *metrics, struct err *err)
{
    for (uint32_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->items[i];
        struct query query = QUERY(db, STATEMENT_PUT_CRITERION, PUT(i + 1), PUT(metric->name),
                                   PUT(metric->objective ? goal_of(metric) : NULL), PUT(use_of(metric)),
                                   PUT(metric->has_min ? metric->min : NAN), PUT(metric->has_max ? metric->max : NAN));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

static int put_past(struct db *db, const struct store_experiment *experiment, struct err *err)
{
    for (size_t i = 0; i < experiment->past_count; i++) {
        const struct searcher_past *past = &experiment->past[i];
        struct query query = QUERY(db, STATEMENT_PUT_EARLIER, PUT(past->source), PUT(past->params),
                                   PUT(past->failed ? NAN : past->loss), PUT(past->seconds));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

static int put_parameter(struct db *db, size_t position, const json_t *parameter, struct err *err)
{
    char *definition = json_dumps(parameter, JSON_COMPACT | JSON_REAL_PRECISION(17));
    struct query query = QUERY(db, STATEMENT_PUT_PARAMETER, put_int((int64_t)position),
                               PUT(json_string_value(json_object_get(parameter, "name"))),
                               PUT(json_string_value(json_object_get(parameter, "kind"))), PUT(definition));
    int failed = query_run(&query, err);
    free(definition);
    return failed;
}

static int put_parameters(struct db *db, const char *text, struct err *err)
{
    json_t *list = json_loads(text, 0, NULL);
    int failed = json_is_array(list) ? 0 : err_set(err, "%s: the parameters are no JSON array", db->path);
    for (size_t i = 0; !failed && i < json_array_size(list); i++)
        failed = put_parameter(db, i + 1, json_array_get(list, i), err);
    json_decref(list);
    return failed;
}

static int put_progress(struct db *db, struct err *err)
{
    struct progress nothing = {.started = NAN, .ended = NAN, .held_since = NAN, .written = NAN};
    return progress_write(db, &nothing, err);
}

/* All in one transaction: a store is there wholly or not at all. */
static int fill_new_store(struct db *db, const struct store_experiment *experiment, struct err *err)
{
    int failed = db_make_durable(db, err) || db_begin_write(db, err) || schema_make(db, err) ||
                 schema_refresh(db, err) || put_experiment(db, experiment, err) ||
                 put_criteria(db, &experiment->metrics, err) || put_past(db, experiment, err) ||
                 put_parameters(db, experiment->parameters, err) || put_progress(db, err) || db_commit(db, err);
    db_rollback(db);
    return failed ? -1 : 0;
}

static int make_file(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return err_set(err, "there is something at %s already", path);
    if (fd < 0)
        return err_errno(err, "can't make the store %s", path);
    close(fd);
    return 0;
}

static void remove_file(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *name = mem_format("%s%s", path, endings[i]);
        unlink(name);
        free(name);
    }
}

struct store *store_make(const char *path, const struct store_experiment *experiment, struct err *err)
{
    struct db db;
    if (make_file(path, err))
        return NULL;
    int failed = db_open_to_write(&db, path, err);
    if (!failed) {
        failed = fill_new_store(&db, experiment, err);
        db_close(&db);
    }
    struct store *store = failed ? NULL : store_open(path, err);
    if (!store)
        remove_file(path);
    return store;
}

/* --- opening --- */

static int refresh_views(struct db *db, struct err *err)
{
    int failed =
        db_begin_write(db, err) || schema_check(db, err) || schema_refresh(db, err) || db_commit(db, err) ? -1 : 0;
    db_rollback(db);
    return failed;
}

/* The file is not touched before it is known to be ours. */
static int take_progress(struct store *store, struct err *err)
{
    int version;
    if (schema_version(&store->db, &version, err) || db_make_durable(&store->db, err) ||
        migrate_to_present(&store->db, version, err) || refresh_views(&store->db, err))
        return -1;
    return store_place_open(&store->place, &store->db, err) || progress_goal(&store->db, &store->maximize, err) ||
                   progress_read(&store->db, &store->progress, err)
               ? -1
               : 0;
}

struct store *store_open(const char *path, struct err *err)
{
    struct store *store = MEM_NEW(struct store);
    store->reader.db = &store->db;
    if (db_open_to_write(&store->db, path, err) == 0 && take_progress(store, err) == 0)
        return store;
    store_close(store);
    return NULL;
}

static void close_store(struct store *store)
{
    reader_fini(&store->reader);
    names_forget(&store->names);
    fresh_forget(&store->fresh);
    store_place_close(&store->place);
    db_close(&store->db);
    free(store);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    db_settle(&store->db);
    close_store(store);
}

void store_leave(struct store *store)
{
    if (!store)
        return;
    db_leave(&store->db);
    close_store(store);
}

bool store_is_exclusive(const struct store *store)
{
    return store->db.exclusive;
}

bool store_is_lost(const struct store *store)
{
    return store->lost;
}

uint64_t store_statements(const struct store *store)
{
    return store->db.run;
}

struct reader *store_reader(struct store *store)
{
    return &store->reader;
}
