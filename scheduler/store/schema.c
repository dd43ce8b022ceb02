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

struct schema_view {
    const char *name, *sql; /* what makes it, as SQLite keeps it */
};

static const struct schema_view views[] = {
#define VIEW(name, help, sql) {#name, "CREATE VIEW " #name " AS " sql},
#include "scheduler/store/view_list.h"
#undef VIEW
};

enum { VIEW_COUNT = sizeof views / sizeof *views };

/* With it a restart reads the decisions about live trials alone. Trials have no index: each is written three times. */
static const char indexes[] = "CREATE INDEX decided ON decisions (trial)";

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

/* --- rows and views that are made of our tables --- */

/* A table whose rows are those of a table of ours, numbered from 0. */
struct listed {
    enum statement read, put; /* reads all rows by their numbers; puts one */
    int count;
    int columns;
    void (*get)(int number, struct put *columns, struct buf *words); /* `words`, which is empty: for a text to make */
};

enum { MOST_COLUMNS = 5 };

static void get_ending(int number, struct put *columns, struct buf *words)
{
    enum ending ending = (enum ending)number;
    (void)words;
    columns[1] = PUT(ending_name(ending));
    columns[2] = PUT(trial_state_name(ending_state(ending)));
    columns[3] = PUT(ending_sentence(ending));
}

static void get_phase(int number, struct put *columns, struct buf *words)
{
    (void)words;
    columns[1] = PUT(phase_name((enum phase)number));
    columns[2] = PUT(phase_help((enum phase)number));
}

static void get_verdict(int number, struct put *columns, struct buf *words)
{
    const struct verdict verdict = {(enum verdict_kind)number, NAN};
    verdict_sentence(&verdict, NAN, words);
    columns[1] = PUT(verdict_name(verdict.kind));
    columns[2] = PUT(verdict_when(verdict.kind));
    columns[3] = PUT(buf_str(words));
}

static void get_counter(int number, struct put *columns, struct buf *words)
{
    enum run_counter counter = (enum run_counter)number;
    (void)words;
    columns[1] = PUT(run_counter_name(counter));
    columns[2] = PUT(run_counter_unit(counter));
    columns[3] = PUT((int64_t)run_counter_scale(counter));
    columns[4] = PUT(run_counter_help(counter));
}

static void get_operation(int number, struct put *columns, struct buf *words)
{
    (void)words;
    columns[1] = PUT(operation_name((enum operation)number));
}

static const struct listed listed[] = {
    {STATEMENT_LIST_ENDINGS, STATEMENT_PUT_ENDING, ENDINGS_COUNT, 4, get_ending},
    {STATEMENT_LIST_PHASES, STATEMENT_PUT_PHASE, PHASES_COUNT, 3, get_phase},
    {STATEMENT_LIST_VERDICTS, STATEMENT_PUT_VERDICT, VERDICTS_COUNT, 4, get_verdict},
    {STATEMENT_LIST_COUNTERS, STATEMENT_PUT_COUNTER, RUN_COUNTERS_COUNT, 5, get_counter},
    {STATEMENT_LIST_OPERATIONS, STATEMENT_PUT_OPERATION, OPERATIONS_COUNT, 2, get_operation},
};

static void get_listed(const struct listed *list, int number, struct put *columns, struct buf *words)
{
    buf_clear(words);
    columns[0] = PUT(number);
    list->get(number, columns, words);
}

/* The row of the query against the columns that it should have. */
static bool is_same(struct query *query, const struct put *columns, int count)
{
    bool same = true;
    for (int i = 0; i < count; i++)
        if (columns[i].kind == PUT_TEXT)
            same = strcmp(query_get_text(query), columns[i].text) == 0 && same;
        else
            same = query_get_int(query) == columns[i].integer && same;
    return same;
}

/* How many rows from the first on are as they should be; -1 with a sentence. */
static int count_same(struct db *db, const struct listed *list, struct err *err)
{
    struct put columns[MOST_COLUMNS];
    struct buf words = {0};
    struct query query = query_make(db, list->read);
    int row, at = 0;
    while ((row = query_row(&query, err)) > 0) {
        if (at < list->count)
            get_listed(list, at, columns, &words);
        if (at == list->count || !is_same(&query, columns, list->columns)) {
            query_end(&query);
            break;
        }
        at++;
    }
    buf_fini(&words);
    return row < 0 ? -1 : at;
}

/* To read costs a twentieth of what writing each row anew does, which would change nothing almost always. */
static int refresh_rows(struct db *db, const struct listed *list, struct err *err)
{
    struct put columns[MOST_COLUMNS];
    struct buf words = {0};
    int at = count_same(db, list, err), failed = at < 0;
    for (; !failed && at < list->count; at++) {
        get_listed(list, at, columns, &words);
        struct query query = query_with(db, list->put, columns, (size_t)list->columns);
        failed = query_run(&query, err);
    }
    buf_fini(&words);
    return failed ? -1 : 0;
}

/* Which of the views the store has exactly so. */
static int find_views(struct db *db, bool *found, struct err *err)
{
    int row;
    struct query query = query_make(db, STATEMENT_LIST_VIEWS);
    while ((row = query_row(&query, err)) > 0) {
        const char *sql = query_get_text(&query);
        for (size_t i = 0; i < VIEW_COUNT; i++)
            found[i] = found[i] || strcmp(sql, views[i].sql) == 0;
    }
    return row;
}

static int make_view(struct db *db, const struct schema_view *view, struct err *err)
{
    struct buf drop = {0};
    buf_format(&drop, "DROP VIEW IF EXISTS %s", view->name);
    int failed = db_execute(db, buf_str(&drop), err) || db_execute(db, view->sql, err);
    buf_fini(&drop);
    return failed ? -1 : 0;
}

int schema_refresh(struct db *db, struct err *err)
{
    bool found[VIEW_COUNT] = {0};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (refresh_rows(db, &listed[i], err))
            return -1;
    if (find_views(db, found, err))
        return -1;
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (!found[i] && make_view(db, &views[i], err))
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
    for (const struct schema_row *row = rows; row < rows + ROW_COUNT; row++)
        if (row->kind == COLUMN && db_check_column(db, row->table, row->name, err))
            return -1;
    return 0;
}
