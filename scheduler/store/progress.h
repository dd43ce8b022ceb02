/* How far the experiment is: the one row of the table progress, written with every commit, so that neither a restart
 * nor a status line counts trials. */
#ifndef GANNET_SCHEDULER_STORE_PROGRESS_H
#define GANNET_SCHEDULER_STORE_PROGRESS_H

#include "scheduler/core/tally.h"
#include "scheduler/store/db.h"

struct progress {
    enum experiment_state state;
    enum reason reason;
    uint64_t sessions;
    double started, ended; /* wall clock; NaN: not yet */
    double held;           /* seconds that the experiment has run, as of held_since */
    double held_since;     /* wall clock; NaN: it does not run since then */
    double written;        /* of the last event, wall clock; NaN: there was none */
    uint64_t tells;
    struct tally tally; /* of the trials that ended */
    uint64_t retried, late;
    uint64_t steps, stepped, max_steps; /* of trials that early stopping watched */
    uint32_t idle;                      /* sessions in a row, up to this one, that got nothing done */
    double run_seconds;                 /* of all attempts */
    uint64_t cut;                       /* attempts that ended because a session or a job did */
    uint64_t recent;                    /* see living.h */
};

int progress_read(struct db *db, struct progress *out, struct err *err);
int progress_write(struct db *db, const struct progress *progress, struct err *err);

/* Whether the objective is to be maximized: what is better in progress depends on it. */
int progress_goal(struct db *db, bool *maximize, struct err *err);

/* Seconds that the experiment has run in all, up to the last event. */
double progress_held(const struct progress *progress);

/* Something is written while nothing runs: a session that was killed did not last until `now`. */
void progress_settle_held(struct progress *progress, double now);

#endif
