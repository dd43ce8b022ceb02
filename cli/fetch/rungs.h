/* What early stopping did, by the steps at which it looked. */
#ifndef GANNET_CLI_FETCH_RUNGS_H
#define GANNET_CLI_FETCH_RUNGS_H

#include "cli/data/source.h"
#include "common/map.h"

enum { RUNGS_MOST = 64 }; /* steps that are kept apart; at later ones looks are only counted */

struct rung_looks {
    uint64_t step, looks, went_on, stopped, paused; /* paused: that wait there now */
    double best;
    uint64_t best_trial;
    char why[240]; /* the newest sentence */
};

struct rungs {
    struct rung_looks items[RUNGS_MOST];
    size_t count;
    uint64_t read, looks, elsewhere; /* the last row; looks in all; those at steps that are not kept */
    struct map paused;               /* trial -> its place among the items + 1, while it waits */
    bool maximize;
    bool more; /* the last reading did not come to the end */
};

void rungs_fini(struct rungs *rungs);

/* Reads what was decided since. -1 with a sentence. */
int rungs_update(struct rungs *rungs, struct source *source, struct err *err);

/* An array of the rungs by step: where it ever said anything but to go on, or all steps where it never did. */
json_t *rungs_json(const struct rungs *rungs);

#endif
