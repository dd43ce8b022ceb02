/* A search without a coordinator, for people who own the loop: their program asks for trials, runs them as it likes and
 * tells what came of them (gannet ask, gannet tell). The same searcher, store and lock as a coordinator's, so whatever
 * reads an experiment reads this one too.
 *
 *     owner_open       the lock, the store, the recorded search
 *     owner_ask, owner_tell ...
 *     owner_commit     all of it on disk: only now may anybody hear of it
 *     owner_close
 *
 * A trial that was asked for runs - at a worker that stands for the person - until it is told. Any number of such loops
 * may take turns; who finds the lock taken waits. */
#ifndef GANNET_SCHEDULER_OWNER_H
#define GANNET_SCHEDULER_OWNER_H

#include "common/endings.h"
#include "common/err.h"
#include "scheduler/rundir.h"
#include "scheduler/store/reader.h"
#include "search/searcher.h"

struct owner;

/* Waits up to `patience` seconds for other loops. NULL with a sentence: a coordinator runs the experiment, the store
 * can't be opened, the recorded search can't be taken up again. */
struct owner *owner_open(const struct rundir *dir, double patience, struct err *err);
void owner_close(struct owner *owner); /* NULL is fine; what was not committed is dropped */

/* What the experiment asks for. */
const struct spec *owner_spec(const struct owner *owner);

/* For reading what is committed. */
struct reader *owner_reader(struct owner *owner);

/* The next trial: its number, and its configuration as JSON, which the caller frees. As searcher_ask answers;
 * SEARCHER_NO_MORE, with a sentence, also when the experiment has all its trials. */
enum searcher_answer owner_ask(struct owner *owner, uint64_t *trial, char **params, struct err *err);

/* What came of a trial. */
struct owner_result {
    uint64_t trial;
    enum ending ending;   /* COMPLETED: judged by its values, as any result is */
    const char *detail;   /* a sentence, or NULL */
    const double *values; /* of the experiment's metrics, in their order; NaN: none */
};

/* Tells it. -1 with a sentence: there is no such trial, or it has ended already. */
int owner_tell(struct owner *owner, const struct owner_result *result, struct err *err);

/* Writes what was asked and told since the last commit. -1 with a sentence: nothing of it happened, and the owner is of
 * no further use. */
int owner_commit(struct owner *owner, struct err *err);

#endif
