/* From the list of tables to SQL and checks; see schema.h. */
#include "scheduler/store/schema.h"
#include "common/buf.h"
#include "common/endings.h"
#include "common/operations.h"
#include "common/phases.h"
#include "common/run_counters.h"
#include "scheduler/store/sql.h"
#include "scheduler/verdict/verdict.h"

#include <math.h>
#include <string.h>

/* The rows of schema_list.h. */
struct schema_row {
    enum { TABLE, COLUMN, END } kind;
    const char *table, *help;
    const char *name, *type;  /* of a column */
    const char *key, *suffix; /* of a table's end; "" when there is none */
};

static const struct schema_row rows[] = {
#define TABLE(table, help)              {TABLE, #table, help, NULL, NULL, NULL, NULL},
#define COLUMN(table, name, type, help) {COLUMN, #table, help, #name, type, NULL, NULL},
#define END(table, key, suffix)         {END, #table, NULL, NULL, NULL, key, suffix},
#include "scheduler/store/schema_list.h"
#undef TABLE
#undef COLUMN
#undef END
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

struct view {
    const char *name, *sql;
};

static const struct view views[] = {
#define VIEW(name, help, sql) {#name, sql},
#include "scheduler/store/view_list.h"
#undef VIEW
};

enum { VIEW_COUNT = sizeof views / sizeof *views };

/* Live trials are few however many have ended: with the first two of these indexes a restart reads only them. By the
 * third what ended since a reader looked last is found. */
static const char indexes[] = "CREATE INDEX live ON trials (trial) WHERE ending IS NULL;"
                              "CREATE INDEX decided ON decisions (trial);"
                              "CREATE INDEX told ON trials (told) WHERE told IS NOT NULL";

/* --- making --- */

/* The help goes into the statement as comments, which SQLite keeps: `.schema` in its shell explains itself. */
static void create_tables(struct buf *sql)
{
    for (const struct schema_row *row = rows; row < rows + ROW_COUNT; row++) {
        bool is_last = row->kind == COLUMN && row[1].kind == END && !*row[1].key;
        if (row->kind == TABLE)
            buf_format(sql, "CREATE TABLE %s ( -- %s\n", row->table, row->help);
        else if (row->kind == COLUMN)
            buf_format(sql, "  %s %s%s -- %s\n", row->name, row->type, is_last ? "" : ",", row->help);
        else
            buf_format(sql, "%s)%s;\n", row->key, row->suffix);
    }
}

int schema_make(struct db *db, struct err *err)
{
    struct buf sql = {0};
    create_tables(&sql);
    buf_format(&sql, "%s; PRAGMA application_id = %d; PRAGMA user_version = %d", indexes, SCHEMA_APPLICATION,
               SCHEMA_VERSION);
    int failed = db_execute(db, buf_str(&sql), err);
    buf_fini(&sql);
    return failed;
}

static int refresh_endings(struct db *db, struct err *err)
{
    for (int i = 0; i < ENDINGS_COUNT; i++) {
        enum ending ending = (enum ending)i;
        struct query query = QUERY(db, STATEMENT_PUT_ENDING, PUT(i), PUT(ending_name(ending)),
                                   PUT(trial_state_name(ending_state(ending))), PUT(ending_sentence(ending)));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

static int refresh_phases(struct db *db, struct err *err)
{
    for (int i = 0; i < PHASES_COUNT; i++) {
        enum phase phase = (enum phase)i;
        struct query query = QUERY(db, STATEMENT_PUT_PHASE, PUT(i), PUT(phase_name(phase)), PUT(phase_help(phase)));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

static int refresh_verdicts(struct db *db, struct err *err)
{
    for (int i = 0; i < VERDICTS_COUNT; i++) {
        const struct verdict verdict = {(enum verdict_kind)i, NAN};
        struct buf sentence = {0};
        verdict_sentence(&verdict, NAN, &sentence);
        struct query query = QUERY(db, STATEMENT_PUT_VERDICT, PUT(i), PUT(verdict_name(verdict.kind)),
                                   PUT(verdict_when(verdict.kind)), PUT(buf_str(&sentence)));
        int failed = query_run(&query, err);
        buf_fini(&sentence);
        if (failed)
            return -1;
    }
    return 0;
}

static int refresh_counters(struct db *db, struct err *err)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++) {
        enum run_counter counter = (enum run_counter)i;
        struct query query =
            QUERY(db, STATEMENT_PUT_COUNTER, PUT(i), PUT(run_counter_name(counter)), PUT(run_counter_unit(counter)),
                  PUT((int64_t)run_counter_scale(counter)), PUT(run_counter_help(counter)));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

static int refresh_operations(struct db *db, struct err *err)
{
    for (int i = 0; i < OPERATIONS_COUNT; i++) {
        struct query query = QUERY(db, STATEMENT_PUT_OPERATION, PUT(i), PUT(operation_name((enum operation)i)));
        if (query_run(&query, err))
            return -1;
    }
    return 0;
}

/* Whether the store has exactly this view: 1, 0, or -1 with a sentence. */
static int has_view(struct db *db, const struct view *view, const char *sql, struct err *err)
{
    struct query query = QUERY(db, STATEMENT_SQL_OF_VIEW, PUT(view->name));
    int row = query_row(&query, err);
    if (row <= 0)
        return row;
    bool same = strcmp(query_get_text(&query), sql) == 0;
    query_end(&query);
    return same;
}

static int refresh_view(struct db *db, const struct view *view, struct err *err)
{
    struct buf sql = {0}, drop = {0};
    buf_format(&sql, "CREATE VIEW %s AS %s", view->name, view->sql);
    buf_format(&drop, "DROP VIEW IF EXISTS %s", view->name);
    int same = has_view(db, view, buf_str(&sql), err);
    int failed = same < 0;
    if (!same)
        failed = db_execute(db, buf_str(&drop), err) || db_execute(db, buf_str(&sql), err);
    buf_fini(&sql);
    buf_fini(&drop);
    return failed ? -1 : 0;
}

int schema_refresh(struct db *db, struct err *err)
{
    if (refresh_endings(db, err) || refresh_phases(db, err) || refresh_verdicts(db, err) || refresh_counters(db, err) ||
        refresh_operations(db, err))
        return -1;
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (refresh_view(db, &views[i], err))
            return -1;
    return 0;
}

/* --- checking --- */

int schema_version(struct db *db, int *version, struct err *err)
{
    int64_t application, number;
    if (db_number(db, "PRAGMA application_id", &application, err) || db_number(db, "PRAGMA user_version", &number, err))
        return -1;
    if (application != SCHEMA_APPLICATION)
        return err_set(err, "%s: this is no store of gannet", db->path);
    if (number > SCHEMA_VERSION || number < 0)
        return err_set(err,
                       "%s: this store has schema version %lld, this gannet knows versions up to %d; use the newer "
                       "gannet that it was written with",
                       db->path, (long long)number, SCHEMA_VERSION);
    *version = (int)number;
    return 0;
}

int schema_check(struct db *db, struct err *err)
{
    struct buf sql = {0};
    int failed = 0;
    for (const struct schema_row *row = rows; row < rows + ROW_COUNT && !failed; row++)
        if (row->kind == TABLE) {
            buf_clear(&sql);
        } else if (row->kind == COLUMN) {
            buf_format(&sql, "%s%s.%s", sql.length ? ", " : "SELECT ", row->table, row->name);
        } else {
            buf_format(&sql, " FROM %s", row->table);
            failed = db_check(db, buf_str(&sql), err);
        }
    buf_fini(&sql);
    return failed;
}
