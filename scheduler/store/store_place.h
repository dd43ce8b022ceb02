/* Whether a store that is being written is still where it was opened, and what is done when it is not: SQLite goes on
 * writing to a file that has no name any more, or to one that somebody moved away. */
#ifndef GANNET_SCHEDULER_STORE_STORE_PLACE_H
#define GANNET_SCHEDULER_STORE_STORE_PLACE_H

#include "common/err.h"
#include "scheduler/store/db.h"

#include <stdbool.h>
#include <sys/stat.h>

/* What tells a file from another, and whether its content was changed. */
struct file_mark {
    bool known;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed; /* last time of a change of content */
};

struct store_place {
    struct file_mark file; /* gannet.db, as it was after our last checkpoint */
    struct file_mark log;  /* gannet.db-wal; not known before something was written */
    char *log_path;        /* its path: it is looked at after every commit */
    char *identity;        /* of the store; NULL: it has none */
};

/* Remembers the file of an open store. */
int store_place_open(struct store_place *place, struct db *db, struct err *err);
void store_place_close(struct store_place *place);

/* Remembers what is in it: to be called after each checkpoint of ours. */
void store_place_note(struct store_place *place, const struct db *db);

/* After a commit: 0 when both files are where they were and nobody else has written the store. Else what was recorded
 * is copied beside the store as far as it can be read, and -1 with a sentence that says what has happened, where the
 * copy is and how to go on. */
int store_place_check(struct store_place *place, struct db *db, struct err *err);

#endif
