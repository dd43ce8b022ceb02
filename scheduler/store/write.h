/* The store itself and how events are written, for the files of this folder alone: write_*.c have one function for each
 * kind of event, which write.c calls within a transaction. */
#ifndef GANNET_SCHEDULER_STORE_WRITE_H
#define GANNET_SCHEDULER_STORE_WRITE_H

#include "scheduler/store/counted.h"
#include "scheduler/store/ends.h"
#include "scheduler/store/fresh.h"
#include "scheduler/store/gpu_sums.h"
#include "scheduler/store/living.h"
#include "scheduler/store/names.h"
#include "scheduler/store/operations.h"
#include "scheduler/store/profile.h"
#include "scheduler/store/progress.h"
#include "scheduler/store/reader_state.h"
#include "scheduler/store/store_place.h"
#include "scheduler/store/sql.h"
#include "scheduler/store/store.h"

/* Texts of a run's row. Locals of that size would be zeroed anew for each. */
struct run_texts {
    char profile[PROFILE_BYTES], counters[COUNTED_BYTES], operations[OPERATIONS_BYTES];
    char gpu[GPU_SUMS_BYTES];
};

struct store {
    struct db db;
    struct store_place place; /* where it was opened */
    bool lost;                /* it is not there any more: nothing is written */
    struct progress progress;
    bool checked;   /* its rows were checked by who started this process, and have not changed */
    bool announced; /* that the experiment goes on was noted in this session: time counts */
    bool maximize;  /* the objective */
    struct names names;
    struct fresh fresh;                      /* rows of live trials, as they were written */
    struct living living;                    /* which trials live */
    struct ends ends;                        /* of the transaction */
    struct reader reader;                    /* on the same connection */
    struct run_texts texts[MANY_ROWS_COUNT]; /* what a statement of runs' ends points at */
};

/* write_proposed and so on. */
#define X(KIND, name, payload, member, said, help)                                                                     \
    int write_##name(struct store *store, const struct event *event, const struct payload *member, struct err *err);
EVENTS(X)
#undef X
/* The same for MANY_ROWS_COUNT (sql.h) events of a kind at once. */
int write_many_proposed(struct store *store, const struct event *const *events, struct err *err);
int write_many_leased(struct store *store, const struct event *const *events, struct err *err);
int write_many_runs_ended(struct store *store, const struct event *const *events, struct err *err);
int write_many_trials_ended(struct store *store, const struct event *const *events, struct err *err);
/* That a trial lives from now on, and that it ended. */
int write_living(struct store *store, uint64_t trial, struct err *err);
int write_end(struct store *store, uint64_t trial, uint64_t told, struct err *err);
/* The values of an ended trial, where there are several metrics or limits. */
int write_outcomes(struct store *store, uint64_t trial, const struct event_end *end, struct err *err);
/* The end of a trial, for early stopping. */
int write_watched_end(struct store *store, const struct event *event, struct err *err);

/* A text, or another where it is NULL or empty. */
const char *text_or(const char *text, const char *other);

/* Adds a line to the table events, for people. */
int write_note(struct store *store, const struct event *event, const char *kind, struct err *err, const char *format,
               ...) __attribute__((format(printf, 5, 6)));

#endif
