/* Points that may be proposed, with their scores: a list that is scored as a whole, since many together are cheaper.
 *
 * A point is open when a trial may try it: the constraints allow it, and no trial has it yet. */
#ifndef GANNET_SEARCH_GP_CANDIDATES_H
#define GANNET_SEARCH_GP_CANDIDATES_H

#include "search/gp/acquisition.h"
#include "search/visited.h"
#include "common/rng.h"

struct candidates {
    const struct gp_domain *domain;
    const struct visited *taken; /* the points that trials have; NULL: these may be tried again */
    uint32_t count, capacity;
    double *unit;  /* room x D: canonical points */
    double *x;     /* room x W: scaled, of full depth */
    double *score; /* room, once scored */
};

void candidates_init(struct candidates *candidates, const struct gp_domain *domain, const struct visited *taken,
                     uint32_t capacity);
void candidates_fini(struct candidates *candidates);

bool candidates_is_open(const struct candidates *candidates, const double *unit);

/* Snaps the point in place and adds it if it is open and there is room. */
bool candidates_add(struct candidates *candidates, double *unit);

/* --- what is tried; all snap --- */

/* Points drawn from the space's own distribution. */
void candidates_add_random(struct candidates *candidates, struct rng *rng, uint32_t count);

/* Points near one: a few coordinates changed, numbers by a normal step of a random size, others anew. */
void candidates_add_near(struct candidates *candidates, struct rng *rng, const double *centre, uint32_t count);

/* All points that differ from one in one coordinate by a level or a choice; of many levels the nearest ones and some
 * others. Continuous coordinates stay. */
void candidates_add_neighbours(struct candidates *candidates, struct rng *rng, const double *centre);

void candidates_score(struct candidates *candidates, const struct acquisition *acquisition);

/* The index of the highest score; the candidates must not be empty. */
uint32_t candidates_best(const struct candidates *candidates);

#endif
