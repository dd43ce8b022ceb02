/* Everything that gp believes: a Gaussian process for each objective, each limited metric and the cost, and one for the
 * chance that a trial succeeds.
 *
 *     model_set_aside     at a mark: the trials that the lengths and the noise are to be fitted to
 *     model_learn         when a point is asked for: fits if something was set aside, then learns all trials
 *
 * A fit is put off until a point is asked for, since a restart tells thousands of trials between two asks; but what it
 * is fitted to is fixed at the mark, so that it does not matter when that is.
 *
 * Alphabet: K objectives, n trials learned, W coordinates. */
#ifndef GANNET_SEARCH_GP_MODEL_H
#define GANNET_SEARCH_GP_MODEL_H

#include "search/gp/prior_experiments.h"
#include "search/gp/sample.h"
#include "search/gp/surrogate.h"

struct model_settings {
    bool warp;
    bool transform;                     /* losses are tamed; see transform.h */
    bool pending;                       /* trials that run are minded */
    bool failures_bad, failures_chance; /* failed trials are bad ones; lower the chance of success */
    enum sample_cost cost;
};

struct gp_model {
    const struct gannet_problem *problem;
    const struct gp_domain *domain;
    struct model_settings settings;
    uint32_t columns;             /* of a sample */
    struct surrogate *surrogates; /* one for each column, then that of success */
    struct prior_experiments past;
    struct trial_sample aside; /* of the last mark, until it has been fitted to */
    bool fit_due, fitted;
    bool has_failures; /* the success of trials is in extra noise */
    double cost_scale; /* what a unit of the cost's process is in logarithms */
};

void model_init(struct gp_model *model, const struct gannet_problem *problem, const struct gp_domain *domain,
                const struct model_settings *settings);
void model_fini(struct gp_model *model);

/* Whether fits are due is the caller's schedule. */
void model_set_aside(struct gp_model *model, const struct history *history);

/* Learns the trials of a sample, and those of it that run; returns false when nothing can be learned yet. */
bool model_learn(struct gp_model *model, const struct history *history, const struct trial_sample *sample);

/* How many points of earlier experiments the process of a column has before those of own trials, and how many there may
 * be at most: so many own trials fewer are learned. */
uint32_t model_past_count(const struct gp_model *model, uint32_t column);
uint32_t model_past_places(const struct gp_model *model, const struct history *history);

/* Whether the losses may be noisy, by the noise that was fitted: the same configuration would give another one. */
bool model_may_be_noisy(const struct gp_model *model);

static inline struct surrogate *model_success(struct gp_model *model)
{
    return &model->surrogates[model->columns];
}

#endif
