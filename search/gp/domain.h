/* The space as the Gaussian process sees it: what each coordinate is, and points scaled so that a numeric parameter's
 * lowest value lies at 0 and its highest at 1 however few levels it has. Where trials are judged on their way, how far
 * one got is a further coordinate, behind those of the parameters: its depth, 1 for a trial that is complete.
 *
 * Alphabet: D parameters, W coordinates: D, or D + 1 with the depth. A coordinate that is inactive is NaN here too. */
#ifndef GANNET_SEARCH_GP_DOMAIN_H
#define GANNET_SEARCH_GP_DOMAIN_H

#include "search/strategy.h"

/* More levels than this are treated as continuous: moved along by gradients, not tried one after the other. */
enum { DOMAIN_FEW_LEVELS = 40 };

struct domain_axis {
    bool nominal;     /* values are the same or not; else there is a distance between them */
    bool conditional; /* may be inactive */
    bool fine;        /* numeric, with more levels than can be tried one after the other */
    uint64_t levels;  /* 0: continuous */
    double low, span; /* numeric: unit = low + span * scaled */
};

struct gp_domain {
    uint32_t count, width; /* D, W */
    const struct gannet_space *space;
    const struct gannet_host *host;
    struct domain_axis *axes; /* W */
    bool any_fine;
    bool main_effects;  /* the covariance has them; of one coordinate alone they are all there is */
    uint64_t max_steps; /* the step of depth 1; 0: there is no depth */
};

void domain_init(struct gp_domain *domain, const struct gannet_problem *problem, const struct gannet_host *host);
void domain_fini(struct gp_domain *domain); /* a zeroed one is fine */

/* The depth of a trial seen at a step; 0: it has no steps. */
double domain_depth(const struct gp_domain *domain, uint64_t step);

/* From a canonical point to W scaled coordinates and back (to D that are yet to be snapped). */
void domain_scale(const struct gp_domain *domain, const double *unit, double depth, double *x);
void domain_unscale(const struct gp_domain *domain, const double *x, double *unit);

/* The level of a coordinate of a canonical point, for an axis that has levels. */
uint64_t domain_level(const struct gp_domain *domain, uint32_t d, double unit);

#endif
