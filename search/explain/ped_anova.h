/* PED-ANOVA: how much of the difference between good trials and the best of them each parameter makes. */
#ifndef GANNET_SEARCH_EXPLAIN_PED_ANOVA_H
#define GANNET_SEARCH_EXPLAIN_PED_ANOVA_H

#include "search/strategy.h"

/* Fills shares[D], each 0..1, together 1; all 0 when no parameter stands out from chance. `points` are canonical, the
 * best first; the first `best` of them are compared with all `count`. */
void ped_anova(const struct gannet_space *space, const struct gannet_host *host, const double *const *points,
               uint32_t best, uint32_t count, double *shares);

#endif
