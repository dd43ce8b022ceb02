/* What earlier experiments say about this one's losses, and how far they are believed.
 *
 * Losses of an earlier experiment may be in other units, so each experiment's are made values by themselves
 * (transform.h). They join this experiment's as further points with a variance of their own, the extra noise: at first
 * a moderate one; as soon as there are own trials, what the correlation between what that experiment alone predicts for
 * them and what came of them leaves unexplained. An experiment that disagrees is left out: it can't do harm. */
#ifndef GANNET_SEARCH_GP_PRIOR_EXPERIMENTS_H
#define GANNET_SEARCH_GP_PRIOR_EXPERIMENTS_H

#include "search/gp/sample.h"
#include "search/gp/surrogate.h"

struct source {
    struct design points;
    double *values;
    struct surrogate surrogate; /* of this source alone */
    double extra_noise;         /* infinite: not believed */
};

struct past {
    const struct domain *domain;
    struct source *sources;
    uint32_t count;
};

void past_fini(struct past *past); /* a zeroed one is fine */

/* Takes over the trials of earlier experiments that the history was taught. */
void past_init(struct past *past, const struct domain *domain, const struct history *history);

/* Weighs the sources by own points and their values. */
void past_weigh(struct past *past, const struct design *points, const double *values);

/* How many points the sources that are believed have; adds them with their values and extra noises. */
uint32_t past_count(const struct past *past);
void past_add(const struct past *past, struct design *points, double *values, double *extra_noises);

#endif
