/* Queries, transactions and the words for SQLite's codes; see db.h. */
#include "scheduler/store/db.h"
#include "common/mem.h"
#include "scheduler/store/ended_row.h"
#include "scheduler/store/sql.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

static const char *const sql_of[] = {
#define STATEMENT(id, sql) sql,
#include "scheduler/store/statement_list.h"
#undef STATEMENT
/* Of each check whether each of its rows is as it should be. (SQLite would look for the first that is not by itself,
 * but what a WHERE adds to reading the SQL costs more than to step through the rows.) */
#define CHECK(id, table, key)          "SELECT 1"
#define EXPECT(column, good, expected) " AND (" good ") IS TRUE"
#define END(from)                      " FROM " from,
#include "scheduler/store/check_list.h"
#undef CHECK
#undef EXPECT
#undef END
/* And the first row that does, with the reason. */
#define CHECK(id, table, key) "SELECT '" table "', name, why FROM (SELECT " key " AS name, CASE"
#define EXPECT(column, good, expected)                                                                                 \
    " WHEN NOT coalesce(" good ", 0) THEN '" column " is ' || substr(quote(" column "), 1, 60) || '; " expected        \
    " is expected'"
#define END(from) " END AS why FROM " from ") WHERE why IS NOT NULL LIMIT 1",
#include "scheduler/store/check_list.h"
#undef CHECK
#undef EXPECT
#undef END
};

/* --- what went wrong, as sentences --- */

/* What a person can do about a code. */
struct sqlite_advice {
    int code;
    const char *sentence;
};

static const struct sqlite_advice advices[] = {
    {SQLITE_FULL, "the disk or the quota is full; make room there, nothing that was committed is lost"},
    {SQLITE_IOERR, "the filesystem failed; look at the disk and its quota"},
    {SQLITE_CORRUPT, "it is damaged, or a copy was put back beside the -wal file of another (then remove -wal and "
                     "-shm); keep a copy, and "
                     "save what can be read with: sqlite3 FILE .recover"},
    {SQLITE_NOTADB, "it is no SQLite database"},
    {SQLITE_BUSY, "another program has it locked; end that program, or ask the coordinator if one runs"},
    {SQLITE_LOCKED, "another program has it locked; end that program, or ask the coordinator if one runs"},
    {SQLITE_PROTOCOL, "another program has it locked; end that program, or ask the coordinator if one runs"},
    {SQLITE_READONLY, "it can't be written; look at the permissions of the file and of its directory"},
    {SQLITE_CANTOPEN, "it or the files beside it can't be opened; look at the permissions of its directory"},
    {SQLITE_PERM, "it can't be opened; look at its permissions"},
    {SQLITE_NOMEM, "there is not enough memory"},
    {SQLITE_TOOBIG, "a text is larger than a row can hold"},
    {SQLITE_CONSTRAINT, "what was to be written contradicts what is there"},
    {SQLITE_INTERRUPT, "reading it was broken off"},
    {SQLITE_SCHEMA, "its tables are not those of a store"},
    {SQLITE_ERROR, "its tables are not those of a store"},
};

/* Quotas and limits of file size come as plain I/O errors, and are the same to a person as a full disk. SQLite's own
 * record of errno misses failures in a COMMIT, so it is read here; callers clear it before they run SQL. */
static int plain_code(int code)
{
    bool is_full = (code & 0xff) == SQLITE_IOERR && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
    return is_full ? SQLITE_FULL : code & 0xff;
}

/* The one place where codes of SQLite become sentences. */
int db_fail(const struct db *db, int code, struct err *err)
{
    if (code == SQLITE_OK)
        return 0;
    const char *sentence = "it can't be used";
    int plain = plain_code(code);
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].code == plain)
            sentence = advices[i].sentence;
    const char *detail = db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);
    return err_set(err, "%s: %s (SQLite: %s)", db->path, sentence, detail);
}

bool db_is_full(const struct err *err)
{
    return strstr(err->text, advices[0].sentence) != NULL;
}

/* --- SQL as text --- */

int db_execute(struct db *db, const char *sql, struct err *err)
{
    errno = 0;
    return db_fail(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL), err);
}

