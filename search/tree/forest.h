/* A forest: what trees predict of a point, and how far they disagree. It follows a history on a schedule of its own, so
 * that it is a function of what was told and of nothing else.
 *
 * What it predicts is a score: the normal quantile of a trial's standing among all (ranking.h), -2.3 or less for the
 * best of a hundred, 0 in the middle. So no outlier, unit or limit matters, failures are simply last, and several
 * objectives are one.
 *
 * The schedule: every tell while there are few; later whenever the history has grown by 1/100. Each time all scores are
 * computed anew, new trials are inserted into every tree, and a few trees are grown from the start, so that each is
 * when the history has grown by a fifth. Until then a trial that ended counts as one that runs. */
#ifndef GANNET_SEARCH_TREE_FOREST_H
#define GANNET_SEARCH_TREE_FOREST_H

#include "search/history/history.h"
#include "search/history/ranking.h"

struct forest;

struct forest_setup {
    uint32_t trees;
    uint32_t smallest; /* leaves of fewer trials are not split; 2 or more */
};

/* The history and the problem must live on. */
struct forest *forest_create(const struct gannet_problem *problem, const struct gannet_host *host,
                             const struct history *history, const struct forest_setup *setup);
void forest_destroy(struct forest *forest); /* NULL is fine */

/* Tells it that the history has learned of a trial (after observe and tell), or has noted one. */
void forest_follow(struct forest *forest);
void forest_note(struct forest *forest, const double *unit);

/* How many trials it knows, and their order as of the last update, best first; the indices are those of records in the
 * history as it is now. */
uint32_t forest_count(const struct forest *forest);
const struct ranked *forest_order(const struct forest *forest);

/* What the forest says of a point. */
struct prediction {
    double mean;   /* of the score */
    double spread; /* standard deviation between the trees and within their leaves, less where trials run */
    double free;   /* 1 where nothing runs nearby, towards 0 the more does: the factor of the spread's square */
};

/* Predicts `count` canonical points, one after the other in `units`. */
void forest_predict(struct forest *forest, const double *units, uint32_t count, struct prediction *out);

#endif
