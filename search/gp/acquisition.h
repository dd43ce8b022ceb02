/* How promising a point is: the logarithm of its expected improvement, or an optimistic bound, with the chance that the
 * trial succeeds.
 *
 * Alphabet: D coordinates, c candidates. */
#ifndef GANNET_SEARCH_ACQUISITION_H
#define GANNET_SEARCH_ACQUISITION_H

#include "search/gp/posterior.h"

enum acquisition_kind {
    ACQUISITION_IMPROVEMENT, /* log of the expected improvement over `best` */
    ACQUISITION_BOUND        /* mean less `kappa` standard deviations, negated */
};

/* What a score is made of. Lower values are better; higher scores are. */
struct acquisition {
    enum acquisition_kind kind;
    double best, kappa;
    struct posterior *objective; /* NULL: nothing is known but what fails */
    struct posterior *chance; /* of values about 1 where trials succeed and about -1 where they fail; NULL: none do */
};

/* Scores of c points, row after row, scaled. */
void acquisition_score(const struct acquisition *acquisition, const double *rows, uint32_t count, double *scores);

/* The score of a point and its gradient, D doubles. */
double acquisition_gradient(const struct acquisition *acquisition, const double *x, double *gradient);

/* log(phi(z) + z Phi(z)), the expected improvement of a standard normal, without loss of digits for any z, and its
 * derivative (may be NULL). */
double acquisition_log_improvement(double z, double *slope);

/* log Phi(z), likewise. */
double acquisition_log_chance(double z, double *slope);

#endif
