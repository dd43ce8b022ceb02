/* The optimiser for the point with the highest score: many candidates, then ascents from the best of them and from the
 * best trials, by gradients in continuous coordinates and from neighbour to neighbour in the others. */
#ifndef GANNET_SEARCH_GP_ACQUISITION_OPTIMISER_H
#define GANNET_SEARCH_GP_ACQUISITION_OPTIMISER_H

#include "search/gp/candidates.h"

struct optimiser {
    const struct gp_domain *domain;
    const struct acquisition *acquisition;
    const struct visited *taken;
    bool beside;           /* an ascent that ends at a point that was taken stops just beside it */
    const double *anchors; /* canonical points of good trials, the best first */
    uint32_t anchor_count;
    const double *low, *high; /* D: the box that numbers stay in, scaled */
    bool local;               /* candidates come from near the anchors alone */
    uint32_t candidates;      /* how many to draw */
    uint32_t ascents;         /* from so many candidates, and from as many anchors */
    uint64_t random;
};

/* Writes an open point; false when none was found. */
bool optimiser_run(const struct optimiser *optimiser, double *unit);

/* Writes an open point drawn from the space's own distribution; false when many draws gave none (the last is written).
 */
bool optimiser_draw_open(const struct gp_domain *domain, const struct visited *taken, uint64_t random, double *unit);

#endif
