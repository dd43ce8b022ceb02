/* Small stores for tests. */
#ifndef GANNET_TESTS_STORES_H
#define GANNET_TESTS_STORES_H

#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"

#include <sqlite3.h>

/* Fails the test with the sentence when `failed`. */
void fine(int failed, const struct err *err);

/* A new store of an experiment "test" that minimizes "loss". */
struct store *stores_make(const char *path);
struct store *stores_open(const char *path);
struct reader *stores_read(const char *path);

/* Writes trials first .. first + count - 1 in one commit, each from its proposal to its end: one attempt on worker 7,
 * metric loss = its number, three phases. What store_write gives. */
int stores_write(struct store *store, uint64_t first, uint64_t count, struct err *err);

/* The number of trials that have ended, by the snapshot. */
uint64_t stores_count(struct reader *reader);

/* Fails the test, showing both, when they differ. Both are freed. */
void same_json(json_t *got, json_t *expected);

/* Runs SQL on a file with SQLite itself, and gives the first column of the first row as a text, "" when there is none;
 * free() it. Fails the test when SQLite does. */
char *stores_sql(const char *path, const char *sql);

/* Whoever waits for a lock in a file that is opened from here on calls this instead, which gives the microseconds that
 * were asked for; until NULL ends it. */
void stores_wait_by(int (*wait)(sqlite3_vfs *vfs, int microseconds));

#endif
