/* The strategy's thread: owns the searcher, so that a model fit of minutes keeps nobody waiting. It is asked and told
 * in one order, the order of the calls below, and counts the tells: with each proposal it says how many preceded it,
 * which is all that a replay needs.
 *
 * An ask to which the strategy has nothing to say before its next tell waits in the thread, and those behind it too. */
#ifndef GANNET_SCHEDULER_SESSION_ASK_H
#define GANNET_SCHEDULER_SESSION_ASK_H

#include "common/actor.h"
#include "common/counters.h"
#include "common/err.h"
#include "common/loop.h"
#include "scheduler/core/event.h"
#include "scheduler/session/told.h"

/* What the strategy answers, called on the loop in the order of the asks. A proposal is what the core writes down of
 * it. Texts are valid during the call. After no_more and broken nothing else comes. */
struct ask_calls {
    void (*proposed)(void *context, uint64_t trial, const struct event_proposed *proposed);
    void (*no_more)(void *context);
    void (*broken)(void *context, const char *why);
    /* The strategy has stopped at tell number `told`, to be renewed: nothing was answered that you have not heard. */
    void (*held)(void *context, uint64_t told);
    void *context;
    bool gathers; /* every answer of the strategy is quick: those of a millisecond may come together */
};

struct ask;

/* What the searcher has lived through already: recalled from the store. */
struct ask_past {
    uint64_t told; /* tells and observations */
    uint64_t open; /* trials that were proposed and not told */
};

/* Starts the thread, which has the searcher for itself until ask_stop. `metrics`, whose list must live as long, say
 * what trials' values are worth. NULL with a sentence. */
struct ask *ask_start(struct loop *loop, struct searcher *searcher, const struct metrics *metrics,
                      const struct ask_past *past, const struct ask_calls *calls, struct err *err);

/* These gather, and ask_flush lets the thread have what has gathered: once a turn, so that it is woken once. */
void ask_trial(struct ask *ask, uint64_t trial);
void ask_tell(struct ask *ask, const struct told *told); /* an end, or an observation; copies */
void ask_flush(struct ask *ask);

/* What was told up to number `told`, which this is itself, has changed: what comes behind waits until ask_renew. */
void ask_forget(struct ask *ask, uint64_t told);

/* `make`, called in the thread with its context, which it frees, gives a searcher that has lived through the past as it
 * is now, and what that is; NULL with a sentence: the strategy is broken. The former one stays its owner's. Sent at
 * once. */
typedef struct searcher *ask_make(void *context, struct ask_past *past, struct err *err);
void ask_renew(struct ask *ask, ask_make *make, void *context);

#define ASK_COUNTS(X)                                                                                                  \
    X(U64, asks, "asks", "of the strategy")                                                                            \
    X(U64, unanswered, "asks", "that it has not answered yet")                                                         \
    X(U64, tells, "tells", "ends of trials, and observations at rungs")                                                \
    X(U64, batches, "times", "that its thread was woken for what had gathered")                                        \
    X(U64, forbidden, "proposals", "of its own that a constraint forbade")                                             \
    X(U64, repeated, "proposals", "of its own that repeated an earlier one")                                           \
    X(F64, longest_ask, "seconds", "that it thought about a proposal")                                                 \
    X(F64, ask_seconds, "seconds", "that it thought about all of them")

struct ask_counts {
    ASK_COUNTS(COUNTER_FIELD)
};

/* What was counted so far; lives as long as `ask`. */
const struct ask_counts *ask_counts(const struct ask *ask);
void ask_add_counts(struct counters *tree, const struct ask_counts *counts);

/* Ends the thread without asking further; waits for the question it is working on. NULL is fine. */
void ask_stop(struct ask *ask);

#endif
