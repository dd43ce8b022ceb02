/* The store thread: writes the core's events in groups. While one group is being committed the next gathers, so the
 * busier it is the larger the groups get and the less a trial costs; nothing has to be tuned for that.
 *
 * A commit that fails (a full disk) is tried again every second with the same events; meanwhile nothing is lost,
 * because nothing that was promised has left. Whoever wants the session to end does not wait for that for ever. */
#ifndef GANNET_SCHEDULER_COORDINATOR_COMMIT_H
#define GANNET_SCHEDULER_COORDINATOR_COMMIT_H

#include "common/err.h"
#include "common/loop.h"
#include "scheduler/core/event.h"
#include "scheduler/store/store.h"

#include "common/counters.h"

#include <jansson.h>

struct commit;

struct commit_calls {
    void (*committed)(void *context, uint64_t number); /* all events up to this one are on disk */
    void (*unwritten)(void *context);                  /* commit_hurry's patience is at its end, or the store is lost */
    void *context;
};

/* Starts the thread, which has the store for itself until commit_stop. Calls come on the loop. NULL with a sentence. */
struct commit *commit_start(struct loop *loop, struct store *store, const struct commit_calls *calls, struct err *err);

/* Adds a copy of an event to the group that gathers. */
void commit_add(struct commit *commit, const struct event *event);

/* The turn is over: sends the group off unless another is being written. */
void commit_flush(struct commit *commit);

/* Why nothing can be written at present, in a sentence; NULL: all is well. Valid until the loop's next turn. */
const char *commit_trouble(const struct commit *commit);

/* Whether the store is not where it was, so that nothing is tried again (store_is_lost); commit_trouble says it. */
bool commit_is_lost(const struct commit *commit);

/* How long an end that somebody wants waits for a store that can't be written: room that is being made comes in time,
 * and so does the end before a batch system's SIGKILL, 30 s after its SIGTERM. */
enum { COMMIT_PATIENCE_SECONDS = 10 };

/* The session is to end: from now on trouble is waited out for so many seconds. Further calls change nothing. */
void commit_hurry(struct commit *commit, double seconds);

/* How many trials' ends are not on disk yet. */
uint64_t commit_unwritten_ends(const struct commit *commit);

/* Runs a function of the reading half between two commits on the store's own connection, for readers who can't open the
 * file. `answered` is called once, on the loop or within commit_stop, with what read_text gives: the answer (its to
 * free), or NULL and a sentence. */
void commit_read(struct commit *commit, const json_t *arguments,
                 void (*answered)(void *context, char *answer, const struct err *err), void *context);

/* Has the store's thread do something with the store, between two commits; `done` is called once, on the loop or within
 * commit_stop, with the same context. */
void commit_call(struct commit *commit, void (*work)(struct store *store, void *context), void (*done)(void *context),
                 void *context);

#define COMMIT_COUNTS(X)                                                                                               \
    X(U64, commits, "commits", "groups of events that are on disk")                                                    \
    X(U64, events, "events", "in those")                                                                               \
    X(U64, statements, "statements", "of SQL that they took")                                                          \
    X(U64, largest_commit, "events", "in the largest group")                                                           \
    X(F64, longest_commit, "seconds", "that a group took, waiting for the disk included")                              \
    X(F64, commit_seconds, "seconds", "that all groups took")                                                          \
    X(U64, failures, "commits", "that failed and were tried again")                                                    \
    X(U64, queue, "events", "that are not on disk yet")

struct commit_counts {
    COMMIT_COUNTS(COUNTER_FIELD)
};

/* What was counted so far; lives as long as `commit`. */
const struct commit_counts *commit_counts(const struct commit *commit);
void commit_add_counts(struct counters *tree, const struct commit_counts *counts);

/* Like commit_stop, when the session has ended in order: what has gathered is written first, unless the store can't be.
 */
void commit_finish(struct commit *commit);

/* Waits for the group that is being written and ends the thread; what has gathered since, and what failed, is dropped:
 * it was promised to nobody. NULL is fine. */
void commit_stop(struct commit *commit);

#endif
