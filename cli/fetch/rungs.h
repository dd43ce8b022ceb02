/* What early stopping did, by the steps at which it looked: who reached a rung, passed on, was stopped, or waits there.
 */
#ifndef GANNET_CLI_FETCH_RUNGS_H
#define GANNET_CLI_FETCH_RUNGS_H

#include "cli/data/source.h"
#include "common/map.h"

enum { RUNGS_MOST = 64, RUNG_NAMED = 12 }; /* rungs that are kept apart, at others looks are counted; trials named */

struct rung_looks {
    uint64_t bracket, step; /* bracket: 0, unless there are several */
    uint64_t reached;       /* trials: they are as many as the next three together */
    uint64_t passed;
    uint64_t stopped; /* at once, or after they had waited there */
    uint64_t waiting;
    double cut_off; /* as of the newest look; NAN: none is known */
    double best;
    uint64_t best_trial;
    char why[240]; /* the newest sentence */
};

struct rungs {
    struct rung_looks items[RUNGS_MOST];
    size_t count;
    uint64_t read, looks, elsewhere; /* the last row; looks in all; those at rungs that are not kept */
    struct map paused;               /* trial -> its place among the items + 1, while it waits */
    uint64_t max_steps;              /* trials are complete there, which is no rung; 0: not known */
    bool maximize;
    bool own;  /* each trial is compared with itself: there is no cut-off of a rung */
    bool more; /* the last reading did not come to the end */
};

void rungs_fini(struct rungs *rungs);

/* The first trials that wait at a rung, by number. */
struct rung_waiting {
    uint64_t trials[RUNG_NAMED];
    size_t count;
};

/* Those of every rung, by its place among the items. Returns how many trials were looked at: each that waits, once. */
uint64_t rungs_name_waiting(const struct rungs *rungs, struct rung_waiting out[RUNGS_MOST]);

/* Reads what was decided since. -1 with a sentence. */
int rungs_update(struct rungs *rungs, struct source *source, struct err *err);

/* An array of the rungs by bracket and step: where it ever said anything but to go on, or all steps where it never did.
 */
json_t *rungs_json(const struct rungs *rungs);

#endif
