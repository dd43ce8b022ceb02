/* Functional ANOVA: how much of the variation over the whole space each parameter causes, by itself and together with
 * others.
 *
 * Alphabet: D parameters, S functions. */
#ifndef GANNET_SEARCH_EXPLAIN_FANOVA_H
#define GANNET_SEARCH_EXPLAIN_FANOVA_H

#include "search/strategy.h"

/* Functions over the space, side by side: several guesses at one, so that one sees how far their answers agree. */
struct fanova_functions {
    uint32_t count; /* S */
    /* Fills out[S] with their values at a canonical point. */
    void (*values)(void *context, const double *unit, double *out);
    void *context;
};

/* Fills alone[S * D] and together[S * D], function after function, with shares of the function's variance over the
 * space: 0..1. What all parameters cause alone adds up to 1 at most; what they cause together counts for each of them.
 * All 0 when the function is the same everywhere. */
void fanova(const struct fanova_functions *functions, const struct gannet_space *space, const struct gannet_host *host,
            double *alone, double *together);

#endif