int db_number(struct db *db, const char *sql, int64_t *out, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(stmt);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    int failed = code == SQLITE_ROW || code == SQLITE_DONE ? 0 : db_fail(db, code, err);
    sqlite3_finalize(stmt);
    return failed;
}

int db_check_column(struct db *db, const char *table, const char *column, struct err *err)
{
    errno = 0;
    return db_fail(db, sqlite3_table_column_metadata(db->handle, "main", table, column, NULL, NULL, NULL, NULL, NULL),
                   err);
}

static int is_stopped(void *context)
{
    return atomic_load((const atomic_bool *)context);
}

void db_stop_at(struct db *db, const atomic_bool *stop)
{
    enum { STEPS = 4000 }; /* of some 20 ns to some microseconds: to be asked costs nothing beside them */
    sqlite3_progress_handler(db->handle, STEPS, is_stopped, (void *)stop);
}

/* --- transactions --- */

static int run_alone(struct db *db, enum statement which, struct err *err)
{
    struct query query = query_make(db, which);
    return query_run(&query, err);
}

int db_begin_read(struct db *db, struct err *err)
{
    return run_alone(db, STATEMENT_BEGIN, err);
}

int db_begin_write(struct db *db, struct err *err)
{
    return run_alone(db, STATEMENT_BEGIN_WRITE, err);
}

int db_commit(struct db *db, struct err *err)
{
    return run_alone(db, STATEMENT_COMMIT, err);
}

void db_rollback(struct db *db)
{
    /* SQLite has rolled back by itself after some errors. */
    if (db->handle && !sqlite3_get_autocommit(db->handle))
        run_alone(db, STATEMENT_ROLLBACK, NULL);
}

int db_changes(const struct db *db)
{
    return sqlite3_changes(db->handle);
}

/* --- queries --- */

struct query query_make(struct db *db, enum statement which)
{
    struct query query = {.db = db, .stmt = db->statements[which], .parameters = db->parameters[which], .at = 1};
    if (query.stmt)
        return query;
    query.code = sqlite3_prepare_v3(db->handle, sql_of[which], -1, SQLITE_PREPARE_PERSISTENT, &query.stmt, NULL);
    db->statements[which] = query.stmt;
    if (query.stmt)
        db->parameters[which] = MEM_ARRAY(struct last_given, (size_t)sqlite3_bind_parameter_count(query.stmt) + 1);
    query.parameters = db->parameters[which];
    return query;
}

