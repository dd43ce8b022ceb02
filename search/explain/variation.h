/* Which share of the variation of the loss over the whole space each parameter causes, and how surely that is known.
 *
 * A search looks mostly where losses are low, so the trials themselves say little about the whole space. What is
 * explained are therefore functions that agree with them: many, drawn (draws.h) from several Gaussian processes that
 * may have made the trials (process.h), each explained by functional ANOVA (fanova.h).
 *
 * Alphabet: D parameters, S draws. */
#ifndef GANNET_SEARCH_EXPLAIN_VARIATION_H
#define GANNET_SEARCH_EXPLAIN_VARIATION_H

#include "search/history/history.h"

/* A share of the variation, 0..1: what is expected of it, and between what nine of ten draws lie. */
struct variation_share {
    double expected, low, high;
};

/* What the draws say. */
struct variation {
    uint32_t count;                   /* D */
    struct variation_share *alone;    /* D: what a parameter causes by itself */
    struct variation_share *together; /* D: the same with all combinations that it is part of */
    double *above; /* D x D: the part of the draws in which parameter i causes clearly more together than j */
};

/* All shares are 0 when no trial has a loss, or all have the same. Free with variation_fini. */
void variation_init(struct variation *variation, const struct gannet_problem *problem, const struct gannet_host *host,
                    const struct history *history);
void variation_fini(struct variation *variation);

#endif
