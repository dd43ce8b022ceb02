/* What a kind of stopper is: the functions behind stopper.h. stopper.c calls them, one stopper's from one thread, and
 * takes care of what all kinds share: steps seen twice, losses that are no numbers, the best loss so far, and how many
 * steps a trial has. */
#ifndef GANNET_SEARCH_STOP_KIND_H
#define GANNET_SEARCH_STOP_KIND_H

#include "search/stop/stopper.h"

/* What a kind may look at; lives as long as the stopper. */
struct stop_problem {
    const struct gannet_setting *options; /* one for each row of the kind's table, checked */
    uint64_t seed;
    uint32_t objectives;
    bool can_pause;
    double sign;          /* what a loss is multiplied by in sentences: 1, or -1 when the metric is maximized */
    uint64_t given_steps; /* max_steps as the options say; 0: not given */
    uint64_t max_steps;   /* the same, or the steps of the longest completed trial so far; 0: none yet */
};

/* A sample, as kinds see it: steps rise, no loss is NaN (the worst is INFINITY). */
struct stop_point {
    uint64_t trial, step;
    const double *losses; /* `objectives` of them: the last, or the best so far with use: best */
};

struct stop_kind {
    struct stopper_info info;
    int max_steps_row;        /* the row of the option max_steps in the table; -1: it has none */
    uint32_t most_objectives; /* 0: any number */

    /* NULL with a sentence when the options exclude each other. */
    void *(*create)(const struct stop_problem *problem, struct err *err);
    /* Optional: without it a trial runs to its end. */
    uint64_t (*until)(void *self, uint64_t trial);
    /* *out is STOPPER_GO_ON without a rung and a cut-off at first. */
    void (*sample)(void *self, const struct stop_point *point, struct stopper_decision *out);
    /* Optional, together: only kinds that pause have them. */
    bool (*next)(void *self, bool last, struct stopper_move *out);
    void (*resumed)(void *self, uint64_t trial);
    /* `failed`: without a loss, for a reason that lies in the configuration. `completed`: it did all of its steps; the
     * last losses (NULL: it has none). */
    void (*ended)(void *self, uint64_t trial, bool failed, bool completed, const double *losses);
    void (*destroy)(void *self);
};

extern const struct stop_kind stop_asha, stop_hyperband, stop_median, stop_patience, stop_extrapolate;

/* Rows that several kinds have. */
#define STOP_MIN_STEPS(default_value, help)                                                                            \
    {                                                                                                                  \
        "min_steps", GANNET_INTEGER, 1, 1e9, NULL, default_value, help                                                 \
    }
#define STOP_MAX_STEPS                                                                                                 \
    {                                                                                                                  \
        "max_steps", GANNET_INTEGER, 0, 1e9, NULL, "0",                                                                \
            "the step at which a trial is complete; 0: as many as trials turn out to have"                             \
    }

#endif