static int64_t same_bits(uint64_t number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

struct put put_int(int64_t number)
{
    return (struct put){.kind = PUT_INT, .integer = number};
}

struct put put_u64(uint64_t number)
{
    return put_int(same_bits(number));
}

struct put put_real(double number)
{
    return (struct put){.kind = PUT_REAL, .real = number};
}

struct put put_text(const char *text)
{
    return (struct put){.kind = PUT_TEXT, .text = text};
}

struct put put_nonzero(uint64_t number)
{
    return number ? put_u64(number) : put_text(NULL);
}

struct query query_with(struct db *db, enum statement which, const struct put *puts, size_t count)
{
    struct query query = query_make(db, which);
    for (size_t i = 0; i < count; i++)
        if (puts[i].kind == PUT_INT)
            query_put_int(&query, puts[i].integer);
        else if (puts[i].kind == PUT_REAL)
            query_put_real(&query, puts[i].real);
        else
            query_put_text(&query, puts[i].text);
    return query;
}

/* Whether the next parameter has this value already; then it is passed. */
static bool has_value(struct query *query, struct last_given value)
{
    const struct last_given *parameter = query->code ? NULL : &query->parameters[query->at];
    bool has = parameter && parameter->kind == value.kind && parameter->bits == value.bits;
    query->at += has;
    return has;
}

/* After a parameter was given a value. There is no such parameter where that failed. */
static void note_value(struct query *query, struct last_given value, int code)
{
    if (!query->code && !code)
        query->parameters[query->at] = value;
    if (!query->code)
        query->code = code;
    query->at++;
}

void query_put_int(struct query *query, int64_t number)
{
    struct last_given value = {PARAMETER_INT, (uint64_t)number};
    if (!has_value(query, value))
        note_value(query, value, sqlite3_bind_int64(query->stmt, query->at, number));
}

void query_put_u64(struct query *query, uint64_t number)
{
    query_put_int(query, same_bits(number));
}

void query_put_real(struct query *query, double number)
{
    struct last_given value = {.kind = PARAMETER_REAL};
    memcpy(&value.bits, &number, sizeof number);
    if (isnan(number))
        query_put_null(query);
    else if (!has_value(query, value))
        note_value(query, value, sqlite3_bind_double(query->stmt, query->at, number));
}

void query_put_text(struct query *query, const char *text)
{
    struct last_given value = {.kind = PARAMETER_UNKNOWN}; /* the same place may have another text */
    if (text)
        note_value(query, value, sqlite3_bind_text(query->stmt, query->at, text, -1, SQLITE_STATIC));
    else
        query_put_null(query);
}

void query_put_null(struct query *query)
{
    struct last_given value = {.kind = PARAMETER_NULL};
    if (!has_value(query, value))
        note_value(query, value, sqlite3_bind_null(query->stmt, query->at));
}

void query_put_nonzero(struct query *query, uint64_t number)
{
    if (number)
        query_put_u64(query, number);
    else
        query_put_null(query);
}

int query_row(struct query *query, struct err *err)
{
    errno = 0;
    int code = query->code ? query->code : sqlite3_step(query->stmt);
    query->at = 0;
    if (code == SQLITE_ROW)
        return 1;
    int result = code == SQLITE_DONE ? 0 : db_fail(query->db, code, err);
    query_end(query);
    return result;
}

int query_run(struct query *query, struct err *err)
{
    int row = query_row(query, err);
    if (row > 0)
        query_end(query);
    return row < 0 ? -1 : 0;
}

void query_end(struct query *query)
{
    query->db->run++;
    sqlite3_reset(query->stmt);
}

int query_rows(struct query *query, struct rows *rows, size_t size,
               void (*get)(struct query *query, void *item, void *context), void *context, struct err *err)
{
    int row;
    while ((row = query_row(query, err)) > 0) {
        mem_grow(&rows->items, &rows->capacity, rows->count + 1, size);
        get(query, memset(rows->items + rows->count++ * size, 0, size), context);
    }
    return row;
}

int query_number(struct query *query, int64_t *out, struct err *err)
{
    int row = query_row(query, err);
    if (row > 0) {
        *out = query_get_int(query);
        query_end(query);
    }
    return row;
}

bool query_is_null(const struct query *query)
{
    return sqlite3_column_type(query->stmt, query->at) == SQLITE_NULL;
}

void query_skip(struct query *query)
{
    query->at++;
}

int64_t query_get_int(struct query *query)
{
    return sqlite3_column_int64(query->stmt, query->at++);
}

uint64_t query_get_u64(struct query *query)
{
    return (uint64_t)query_get_int(query);
}

double query_get_real(struct query *query)
{
    if (query_is_null(query)) {
        query->at++;
        return NAN;
    }
    return sqlite3_column_double(query->stmt, query->at++);
}

const char *query_get_text(struct query *query)
{
    const char *text = (const char *)sqlite3_column_text(query->stmt, query->at++);
    if (!text && sqlite3_errcode(query->db->handle) == SQLITE_NOMEM)
        mem_fail("SQLite"); /* an empty text would pass for what is recorded */
    return text ? text : "";
}

int query_get_enum(struct query *query, int count)
{
    bool is_number = sqlite3_column_type(query->stmt, query->at) == SQLITE_INTEGER;
    int64_t number = query_get_int(query);
    return is_number && number >= 0 && number < count ? (int)number : -1;
}

/* Two connections that restart the log at the same moment could damage the file, until 3.51.3; 3.50.7 and 3.44.6 have
 * the same remedy (https://sqlite.org/wal.html). */
bool db_is_safe_version(int number)
{
    return number >= 3051003 || (number >= 3050007 && number < 3051000) || (number >= 3044006 && number < 3045000);
}

const char *db_library(bool *safe)
{
    *safe = db_is_safe_version(sqlite3_libversion_number());
    return sqlite3_libversion();
}
