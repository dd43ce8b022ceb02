/* Numbers for names, remembered until a transaction fails; see names.h. */
#include "scheduler/store/names.h"

#include "common/hash.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

struct metric_name {
    int64_t id;
    char *name; /* two names may have the same hash */
};

/* Finds the number that one statement reads and, where there is none, another one makes: -1 with a sentence. */
static int find_or_make(struct db *db, enum statement find, enum statement make, struct put key, int64_t *id,
                        struct err *err)
{
    struct query query = QUERY(db, find, key);
    int found = query_number(&query, id, err);
    if (found)
        return found < 0 ? -1 : 0;
    struct query made = QUERY(db, make, key);
    if (query_run(&made, err))
        return -1;
    query = QUERY(db, find, key);
    return query_number(&query, id, err) > 0 ? 0 : -1;
}

static void remember_metric(struct names *names, const char *name, int64_t id)
{
    uint64_t key = hash_text(name);
    if (map_get(&names->metrics, key))
        return; /* another name's; this one is looked up each time */
    struct metric_name *metric = MEM_NEW(struct metric_name);
    *metric = (struct metric_name){.id = id, .name = mem_text(name)};
    map_put(&names->metrics, key, metric);
}

/* Whether there is no room for one more: what a trainer reports under ever new names is no metric. */
static int is_full(struct db *db, bool *full, struct err *err)
{
    int64_t last = 0;
    struct query query = query_make(db, STATEMENT_LAST_METRIC);
    int row = query_number(&query, &last, err);
    *full = last >= NAMES_MOST_METRICS;
    return row < 0 ? -1 : 0;
}

/* The number that the table has; 0: none. */
static int find_metric(struct db *db, const char *name, int64_t *id, struct err *err)
{
    struct query query = QUERY(db, STATEMENT_FIND_METRIC, PUT(name));
    *id = 0;
    return query_number(&query, id, err) < 0 ? -1 : 0;
}

int names_metric(struct names *names, struct db *db, const char *name, int64_t *id, struct err *err)
{
    bool full = false;
    const struct metric_name *known = map_get(&names->metrics, hash_text(name));
    if (known && strcmp(known->name, name) == 0) {
        *id = known->id;
        return 0;
    }
    if (find_metric(db, name, id, err) || (!*id && is_full(db, &full, err)))
        return -1;
    if (full && strcmp(name, NAMES_OTHERS))
        return names_metric(names, db, NAMES_OTHERS, id, err);
    if (!*id && find_or_make(db, STATEMENT_FIND_METRIC, STATEMENT_PUT_METRIC, PUT(name), id, err))
        return -1;
    remember_metric(names, name, *id);
    return 0;
}

int names_worker(struct names *names, struct db *db, uint64_t number, int64_t *id, struct err *err)
{
    *id = (int64_t)(intptr_t)map_get(&names->workers, number);
    if (*id)
        return 0;
    if (find_or_make(db, STATEMENT_FIND_WORKER, STATEMENT_PUT_WORKER, PUT(number), id, err))
        return -1;
    if (*id) /* only in a damaged store it is 0 */
        map_put(&names->workers, number, (void *)(intptr_t)*id);
    return 0;
}

void names_forget(struct names *names)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&names->metrics, &at, &entry);) {
        struct metric_name *metric = entry.value;
        free(metric->name);
        free(metric);
    }
    map_fini(&names->metrics);
    map_fini(&names->workers);
}
