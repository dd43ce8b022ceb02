/* Functional ANOVA: how much of the variation over the whole space each parameter causes, by itself and together with
 * others. */
#ifndef GANNET_SEARCH_EXPLAIN_FANOVA_H
#define GANNET_SEARCH_EXPLAIN_FANOVA_H

#include "search/tree/forest.h"

/* Fills alone[D] and together[D] with shares of the variance of the forest's mean over the space: 0..1. What all
 * parameters cause alone adds up to 1 at most; what they cause together counts for each of them. All 0 when the
 * forest knows no trial, or predicts the same everywhere. */
void fanova(struct forest *forest, const struct gannet_space *space, const struct gannet_host *host, double *alone,
            double *together);

#endif
