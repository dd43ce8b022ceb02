/* Small numbers for the names of metrics and workers, so that a sample or a run does not spell them out. What was
 * looked up or made once is remembered until a transaction fails. */
#include "common/hash.h"
#include "common/mem.h"
#include "scheduler/store/store_parts.h"

#include <stdlib.h>
#include <string.h>

struct metric_name {
    int64_t id;
    char *name; /* two names may have the same hash */
};

/* The number in the one column of the one row: 1; 0: there is no row; -1 with a sentence. */
static int find_id(struct query *query, int64_t *id, struct err *err)
{
    int row = query_row(query, err);
    if (row > 0) {
        *id = query_get_int(query);
        query_end(query);
    }
    return row;
}

static int find_metric(struct db *db, const char *name, int64_t *id, struct err *err)
{
    struct query query = query_make(db, STATEMENT_FIND_METRIC);
    query_put_text(&query, name);
    return find_id(&query, id, err);
}

static int put_metric(struct db *db, const char *name, struct err *err)
{
    struct query query = query_make(db, STATEMENT_PUT_METRIC);
    query_put_text(&query, name);
    return query_run(&query, err);
}

static void remember_metric(struct store *store, const char *name, int64_t id)
{
    uint64_t key = hash_text(name);
    if (map_get(&store->metrics, key))
        return; /* another name's; this one is looked up each time */
    struct metric_name *metric = MEM_NEW(struct metric_name);
    *metric = (struct metric_name){.id = id, .name = mem_text(name)};
    map_put(&store->metrics, key, metric);
}

int names_metric(struct store *store, const char *name, int64_t *id, struct err *err)
{
    const struct metric_name *known = map_get(&store->metrics, hash_text(name));
    if (known && strcmp(known->name, name) == 0) {
        *id = known->id;
        return 0;
    }
    int found = find_metric(&store->db, name, id, err);
    if (!found && put_metric(&store->db, name, err) == 0)
        found = find_metric(&store->db, name, id, err);
    if (found <= 0)
        return -1;
    remember_metric(store, name, *id);
    return 0;
}

static int find_worker(struct db *db, uint64_t number, int64_t *id, struct err *err)
{
    struct query query = query_make(db, STATEMENT_FIND_WORKER);
    query_put_u64(&query, number);
    return find_id(&query, id, err);
}

static int put_worker(struct db *db, uint64_t number, struct err *err)
{
    struct query query = query_make(db, STATEMENT_PUT_WORKER);
    query_put_u64(&query, number);
    return query_run(&query, err);
}

int names_worker(struct store *store, uint64_t number, int64_t *id, struct err *err)
{
    *id = (int64_t)(intptr_t)map_get(&store->workers, number);
    if (*id)
        return 0;
    int found = find_worker(&store->db, number, id, err);
    if (!found && put_worker(&store->db, number, err) == 0)
        found = find_worker(&store->db, number, id, err);
    if (found <= 0)
        return -1;
    if (*id) /* only in a damaged store it is 0 */
        map_put(&store->workers, number, (void *)(intptr_t)*id);
    return 0;
}

void names_forget(struct store *store)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&store->metrics, &at, &entry);) {
        struct metric_name *metric = entry.value;
        free(metric->name);
        free(metric);
    }
    map_fini(&store->metrics);
    map_fini(&store->workers);
}
