/* The checks of check_list.h, one after the other; see check.h. */
#include "scheduler/store/check.h"
#include "scheduler/store/reader_criteria.h"
#include "scheduler/store/schema.h"
#include "scheduler/store/stamp.h"
#include "scheduler/store/store.h"

#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each check whether its rows are as they should be, and what is asked if not: which is the first that is not, and
 * why. The second costs several times as much. */
static const struct {
    enum statement rows, first;
} checks[] = {
#define CHECK(id, table, key) {STATEMENT_CHECK_##id, STATEMENT_FAULT_##id},
#define EXPECT(column, good, expected)
#define END(from)
#include "scheduler/store/check_list.h"
#undef CHECK
#undef EXPECT
#undef END
};

static int refuse_row(struct query *query, struct err *err)
{
    char table[32], row[100];
    snprintf(table, sizeof table, "%s", query_get_text(query));
    snprintf(row, sizeof row, "%s", query_get_text(query));
    err_write(err,
              "%s: in the table %s, the row of %s makes no sense: %s. The file was damaged or changed by hand: go back "
              "to a copy of it, or mend that row with sqlite3. Nothing was started, and nothing was changed",
              query->db->path, table, row, query_get_text(query));
    query_end(query);
    return STORE_DAMAGED;
}

static int name_fault(struct db *db, enum statement which, struct err *err)
{
    struct query query = query_make(db, which);
    int row = query_row(&query, err);
    return row > 0 ? refuse_row(&query, err) : row;
}

int check_rows(struct db *db, struct err *err)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        int row;
        struct query query = query_make(db, checks[i].rows);
        while ((row = query_row(&query, err)) > 0 && query_get_int(&query))
            ;
        if (row > 0) {
            query_end(&query);
            row = name_fault(db, checks[i].first, err);
        }
        if (row)
            return row;
    }
    return 0;
}

int reader_check(struct reader *reader, const struct metrics *metrics, struct err *err)
{
    struct metrics stored;
    if (reader_criteria(reader, &stored, err))
        return -1;
    bool same = stored.count == metrics->count;
    for (uint32_t i = 0; same && i < stored.count; i++)
        same = strcmp(stored.items[i].name, metrics->items[i].name) == 0;
    if (same)
        return 0;
    err_write(
        err,
        "%s: in the table criteria, the metrics are not those of experiment.yaml beside it, of which there are "
        "%u: one of the files was changed; go back to copies of both. Nothing was started, and nothing was changed",
        reader->db->path, metrics->count);
    return STORE_DAMAGED;
}

static int check_opened(struct reader *reader, const struct metrics *metrics, struct err *err)
{
    int failed = check_rows(reader->db, err);
    return failed || !metrics ? failed : reader_check(reader, metrics, err);
}

/* Taken before the look: who writes meanwhile leaves another stamp. */
int store_check(const char *path, const struct metrics *metrics, struct buf *stamp, struct err *err)
{
    struct reader reader = {.path = mem_text(path)};
    if (stamp)
        (void)store_stamp(path, stamp);
    int version = 0, failed = reader_begin(&reader, err);
    if (!failed) {
        failed = schema_version(reader.db, &version, err);
        if (!failed && version == SCHEMA_VERSION && !(failed = schema_check(reader.db, err)))
            failed = check_opened(&reader, metrics, err);
        reader_end(&reader);
    }
    if (stamp && (failed || version != SCHEMA_VERSION))
        buf_clear(stamp);
    reader_fini(&reader);
    return failed;
}
