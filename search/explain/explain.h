/* Which parameters matter, and which of their values are good: what a history says once the search is over, or on its
 * way. Two views, because they answer different questions:
 *
 *     in all           what moves the result over the whole space, and how surely that is known (variation.h)
 *     among the good   what sets the best trials apart from the merely good ones (PED-ANOVA, ped_anova.h): where a
 * search has settled what matters most, all good trials have it, and little is left of it here
 *
 * Alphabet: D parameters, n trials. */
#ifndef GANNET_SEARCH_EXPLAIN_EXPLAIN_H
#define GANNET_SEARCH_EXPLAIN_EXPLAIN_H

#include "search/explain/variation.h"
#include "common/buf.h"

enum { EXPLAIN_FEW = 30 }; /* fewer trials with a value say little */

/* One parameter. */
struct explained {
    uint32_t index;                  /* of the parameter */
    struct variation_share alone;    /* of the variation in all that it causes by itself */
    struct variation_share together; /* the same with all combinations that it is part of */
    double above;      /* how probable it is, 0..1, that it causes more than each of those behind it; of the last 1 */
    double among_good; /* share of the variation among good trials, 0..1; in sum 1, or 0 when nothing stands out */
    uint32_t active;   /* how many of the best trials have it */
    double low, high;  /* where most of the best trials lie, natural numbers; of choices without an order both are
                        * the most frequent one. NaN when none is active */
    double share;      /* of the best trials that have it, those within low and high */
};

struct explanation {
    uint32_t finished, failed; /* trials */
    uint32_t best;             /* how many of them are "the best" */
    uint32_t count;            /* D */
    struct explained *params;  /* what causes most together first */
};

/* Explains what the history has been told. Free with explain_fini. */
void explain(const struct gannet_problem *problem, const struct gannet_host *host, const struct history *history,
             struct explanation *out);
void explain_fini(struct explanation *explanation);

/* Whether it is sure that the parameter at a place matters more than all that come behind it: never with few trials. */
bool explain_is_sure(const struct explanation *explanation, uint32_t place);

/* Adds a sentence about the parameter at a place: "lr matters most: 61 % of the variation among good trials; good
 * values lie between 0.0001 and 0.003". Without a full stop. */
void explain_sentence(const struct explanation *explanation, const struct gannet_problem *problem, uint32_t place,
                      struct buf *out);

/* Adds what a person should know before believing it, a sentence or two; nothing when there is nothing to say. */
void explain_caution(const struct explanation *explanation, struct buf *out);

#endif
