/* See store_place.h.
 *
 *     what happened to gannet.db       noticed by                             what is kept
 *     removed, moved, replaced         another inode at its path, or none     a copy of all: the open file has it yet
 *     its write-ahead log was          the same                               all, in gannet.db: a checkpoint
 *     overwritten (cp over it)         another size or time, and damage       a copy, if SQLite can still make one
 */
#include "scheduler/store/store_place.h"

#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct file_mark mark_of(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return (struct file_mark){0};
    return (struct file_mark){true, info.st_dev, info.st_ino, info.st_size, info.st_mtim};
}

static bool is_same_file(const struct file_mark *a, const struct file_mark *b)
{
    return a->known && b->known && a->device == b->device && a->inode == b->inode;
}

static bool has_same_content(const struct file_mark *a, const struct file_mark *b)
{
    return a->size == b->size && a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

int store_place_open(struct store_place *place, struct db *db, struct err *err)
{
    struct query query = query_make(db, STATEMENT_IDENTITY);
    int row = query_row(&query, err);
    if (row > 0 && !query_is_null(&query))
        place->identity = mem_text(query_get_text(&query));
    if (row > 0)
        query_end(&query);
    place->log_path = mem_format("%s-wal", db->path);
    store_place_note(place, db);
    return row < 0 ? -1 : 0;
}

void store_place_close(struct store_place *place)
{
    free(place->identity);
    free(place->log_path);
}

void store_place_note(struct store_place *place, const struct db *db)
{
    place->file = mark_of(db->path);
}

/* --- the copy --- */

/* "gannet.rescued-1.db" beside the store; when its directory is gone, "NAME.rescued-1.db" beside that. free() it. */
static char *copy_name(const struct db *db, int number)
{
    char *directory = path_directory(db->path);
    const char *original = path_exists(directory) ? db->path : directory;
    size_t length = strlen(original);
    if (original == db->path && length > 3 && strcmp(original + length - 3, ".db") == 0)
        length -= 3;
    char *name = mem_format("%.*s.rescued-%d.db", (int)length, original, number);
    free(directory);
    return name;
}

/* A new file of ours alone, into which SQLite may write. NULL: none can be made. */
static char *make_copy(const struct db *db)
{
    enum { MOST_COPIES = 100 };
    for (int number = 1; number <= MOST_COPIES; number++) {
        char *name = copy_name(db, number);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0) {
            share_file(fd, name);
            close(fd);
            return name;
        }
        bool is_taken = errno == EEXIST;
        free(name);
        if (!is_taken)
            return NULL;
    }
    return NULL;
}

static int copy_into(struct db *db, const char *name, struct err *err)
{
    char *sql = sqlite3_mprintf("VACUUM INTO %Q", name);
    int failed = db_execute(db, sql, err);
    sqlite3_free(sql);
    return failed;
}

/* Where all of it is now; NULL with the reason: it can't be copied. */
static char *rescue_store(struct db *db, struct err *err)
{
    char *name = make_copy(db);
    if (!name) {
        err_write_errno(err, "no file can be made beside it");
        return NULL;
    }
    if (copy_into(db, name, err) == 0)
        return name;
    unlink(name);
    free(name);
    return NULL;
}

/* --- the sentence --- */

static int report_lost(struct db *db, const char *what, struct err *err)
{
    struct err why = {0};
    char *copy = rescue_store(db, &why), *directory = path_directory(db->path);
    if (copy)
        err_write(err,
                  "the store %s was %s while the search ran. What was recorded until now is kept in %s: put it back "
                  "(mv %s %s), "
                  "then gannet run %s --resume goes on",
                  db->path, what, copy, copy, db->path, directory);
    else
        err_write(
            err,
            "the store %s was %s while the search ran, and what was recorded could not be copied: %s. Put the file "
            "back, then gannet run %s --resume goes on",
            db->path, what, why.text, directory);
    free(copy);
    free(directory);
    return -1;
}

static int report_lost_log(struct db *db, struct err *err)
{
    char *directory = path_directory(db->path);
    int failed = sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    if (failed)
        failed = report_lost(db, "parted from its write-ahead log (gannet.db-wal, removed or replaced)", err);
    else
        err_write(
            err,
            "the write-ahead log %s-wal was removed or replaced while the search ran. What was recorded until now "
            "is in the store; gannet run %s --resume goes on",
            db->path, directory);
    free(directory);
    return -1;
}

/* --- the check --- */

/* Whether SQLite finds no damage. */
static bool is_whole(struct db *db)
{
    sqlite3_stmt *check = NULL;
    bool whole = sqlite3_prepare_v2(db->handle, "PRAGMA quick_check(1)", -1, &check, NULL) == SQLITE_OK &&
                 sqlite3_step(check) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;
    sqlite3_finalize(check);
    return whole;
}

/* Whether another connection finds our experiment in the file, undamaged. SQLite takes an empty file for an empty
 * database, and then removes the log beside it. */
static bool is_sound(const struct store_place *place, const struct db *db)
{
    int64_t sound = 0;
    struct db fresh;
    if (db->exclusive) /* nobody else can have opened it */
        return true;
    if (place->file.size == 0 || db_open_to_read(&fresh, db->path, NULL))
        return false;
    char *sql = sqlite3_mprintf("SELECT identity IS %Q FROM experiment", place->identity);
    if (db_number(&fresh, sql, &sound, NULL) || !is_whole(&fresh))
        sound = 0;
    sqlite3_free(sql);
    db_close(&fresh);
    return sound;
}

/* Somebody else wrote the file. A checkpoint by another SQLite does no harm. */
static int check_content(struct store_place *place, struct db *db, const struct file_mark *file, struct err *err)
{
    place->file = *file;
    return is_sound(place, db) ? 0 : report_lost(db, "overwritten by another program", err);
}

int store_place_check(struct store_place *place, struct db *db, struct err *err)
{
    struct file_mark file = mark_of(db->path), log = mark_of(place->log_path);
    if (!file.known)
        return report_lost(db, "removed or moved away", err);
    if (!is_same_file(&file, &place->file))
        return report_lost(db, "replaced by another file", err);
    if (!place->log.known)
        place->log = log;
    else if (!is_same_file(&log, &place->log))
        return report_lost_log(db, err);
    return has_same_content(&file, &place->file) ? 0 : check_content(place, db, &file, err);
}
