/* SQLite whose statements fail on demand. It defines functions of SQLite's itself, which stand before those of the
 * library: one file of a test program includes this, and that program runs in one thread. */
#ifndef GANNET_TESTS_SQLITE_FAULTS_H
#define GANNET_TESTS_SQLITE_FAULTS_H

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

/* The statement number `at` from now on (1: the next one) fails with this code; 0: none does. */
static struct {
    unsigned at;
    int code;
    bool came;   /* it has failed */
    bool inside; /* SQLite runs a statement, which may have others of its own */
} planned;

/* Rolling back is all that is left to do then. */
static bool fails(const char *sql)
{
    if (!planned.at || planned.inside || (sql && strncmp(sql, "ROLLBACK", 8) == 0))
        return false;
    if (--planned.at)
        return false;
    planned.came = true;
    return true;
}

/* Whether we were outside of it. */
static bool enter_library(void)
{
    bool outside = !planned.inside;
    planned.inside = true;
    return outside;
}

/* These stand before those of the library, which calls some of them, too. */
int sqlite3_step(sqlite3_stmt *stmt)
{
    static int (*next)(sqlite3_stmt * stmt);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_step");
    if (fails(sqlite3_sql(stmt)))
        return planned.code;
    bool outside = enter_library();
    int code = next(stmt);
    planned.inside = !outside;
    return code;
}

int sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *context, char **why)
{
    static int (*next)(sqlite3 * db, const char *sql, int (*row)(void *, int, char **, char **), void *context,
                       char **why);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_exec");
    if (fails(sql))
        return planned.code;
    bool outside = enter_library();
    int code = next(db, sql, row, context, why);
    planned.inside = !outside;
    return code;
}

int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int length, sqlite3_stmt **out, const char **rest)
{
    static int (*next)(sqlite3 * db, const char *sql, int length, sqlite3_stmt **out, const char **rest);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_prepare_v2");
    if (!fails(sql))
        return next(db, sql, length, out, rest);
    *out = NULL;
    return planned.code;
}

int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **out, const char **rest)
{
    static int (*next)(sqlite3 * db, const char *sql, int length, unsigned flags, sqlite3_stmt **out,
                       const char **rest);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
    if (!fails(sql))
        return next(db, sql, length, flags, out, rest);
    *out = NULL;
    return planned.code;
}

static void fail_at(unsigned at, int code)
{
    planned.at = at;
    planned.code = code;
    planned.came = false;
}

/* Whether one has failed; from now on none does. */
static bool mend(void)
{
    planned.at = 0;
    return planned.came;
}

#endif
