/* The store's own structs, for the files of this folder alone. The map of the folder:
 *
 *     schema_list.h, view_list.h   the tables and the views: master copies
 *     statement_list.h, sql.h      every statement, and what several have in common
 *     schema.c, migrate.c          make, check and document them; from an older version to this one
 *     db.c, db_open.c              a connection: queries, transactions, errors; opening, locking, durability
 *     network.c                    which filesystems can't share a store
 *     store.c                      make, open, close
 *     processor.c                  on which kinds of processors proposals were made
 *     progress.c                   how the experiment stands
 *     names.c                      small numbers for metrics and workers
 *     profile.c                    where the time of a run went
 *     write.c                      a transaction of events
 *     write_trial.c, write_run.c, write_worker.c, write_job.c, write_experiment.c, write_decision.c    one function an
 * event note.c                       for people recall.c                     what the core needs after a restart
 *     reader*.c                    the reading half
 */
#ifndef GANNET_SCHEDULER_STORE_STORE_PARTS_H
#define GANNET_SCHEDULER_STORE_STORE_PARTS_H

#include "common/map.h"
#include "scheduler/store/db.h"
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_parts.h"
#include "scheduler/store/store.h"

struct store {
    struct db db;
    struct progress progress;
    bool announced;       /* that the experiment goes on was noted in this session */
    bool maximize;        /* the objective */
    struct map metrics;   /* hash of the name -> struct metric_name */
    struct map workers;   /* number -> the row of the table workers, as a pointer */
    struct reader reader; /* on the same connection */
};

/* --- names.c --- */
/* The number of a metric or of a worker, which is given one at its first use. */
int names_metric(struct store *store, const char *name, int64_t *id, struct err *err);
int names_worker(struct store *store, uint64_t number, int64_t *id, struct err *err);
/* Forgets what is remembered: it may have been rolled back. */
void names_forget(struct store *store);

/* --- write_*.c: write_proposed and so on, one function for each kind of event --- */
#define X(KIND, name, payload, member, said, help)                                                                     \
    int write_##name(struct store *store, const struct event *event, const struct payload *member, struct err *err);
EVENTS(X)
#undef X
/* The same for MANY_ROWS_COUNT (sql.h) events of a kind at once. */
int write_many_proposed(struct store *store, const struct event *const *events, struct err *err);
int write_many_leased(struct store *store, const struct event *const *events, struct err *err);
int write_many_runs_ended(struct store *store, const struct event *const *events, struct err *err);
/* The end of a trial, for early stopping. */
int write_watched_end(struct store *store, const struct event *event, struct err *err);

/* --- processor.c --- */
/* Notes what this process proposes on, from this trial on, unless it is what was noted last. Within a transaction. */
int processor_note(struct store *store, uint64_t trial, struct err *err);

/* --- note.c --- */
/* A text, or another where it is NULL or empty. */
const char *text_or(const char *text, const char *other);

/* A number, or NULL where it is 0. */
void put_unless_zero(struct query *query, uint64_t number);

/* Adds a line to the table events, for people. */
int note(struct store *store, const struct event *event, const char *kind, struct err *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
