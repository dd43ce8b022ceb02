/* Opening and closing a store's file, its locking, its durability, and its WAL; see db.h.
 *
 *     where                     the coordinator                       readers
 *     local filesystem          WAL with shared memory                read beside it
 *     network filesystem        WAL, the file locked for itself       ask the coordinator
 *     at rest, left in order    -                                     read one plain file; nothing is written
 *     at rest, after a kill     -                                     recover what is in the WAL, in memory
 *     killed in the last close  -                                     undo what the rollback journal says, as SQLite
 * does
 *
 * mmap is not used: reading a file that shrinks meanwhile would then end the program by a signal instead of an error.
 */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/db.h"
#include "scheduler/store/network_disk.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* How long to wait for another program's lock. Readers need none, but for the moment in which a store is opened. */
    WRITER_MILLIS = 5000,
    READER_MILLIS = 1000,
    /* Where a file is locked for itself readers lock it, too, and may come one after the other. */
    LOCKING_MILLIS = 30000,
    /* How long the last close waits for who reads, and how often it tries. */
    LEAVING_MILLIS = 500,
    LEAVING_PAUSE_MILLIS = 10,
    /* A commit of 60 short trials adds 112 KiB to the WAL, so a checkpoint for 4 MiB is one for 36 commits: 11 % more
     * fsyncs (measured), and since rows are appended, most pages are full by then and written once. */
    CHECKPOINT_PAGES = 500,
    /* A reader that stays in the way lets the WAL grow. From 64 MiB on, writing waits for it, a second at most for each
     * further 500 pages; the file shrinks back to this size afterwards. */
    CROWDED_PAGES = 8192,
    CROWDED_MILLIS = 1000,
    /* A row of more than a quarter of a page has a page of its own beside: one of a run whose operations are timed has
     * 1,000 to 1,800 bytes. Of new stores; others keep their 4 KiB. */
    PAGE_BYTES = 8192,
    CACHE_KIB = 16384,
};

/* --- the file --- */

static int check_file(const char *path, struct err *err)
{
    struct stat info;
    if (stat(path, &info))
        return err_errno(err, "can't open the store %s", path);
    if (!S_ISREG(info.st_mode))
        return err_set(err, "%s is no file; the store of an experiment is gannet.db in its run directory", path);
    return 0;
}

/* SQLite's name for a file, so that no character in the path has a meaning of its own. */
static char *uri_of(const char *path, const char *parameters)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/";
    struct buf uri = {0};
    buf_text(&uri, *path == '/' ? "file://" : "file:");
    for (const char *at = path; *at; at++)
        buf_format(&uri, strchr(plain, *at) ? "%c" : "%%%02X", (unsigned char)*at);
    buf_text(&uri, parameters);
    return buf_take(&uri);
}

static int on_commit(void *context, sqlite3 *handle, const char *name, int pages)
{
    struct db *db = context;
    (void)handle;
    (void)name;
    db->wal_pages = pages;
    return SQLITE_OK;
}

