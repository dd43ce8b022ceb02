/* Which of the ended trials are better than which others, whatever they were told with: one order for the strategies
 * that learn from ranks.
 *
 * A trial that keeps all limits stands before one that does not; among those, one that was seen at a later step stands
 * before one that early stopping left behind; then the lower loss decides - of several objectives the non-dominated
 * rank, and within it the crowding. Trials that break limits are ordered by how much they do; failed ones come last. */
#ifndef GANNET_SEARCH_HISTORY_RANKING_H
#define GANNET_SEARCH_HISTORY_RANKING_H

#include "search/history/history.h"

enum ranking_tier { RANKING_FEASIBLE, RANKING_INFEASIBLE, RANKING_FAILED };

struct ranked {
    uint32_t index; /* of the record in the list or history */
    enum ranking_tier tier;
    uint64_t step; /* where it was judged; 0 when trials are not judged on their way */
    double key;    /* less is better, within tier and step: loss, rank, or the sum of violations */
};

/* Fills out[count] from these records, best first; of equal ones the earlier in the list. */
void ranking_sort(const struct record *const *records, uint32_t count, const struct gannet_problem *problem,
                  struct ranked *out);

/* The same of all records of a history: out[history_count(history)]. */
void ranking_order(const struct history *history, const struct gannet_problem *problem, struct ranked *out);

/* The best of a history, `most` at most and none that failed: fills out[] and returns how many. One pass where there is
 * one objective. */
uint32_t ranking_best(const struct history *history, const struct gannet_problem *problem, uint32_t most,
                      struct ranked *out);

/* Whether two rank equally. */
bool ranking_equal(const struct ranked *a, const struct ranked *b);

#endif
