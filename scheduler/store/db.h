/* One connection to a store, and queries as they are written down elsewhere in this folder: a statement of
 * statement_list.h, its parameters put in order, its columns got in order.
 *
 *     struct query query = QUERY(db, STATEMENT_LEASE, PUT(trial), PUT(attempt));
 *     return query_run(&query, err);
 *
 * Codes of SQLite are put into words by one function of db.c. One thread at a time. */
#ifndef GANNET_SCHEDULER_STORE_DB_H
#define GANNET_SCHEDULER_STORE_DB_H

#include "common/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

enum statement {
#define STATEMENT(id, sql) STATEMENT_##id,
#include "scheduler/store/statement_list.h"
#undef STATEMENT
#define EXPECT(column, good, expected)
#define END(from)
#define CHECK(id, table, key) STATEMENT_CHECK_##id,
#include "scheduler/store/check_list.h"
#undef CHECK
#define CHECK(id, table, key) STATEMENT_FAULT_##id,
#include "scheduler/store/check_list.h"
#undef CHECK
#undef EXPECT
#undef END
    STATEMENTS_COUNT
};

/* What a parameter of a statement was given last. SQLite keeps that from one run of the statement to the next, and half
 * of what a trial's rows are given is what the row before had: to look costs a fifth of giving it again. */
struct last_given {
    enum { PARAMETER_UNKNOWN, PARAMETER_NULL, PARAMETER_INT, PARAMETER_REAL } kind;
    uint64_t bits;
};

struct db {
    struct sqlite3 *handle;
    char *path;                                        /* as the caller named it: for sentences */
    bool durable;                                      /* db_make_durable was called */
    bool exclusive;                                    /* nobody else can open the file beside us */
    int wal_pages;                                     /* in the WAL after the last commit */
    int wal_settled;                                   /* of these, how many a checkpoint was tried for */
    uint64_t run;                                      /* statements that were run so far */
    struct sqlite3_stmt *statements[STATEMENTS_COUNT]; /* prepared when first used, then kept */
    struct last_given *parameters[STATEMENTS_COUNT];   /* of each, counted from 1; 0 is for none */
};

/* Opens an existing file for writing, with the locking that its filesystem needs, or for reading only. The file is not
 * changed yet, and need not be a store: schema_version says. On failure -1 with a sentence and nothing is open. */
int db_open_to_write(struct db *db, const char *path, struct err *err);
int db_open_to_read(struct db *db, const char *path, struct err *err);

/* From here on what db_commit reported survives loss of power. For files that are known to be ours. */
int db_make_durable(struct db *db, struct err *err);
void db_close(struct db *db); /* of a zeroed struct is fine */

/* Once *stop is true, statements fail within some thousand of SQLite's steps. Another thread may set it. */
void db_stop_at(struct db *db, const atomic_bool *stop);

/* Copies what the WAL has into the database file when enough has gathered, and says whether it tried. To be called
 * after a commit. A failure costs nothing but disk space: what was committed stays in the WAL. */
bool db_checkpoint(struct db *db);

/* Before the last close: leaves a file that is whole by itself, and alone; if a reader is in the way, as much of that
 * as can be. */
void db_settle(struct db *db);

/* Before the last close: leaves the WAL as it is. */
void db_leave(struct db *db);

/* Words for a code of SQLite: 0 when it is none, else -1 with a sentence. */
int db_fail(const struct db *db, int code, struct err *err);

/* Whether such a sentence says that the disk or the quota is full, which may pass. */
bool db_is_full(const struct err *err);

/* Runs SQL without results, one statement or several. */
int db_execute(struct db *db, const char *sql, struct err *err);

/* The first column of the first row of some SQL, as a number; 0 when there is no row. */
int db_number(struct db *db, const char *sql, int64_t *out, struct err *err);

/* Whether there is a table with this column. */
int db_check_column(struct db *db, const char *table, const char *column, struct err *err);

/* A transaction. Between db_begin_read and db_rollback all queries see the same state of the store. db_rollback is fine
 * when none is open. */
int db_begin_read(struct db *db, struct err *err);
int db_begin_write(struct db *db, struct err *err);
int db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db);

/* Rows that the last statement changed. */
int db_changes(const struct db *db);

/* --- queries --- */

struct query {
    struct db *db;
    struct sqlite3_stmt *stmt; /* NULL: it could not be prepared */
    struct last_given *parameters;
    int at;   /* the parameter or the column that comes next, counted from 1 and from 0 */
    int code; /* what went wrong first; 0: nothing yet */
};

/* A statement must have ended (query_run, the last row, query_end) before it is made anew. */
struct query query_make(struct db *db, enum statement which);

/* One parameter. Texts must live until the query has ended; NULL and NaN are stored as NULL. */
struct put {
    enum { PUT_INT, PUT_REAL, PUT_TEXT } kind;
    union {
        int64_t integer;
        double real;
        const char *text;
    };
};

struct put put_int(int64_t number);
struct put put_u64(uint64_t number); /* above 2^63 - 1 as the negative number of the same bits */
struct put put_real(double number);
struct put put_text(const char *text);
struct put put_nonzero(uint64_t number); /* 0: NULL */

/* A parameter of the value's own type, and a query with such parameters. */
#define PUT(value)                                                                                                     \
    _Generic((value), double : put_real, char * : put_text, const char * : put_text, uint64_t : put_u64, default : put_int)(value)
#define QUERY(db, which, ...)                                                                                          \
    query_with(db, which, (const struct put[]){__VA_ARGS__},                                                           \
               sizeof((const struct put[]){__VA_ARGS__}) / sizeof(struct put))
struct query query_with(struct db *db, enum statement which, const struct put *puts, size_t count);

/* The next parameter, where they are put one by one. */
void query_put_int(struct query *query, int64_t number);
void query_put_u64(struct query *query, uint64_t number);
void query_put_real(struct query *query, double number);
void query_put_text(struct query *query, const char *text);
void query_put_null(struct query *query);
void query_put_nonzero(struct query *query, uint64_t number); /* 0: NULL */

/* Runs a query that has no rows. -1 with a sentence. */
int query_run(struct query *query, struct err *err);

/* The next row: 1; 0: there is none any more; -1 with a sentence. After 0 and -1 the query has ended. */
int query_row(struct query *query, struct err *err);
void query_end(struct query *query); /* before the last row */

/* The rows of a query as an array. */
struct rows {
    char *items; /* free() it */
    size_t count;
    size_t capacity;
};

/* Reads all rows, each into a new zeroed item of `size` bytes. -1 with a sentence; the items until then are there. */
int query_rows(struct query *query, struct rows *rows, size_t size,
               void (*get)(struct query *query, void *item, void *context), void *context, struct err *err);

/* The number in the first column of the one row: 1; 0: there is no row; -1 with a sentence. The query has ended. */
int query_number(struct query *query, int64_t *out, struct err *err);

/* The next column of the row. What is NULL or of another type is 0, NaN, or "". Texts are valid until the next row. */
bool query_is_null(const struct query *query); /* looks, and does not go on to the next */
void query_skip(struct query *query);
int64_t query_get_int(struct query *query);
uint64_t query_get_u64(struct query *query);
double query_get_real(struct query *query);
const char *query_get_text(struct query *query);

/* The next column as a number of 0 .. count - 1; -1 when it is NULL or any other. */
int query_get_enum(struct query *query, int count);

/* The library's version; *safe: it has no fault known to damage files. Such are versions by their numbers (3.51.3 is
 * 3051003). */
const char *db_library(bool *safe);
bool db_is_safe_version(int number);

#endif
