/* Functional ANOVA as its paper has it, the naive way, to compare with: Hutter, Hoos, Leyton-Brown: "An efficient
 * approach for assessing hyperparameter importance" (ICML 2014). A forest of regression trees is grown on the trials,
 * the losses as they are, and the leaves of each tree, which are boxes, are added up exactly. Inactive parameters are
 * put into the middle of their range. */
#ifndef GANNET_TESTS_FANOVA_FOREST_H
#define GANNET_TESTS_FANOVA_FOREST_H

#include "search/history/history.h"

/* Fills alone[D] with the shares of the variance that each parameter causes by itself: means over the trees. */
void fanova_forest(const struct history *history, uint32_t dimension, double *alone);

#endif
