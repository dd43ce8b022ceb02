/* The store: one SQLite file, one writer (the coordinator's store thread), any number of readers. docs/store.md says
 * what is in it; statement_list.h has every SQL statement. Two halves: writing (store_*) and reading (reader_*, in
 * reader.h).
 *
 * Durability: WAL with synchronous=FULL; an event that store_write reported as committed survives power loss. On a
 * network filesystem WAL needs shared memory that is not there: the store then locks the file for itself
 * (locking_mode=EXCLUSIVE), and readers ask the coordinator. */
#ifndef GANNET_SCHEDULER_STORE_STORE_H
#define GANNET_SCHEDULER_STORE_STORE_H

#include "common/err.h"
#include "common/metric.h"
#include "scheduler/core/event.h"
#include "scheduler/core/memory.h"
#include "search/searcher.h"

#include <stdbool.h>

struct store;

/* What is written about the experiment once. */
struct store_experiment {
    const char *name, *description, *spec; /* spec: the frozen YAML */
    uint64_t seed;
    struct metrics metrics; /* that trials are judged by */
    const char *strategy;
    const struct searcher_past *past; /* trials of earlier experiments to start from */
    size_t past_count;                /* of `past` */
    const char *identity;             /* of the run directory; NULL: it has none */
    const char *parameters; /* JSON array, one object a parameter: name, kind, min, max, log, step, values, ... */
};

/* Makes a new store. -1 (NULL) with a sentence, also when the file is there already. */
struct store *store_make(const char *path, const struct store_experiment *experiment, struct err *err);

/* Opens one for writing, migrating an older schema. A newer one than this gannet knows is refused with a sentence. */
struct store *store_open(const char *path, struct err *err);
void store_close(struct store *store); /* NULL is fine */

/* The same for who comes back soon: what was committed stays in the write-ahead log beside the file, where every reader
 * finds it. That saves a dozen waits for the disk. */
void store_leave(struct store *store);

/* Whether readers can't open the file beside us (network filesystem). */
bool store_is_exclusive(const struct store *store);

/* A reader on the store's own connection, for the thread that has the store, between two writes: it works also where
 * readers can't open the file beside us. Belongs to the store; never NULL. */
struct reader;
struct reader *store_reader(struct store *store);

/* Statements that were run on it so far. */
uint64_t store_statements(const struct store *store);

/* Writes events and commits them in one transaction. On failure -1 with a sentence, nothing of them is written, and the
 * same call may be repeated later (a full disk that was cleared). */
int store_write(struct store *store, const struct event *events, size_t count, struct err *err);

/* Whether store_write has found that its file was removed, moved, replaced or overwritten meanwhile: nothing can be
 * written any more, and the sentence of store_write says where what was recorded is. */
bool store_is_lost(const struct store *store);

/* What checks of a store give when a row of it makes no sense; the sentence names file, table and row. */
enum { STORE_DAMAGED = -2 };

/* Whether a search can go on from this file, which is only read: -1 when it can't be read; STORE_DAMAGED, also when it
 * is judged by other metrics than these. One of an older schema is checked when it is brought up to date. `stamp`
 * (NULL: not wanted), which is empty: the state of the files whose rows were all checked and make sense (stamp.h), else
 * "". */
int store_check(const char *path, const struct metrics *metrics, struct buf *stamp, struct err *err);

/* Its rows were checked in the state in which it was opened: the next store_recall passes over them. */
void store_was_checked(struct store *store);

/* Whether trials are judged by just these metrics, which are those of the frozen experiment: -1 or STORE_DAMAGED. */
int reader_check(struct reader *reader, const struct metrics *metrics, struct err *err);

/* What the core needs to go on, and counts the session up (committed at once). -1 or STORE_DAMAGED, and nothing is
 * changed. */
int store_recall(struct store *store, struct memory *out, struct err *err);

/* What the core needs of one trial that has not ended: `out` holds that trial alone, or none when it has. -1 with a
 * sentence. */
int store_recall_trial(struct store *store, uint64_t trial, struct memory *out, struct err *err);

/* What the trials that have ended add up to, as of the last commit. */
struct tally store_tally(const struct store *store);

/* The same without a session: for who writes without a core. */
int store_look(struct store *store, struct memory *out, struct err *err);

#endif
