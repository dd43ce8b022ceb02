/* What strategies that go by selection - evolution, cmaes, pbt - keep of a trial's result, and which of several is the
 * better one. */
#ifndef GANNET_SEARCH_RESULT_H
#define GANNET_SEARCH_RESULT_H

#include "search/strategy.h"

struct result {
    uint64_t trial;
    bool failed;
    double excess;  /* how far limited metrics lie beyond their limits, all together; 0: all are kept. A metric that the
                     * trial did not say counts as infinitely far */
    uint64_t step;  /* where the losses were seen; 0 where trials are not judged on their way */
    double *losses; /* all objectives; owned */
    double *unit;   /* the canonical point; owned */
};

/* A copy of what a trial was told or observed with, in a new result. */
struct result *result_create(const struct gannet_problem *problem, const struct gannet_outcome_of_trial *outcome);
void result_destroy(struct result *result); /* NULL is fine */

/* The order of merit: order[0 .. count-1] become the indices of the results, the best first. Failed ones are the worst;
 * of the others those that keep the limits are the best, then those with less excess (Deb's rules: "An efficient
 * constraint handling method for genetic algorithms", CMAME 186, 2000); then those that came further, since early
 * stopping let them; then the one with less loss, or of several objectives the one on the lower front, and of the same
 * front the lonelier one (NSGA-II: Deb, Pratap, Agarwal, Meyarivan: "A fast and elitist multiobjective genetic
 * algorithm: NSGA-II", IEEE TEVC 6(2), 2002); then the earlier trial. */
void result_order(struct result *const *results, size_t count, uint32_t objectives, size_t *order);

#endif
