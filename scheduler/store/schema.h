/* The schema of a store: made of schema_list.h and view_list.h, and checked. */
#ifndef GANNET_SCHEDULER_STORE_SCHEMA_H
#define GANNET_SCHEDULER_STORE_SCHEMA_H

#include "common/err.h"
#include "scheduler/store/db.h"

enum {
    SCHEMA_VERSION = 16,             /* PRAGMA user_version; counts up with every change of the tables */
    SCHEMA_APPLICATION = 0x676e7401, /* PRAGMA application_id: "gnt", 1 */
};

/* Makes all tables and indexes of the present version in an empty database, and marks it as ours. */
int schema_make(struct db *db, struct err *err);

/* Brings what is made of our tables up to date: the rows of endings, phases, verdicts and counters, and the views.
 * Changes nothing when all of it is as it should be. Within the caller's transaction. */
int schema_refresh(struct db *db, struct err *err);

/* Whether this is a store at all, and of which version. -1 with a sentence when it is none, or of a newer version than
 * this gannet knows. */
int schema_version(struct db *db, int *version, struct err *err);

/* Whether every table has its columns; the sentence names the first one that is missing. */
int schema_check(struct db *db, struct err *err);

#endif
