/* Minimises a smooth function in a box: L-BFGS with a projected, backtracking line search.
 *
 * (Nocedal, Wright: "Numerical optimization", 2006, algorithm 7.4 for the direction, section 3.1 for the step;
 * coordinates at a bound that the gradient pushes against stay out of the direction, as in Bertsekas: "Projected Newton
 * methods", 1982.) */
#ifndef GANNET_SEARCH_GP_MINIMIZE_H
#define GANNET_SEARCH_GP_MINIMIZE_H

#include <stdint.h>

/* The value at x and its gradient; infinite or NaN: x is no good. */
typedef double minimize_function(void *context, const double *x, double *gradient);

struct minimize {
    minimize_function *function;
    void *context;
    uint32_t count;           /* coordinates */
    const double *low, *high; /* the box */
    uint32_t evaluations;     /* at most */
    double tolerance;         /* ends when a step gains less */
};

/* From x, which must lie in the box, to the best point found; returns its value. */
double minimize(const struct minimize *problem, double *x);

#endif