/* What a damaged or malicious file could make SQLite do for it is switched off. */
static void harden_connection(sqlite3 *handle)
{
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

/* For all connections of the program. Refused, harmlessly, once a store is open. */
static void configure_library(void)
{
    /* Nobody asks for the statistics, and they take a lock at every allocation. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    /* The pages that a statement changes are kept as they were, in case that it fails: some dozen of them, in memory.
     * Beyond 64 KiB they would go to a file in /tmp, by more writes than a commit has, which may find no room there. */
    sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}

static int open_file(struct db *db, const char *path, const char *parameters, int flags, struct err *err)
{
    *db = (struct db){.path = mem_text(path)};
    configure_library();
    char *uri = uri_of(path, parameters);
    int code = sqlite3_open_v2(uri, &db->handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(uri);
    if (db_fail(db, code, err))
        return -1;
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_timeout(db->handle, WRITER_MILLIS);
    harden_connection(db->handle);
    return db_execute(db, "PRAGMA cell_size_check = ON", err);
}

static int is_closed(struct db *db)
{
    db_close(db);
    return -1;
}

/* --- for writing --- */

int db_open_to_write(struct db *db, const char *path, struct err *err)
{
    *db = (struct db){0};
    bool is_network;
    if (check_file(path, err) || network_disk_check(path, &is_network, err))
        return -1;
    if (open_file(db, path, "", SQLITE_OPEN_READWRITE, err))
        return is_closed(db);
    db->exclusive = is_network;
    if (is_network)
        sqlite3_busy_timeout(db->handle, LOCKING_MILLIS);
    /* Before the first look into the file: only then does the WAL do without shared memory. */
    if (is_network && db_execute(db, "PRAGMA locking_mode = EXCLUSIVE", err))
        return is_closed(db);
    return 0;
}

int db_make_durable(struct db *db, struct err *err)
{
    struct buf sql = {0};
    buf_format(&sql,
               "PRAGMA page_size = %d; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
               "PRAGMA wal_autocheckpoint = 0;"
               "PRAGMA journal_size_limit = %d; PRAGMA cache_size = -%d",
               PAGE_BYTES, CROWDED_PAGES * PAGE_BYTES, CACHE_KIB);
    int failed = db_execute(db, buf_str(&sql), err);
    buf_fini(&sql);
    sqlite3_wal_hook(db->handle, on_commit, db);
    db->durable = true;
    return failed;
}

bool db_checkpoint(struct db *db)
{
    if (db->wal_pages < db->wal_settled)
        db->wal_settled = 0; /* the WAL began anew */
    if (db->wal_pages - db->wal_settled < CHECKPOINT_PAGES)
        return false;
    bool crowded = db->wal_pages >= CROWDED_PAGES;
    sqlite3_busy_timeout(db->handle, CROWDED_MILLIS);
    sqlite3_wal_checkpoint_v2(db->handle, NULL, crowded ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, NULL,
                              NULL);
    sqlite3_busy_timeout(db->handle, WRITER_MILLIS);
    db->wal_settled = db->wal_pages;
    return true;
}

/* The store becomes one plain file, for which nobody may have it open: who reads closes it in milliseconds, mostly, and
 * SQLite itself does not wait for that. */
static int leave_wal(struct db *db)
{
    for (unsigned waited = 0;; waited += LEAVING_PAUSE_MILLIS) {
        int failed = db_execute(db, "PRAGMA journal_mode = DELETE", NULL);
        if (!failed || waited >= LEAVING_MILLIS || (sqlite3_errcode(db->handle) & 0xff) != SQLITE_BUSY)
            return failed;
        sqlite3_sleep(LEAVING_PAUSE_MILLIS);
    }
}

void db_settle(struct db *db)
{
    if (!db->durable)
        return;
    db_rollback(db);
    sqlite3_busy_timeout(db->handle, 0);
    if (leave_wal(db))
        sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

void db_leave(struct db *db)
{
    db_rollback(db);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

/* --- for reading --- */

/* How a file can be read. */
enum open_way {
    WAY_BESIDE,  /* as one of many */
    WAY_UNDOING, /* the same, with the right to undo what a killed writer had half done: a rollback journal is there */
    WAY_ALONE,   /* with the file locked meanwhile: WAL without shared memory */
    WAY_FROZEN   /* as a file that nobody changes: its directory can't be written, and there is no WAL */
};

static bool has_beside(const char *path, const char *ending)
{
    struct stat info;
    char *name = mem_format("%s%s", path, ending);
    bool has = stat(name, &info) == 0 && info.st_size > 0;
    free(name);
    return has;
}

/* By names and permissions alone: to open and close the file here, past SQLite, would drop the locks that a store of
 * this process may have on it. */
static enum open_way choose_way(const char *path, bool is_network)
{
    char *directory = path_directory(path);
    bool is_writable = access(directory, W_OK) == 0;
    free(directory);
    if (!is_writable && !has_beside(path, "-wal"))
        return WAY_FROZEN;
    if (is_network)
        return WAY_ALONE;
    return has_beside(path, "-journal") ? WAY_UNDOING : WAY_BESIDE;
}

int db_open_to_read(struct db *db, const char *path, struct err *err)
{
    *db = (struct db){0};
    bool is_network;
    if (check_file(path, err) || network_disk_check(path, &is_network, err))
        return -1;
    enum open_way way = choose_way(path, is_network);
    bool may_write = way == WAY_ALONE || way == WAY_UNDOING;
    if (open_file(db, path, way == WAY_FROZEN ? "?immutable=1" : "",
                  may_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, err))
        return is_closed(db);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    db->exclusive = way == WAY_ALONE;
    sqlite3_busy_timeout(db->handle, READER_MILLIS);
    if (way == WAY_ALONE && db_execute(db, "PRAGMA locking_mode = EXCLUSIVE", err))
        return is_closed(db);
    if (may_write && db_execute(db, "PRAGMA query_only = ON", err))
        return is_closed(db);
    return 0;
}

void db_close(struct db *db)
{
    for (size_t i = 0; i < STATEMENTS_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
        free(db->parameters[i]);
    }
    sqlite3_close(db->handle);
    free(db->path);
    *db = (struct db){0};
}
