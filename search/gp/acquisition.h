/* How promising a point is: the logarithm of what a trial there is expected to improve, or an optimistic bound; with
 * the chances that it succeeds and keeps its limits, and what it costs.
 *
 * Of several objectives the improvement is that of the hypervolume, for two; the bound is scalarised by weights drawn
 * anew for every proposal, for any number.
 *
 * Alphabet: K objectives, W coordinates, c candidates. */
#ifndef GANNET_SEARCH_GP_ACQUISITION_H
#define GANNET_SEARCH_GP_ACQUISITION_H

#include "search/gp/posterior.h"

#include <stddef.h>

enum acquisition_kind {
    ACQUISITION_IMPROVEMENT, /* log of the expected improvement over `best` */
    ACQUISITION_BOUND,       /* mean less `kappa` standard deviations, negated; scalarised when K > 1 */
    ACQUISITION_VOLUME,      /* log of the expected improvement of the hypervolume; K = 2 */
    ACQUISITION_FEASIBLE     /* the chances alone: nothing known keeps all limits */
};

enum { ACQUISITION_MOST = 16 }; /* objectives, and chances */

/* What a score is made of. Lower values are better; higher scores are. */
struct acquisition {
    enum acquisition_kind kind;
    uint32_t objectives; /* K */
    struct posterior *objective[ACQUISITION_MOST];
    double best, kappa;
    double reach; /* of points in corners, in lengths; see acquisition_score */
    double weights[ACQUISITION_MOST], low[ACQUISITION_MOST]; /* for the bound: terms are weight (loss - low) */
    const double *front;                                     /* for the volume: see ehvi.h */
    size_t front_count;
    double reference[2];
    uint32_t chances; /* processes of values that are above 0 where all is well */
    struct posterior *chance[ACQUISITION_MOST];
    double blur[ACQUISITION_MOST]; /* of each: the variance that a sure value has */
    struct posterior *cost;        /* of the logarithm of the cost; NULL: costs don't count */
    double cost_scale;             /* what 1 of it is in logarithms */
};

/* Scores of c points, row after row, scaled. Where there is a `reach`, which is for one objective, a point that lies
 * this near to a known or pending one in a corner, and that promises nothing better than `best`, is not worth a trial:
 * its score is minus infinity. Towards a corner the model falls, so that all ascents would end in the same one. */
void acquisition_score(const struct acquisition *acquisition, const double *rows, uint32_t count, double *scores);

/* The score of a point and its gradient, W doubles. */
double acquisition_gradient(const struct acquisition *acquisition, const double *x, double *gradient);

/* log(phi(z) + z Phi(z)), the expected improvement of a standard normal, without loss of digits for any z, and its
 * derivative (may be NULL). */
double acquisition_log_improvement(double z, double *slope);

/* log Phi(z), likewise. */
double acquisition_log_chance(double z, double *slope);

#endif
