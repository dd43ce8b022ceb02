/* Points that may be proposed, with their scores: a list that is scored as a whole, since many together are cheaper.
 *
 * A point is open when a trial may try it: the constraints allow it and, in a finite space, no trial has it yet. */
#ifndef GANNET_SEARCH_POOL_H
#define GANNET_SEARCH_POOL_H

#include "search/gp/acquisition.h"
#include "search/history/visited.h"
#include "common/rng.h"

struct pool {
    const struct domain *domain;
    const struct visited *taken; /* the points that trials have */
    uint32_t count, room;
    double *unit;  /* room x D: canonical points */
    double *x;     /* room x W: scaled, of full depth */
    double *score; /* room, once scored */
};

void pool_init(struct pool *pool, const struct domain *domain, const struct visited *taken, uint32_t room);
void pool_fini(struct pool *pool);

bool pool_is_open(const struct pool *pool, const double *unit);

/* Snaps the point in place and adds it if it is open and there is room. */
bool pool_add(struct pool *pool, double *unit);

/* --- what is tried; all snap --- */

/* Points drawn from the space's own distribution. */
void pool_add_random(struct pool *pool, struct rng *rng, uint32_t count);

/* Points near one: a few coordinates changed, numbers by a normal step of a random size, others anew. */
void pool_add_near(struct pool *pool, struct rng *rng, const double *centre, uint32_t count);

/* All points that differ from one in one coordinate by a level or a choice; of many levels the nearest ones and some
 * others. Continuous coordinates stay. */
void pool_add_neighbours(struct pool *pool, struct rng *rng, const double *centre);

void pool_score(struct pool *pool, const struct acquisition *acquisition);

/* The index of the highest score; the pool must not be empty. */
uint32_t pool_best(const struct pool *pool);

#endif
