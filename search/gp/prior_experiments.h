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

/* Bounds of what an ask and a fit cost, however many experiments there are and however long they were. */
enum {
    PAST_SOURCES = 50, /* experiments that are heard, the first ones */
    PAST_KEPT = 1000,  /* points of all of them, to weigh them by */
    PAST_JOINING = 150 /* points of those believed that join a process */
};

struct prior_experiment {
    struct design points; /* the best come first */
    double *values;
    struct surrogate surrogate; /* of this source alone */
    double extra_noise;         /* infinite: not believed */
};

struct prior_experiments {
    const struct gp_domain *domain;
    struct prior_experiment *sources;
    uint32_t count;
};

void prior_experiments_fini(struct prior_experiments *past); /* a zeroed one is fine */

/* Takes over the trials of earlier experiments that the history was taught. */
void prior_experiments_init(struct prior_experiments *past, const struct gp_domain *domain,
                            const struct history *history);

/* Weighs the sources by own points and their values. */
void prior_experiments_weigh(struct prior_experiments *past, const struct design *points, const double *values);

/* How many points of the sources that are believed join a process; adds them with their values and extra noises. */
uint32_t prior_experiments_count(const struct prior_experiments *past);
void prior_experiments_add(const struct prior_experiments *past, struct design *points, double *values,
                           double *extra_noises);

#endif
