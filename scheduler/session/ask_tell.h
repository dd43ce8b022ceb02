/* A search without a coordinator, for people who own the loop: their program asks for trials, runs them as it likes and
 * tells what came of them (gannet ask, gannet tell). The same searcher, store and lock as a coordinator's, so whatever
 * reads an experiment reads this one too.
 *
 *     ask_tell_open       the lock, the store, the recorded search
 *     ask_tell_ask, ask_tell_tell ...
 *     ask_tell_commit     all of it on disk: only now may anybody hear of it
 *     ask_tell_close
 *
 * A trial that was asked for runs - at a worker that stands for the person - until it is told, also when the search has
 * come to its end before: its result is recorded, and the reason of the end stays. Any number of such loops may take
 * turns; who finds the lock taken waits. A loop that stays (ask_tell_serve) keeps the lock, so that the trials of
 * another such loop that are still open when it comes have nobody any more: they are what it is given first. */
#ifndef GANNET_SCHEDULER_SESSION_ASK_TELL_H
#define GANNET_SCHEDULER_SESSION_ASK_TELL_H

#include "common/endings.h"
#include "common/err.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/store/reader.h"
#include "search/searcher.h"

struct ask_tell;

/* Waits up to `patience` seconds for other loops. NULL with a sentence: a coordinator runs the experiment, the store
 * can't be opened, the recorded search can't be taken up again. */
struct ask_tell *ask_tell_open(const struct rundir *dir, double patience, struct err *err);

/* Whether the store has what makes no sense: why it may not be opened. */
bool ask_tell_is_damaged(const struct rundir *dir);

void ask_tell_close(struct ask_tell *ask_tell); /* NULL is fine; what was not committed is dropped */

/* Who asks is there until ask_tell_close: what it asks for and does not tell is given to the next such loop, as another
 * attempt. To be said before the first ask. */
void ask_tell_serve(struct ask_tell *ask_tell);

/* What the experiment asks for. */
const struct spec *ask_tell_spec(const struct ask_tell *ask_tell);

/* For reading what is committed. */
struct reader *ask_tell_reader(struct ask_tell *ask_tell);

/* The next trial: its number, and its configuration as JSON, which the caller frees. As searcher_ask answers;
 * SEARCHER_NO_MORE, with a sentence, also when the experiment has all its trials or has reached another limit. */
enum searcher_answer ask_tell_ask(struct ask_tell *ask_tell, uint64_t *trial, char **params, struct err *err);

/* Values of a trial on its way. */
struct ask_tell_step {
    uint64_t trial, step; /* the step is 1 or more */
    const double *values; /* of the experiment's metrics, in their order */
    const bool *told;     /* which of them were told */
};

/* What early stopping says of it. */
struct ask_tell_decision {
    bool stop;       /* the trial is not worth its remaining steps */
    const char *why; /* valid until the trial is told */
};

/* Reports them. -1 with a sentence: there is no such trial, or it has ended already. */
int ask_tell_report(struct ask_tell *ask_tell, const struct ask_tell_step *said, struct ask_tell_decision *out,
                    struct err *err);

/* What came of a trial. */
struct ask_tell_result {
    uint64_t trial;
    /* COMPLETED: judged by its values, as any result is. STOPPED_EARLY: worth what was reported last; `values` don't
     * count. */
    enum ending ending;
    const char *detail;   /* a sentence, or NULL */
    const double *values; /* of the experiment's metrics, in their order; NaN: none, of an objective: it diverged */
};

/* Tells it. -1 with a sentence: there is no such trial, or it has ended already. */
int ask_tell_tell(struct ask_tell *ask_tell, const struct ask_tell_result *result, struct err *err);

/* Writes what was asked and told since the last commit. -1 with a sentence: nothing of it happened, and *ask_tell is of
 * no further use. */
int ask_tell_commit(struct ask_tell *ask_tell, struct err *err);

#endif
