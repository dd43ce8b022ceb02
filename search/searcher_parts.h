/* What the two halves of a searcher share: searcher.c makes it and asks, searcher_told.c is what it learns. */
#ifndef GANNET_SEARCH_SEARCHER_PARTS_H
#define GANNET_SEARCH_SEARCHER_PARTS_H

#include "common/map.h"
#include "search/history/visited.h"
#include "search/searcher.h"
#include "search/starts.h"

struct searcher {
    const struct space *space;
    uint64_t seed;
    bool unique;           /* no configuration twice: nobody asked for repeats, and no trial goes on from another */
    struct plugin *plugin; /* NULL: built in */
    const struct gannet_strategy *strategy;
    void *self; /* the strategy's state */
    struct gannet_problem problem;
    struct gannet_setting *settings;
    struct starts *starts;
    double *unit;         /* D: the point at hand */
    double *losses;       /* of the trial at hand */
    double *violation;    /* of the trial at hand */
    uint64_t from;        /* the trial that the strategy's last answer goes on from; 0: none */
    bool again;           /* the strategy's last answer repeats a configuration on purpose */
    struct map live;      /* trial -> its point, D doubles, until it is told */
    struct visited seen;  /* what was proposed, when `unique`; else empty */
    bool proposed;        /* anything, ever */
    uint64_t *violations; /* of each constraint */
    uint64_t forbidden, repeated;
};

/* Lets the strategy learn trials of earlier experiments; -1 with a sentence. */
int searcher_learn(struct searcher *searcher, const struct searcher_past *past, size_t count, struct err *err);

/* Whether a canonical point is allowed and new (a seek_usable; the context is the searcher). */
bool searcher_usable(void *context, const double *unit);

/* Takes up the point at hand as that of a trial. */
void searcher_note(struct searcher *searcher, uint64_t trial);

#endif
