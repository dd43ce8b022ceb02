/* Maximising the acquisition; see hunt.h. */
#include "search/gp/hunt.h"
#include "search/gp/minimize.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_MOVES = 12,       /* from neighbour to neighbour in one ascent */
    MOST_EVALUATIONS = 30, /* of the gradient in one ascent */
    NEIGHBOUR_ROOM = 2048,
    MOST_DRAWS = 1000
};

/* An ascent at work: where it stands, and the coordinates that gradients move. */
struct ascent {
    const struct hunt *hunt;
    struct rng *rng;
    double *unit; /* canonical */
    double score; /* -infinity: the point is not open */
    uint32_t moving;
    uint32_t *coordinates; /* `moving` of them */
    double *x, *gradient;  /* scaled, all W */
};

static void copy(const struct hunt *hunt, double *to, const double *from)
{
    memcpy(to, from, hunt->domain->count * sizeof *to);
}

/* Minus the score at the moving coordinates. */
static double downhill(void *context, const double *moving, double *gradient)
{
    struct ascent *ascent = context;
    for (uint32_t i = 0; i < ascent->moving; i++)
        ascent->x[ascent->coordinates[i]] = moving[i];
    double score = acquisition_gradient(ascent->hunt->acquisition, ascent->x, ascent->gradient);
    for (uint32_t i = 0; i < ascent->moving; i++)
        gradient[i] = -ascent->gradient[ascent->coordinates[i]];
    return -score;
}

/* Takes the point over if it is open and better. */
static bool take(struct ascent *ascent, double *unit)
{
    const struct hunt *hunt = ascent->hunt;
    struct pool pool;
    pool_init(&pool, hunt->domain, hunt->taken, 1);
    bool better = pool_add(&pool, unit);
    if (better) {
        pool_score(&pool, hunt->acquisition);
        better = pool.score[0] > ascent->score;
    }
    if (better) {
        copy(hunt, ascent->unit, unit);
        ascent->score = pool.score[0];
    }
    pool_fini(&pool);
    return better;
}

/* Along the gradient of the continuous coordinates that are active. */
static void slide(struct ascent *ascent)
{
    const struct domain *domain = ascent->hunt->domain;
    double *memory = MEM_ARRAY(double, 4 * (size_t)domain->count);
    double *start = memory, *low = start + domain->count, *high = low + domain->count, *unit = high + domain->count;
    domain_scale(domain, ascent->unit, 1, ascent->x);
    ascent->moving = 0;
    for (uint32_t d = 0; d < domain->count; d++)
        if (domain->axes[d].fine && !isnan(ascent->x[d])) {
            low[ascent->moving] = fmin(ascent->hunt->low[d], ascent->x[d]);
            high[ascent->moving] = fmax(ascent->hunt->high[d], ascent->x[d]);
            start[ascent->moving] = ascent->x[d];
            ascent->coordinates[ascent->moving++] = d;
        }
    if (ascent->moving) {
        struct minimize problem = {downhill, ascent, ascent->moving, low, high, MOST_EVALUATIONS, 1e-4};
        minimize(&problem, start);
        for (uint32_t i = 0; i < ascent->moving; i++)
            ascent->x[ascent->coordinates[i]] = start[i];
        domain_unscale(domain, ascent->x, unit);
        take(ascent, unit);
    }
    free(memory);
}

/* To the best neighbour; false when none is better. */
static bool step(struct ascent *ascent)
{
    const struct hunt *hunt = ascent->hunt;
    struct pool pool;
    pool_init(&pool, hunt->domain, hunt->taken, NEIGHBOUR_ROOM);
    pool_add_neighbours(&pool, ascent->rng, ascent->unit);
    bool better = false;
    if (pool.count) {
        pool_score(&pool, hunt->acquisition);
        uint32_t best = pool_best(&pool);
        better = pool.score[best] > ascent->score;
        if (better) {
            copy(hunt, ascent->unit, pool.unit + (size_t)best * hunt->domain->count);
            ascent->score = pool.score[best];
        }
    }
    pool_fini(&pool);
    return better;
}

static void climb(struct ascent *ascent)
{
    if (ascent->hunt->domain->any_fine)
        slide(ascent);
    for (int moves = 0; moves < MOST_MOVES && step(ascent); moves++)
        if (ascent->hunt->domain->any_fine)
            slide(ascent);
}

/* Climbs from a point and keeps what is reached when it is the best so far. */
static void climb_from(struct ascent *ascent, const double *from, double score, double *best_score, double *best)
{
    copy(ascent->hunt, ascent->unit, from);
    ascent->score = score;
    climb(ascent);
    if (ascent->score > *best_score) {
        *best_score = ascent->score;
        copy(ascent->hunt, best, ascent->unit);
    }
}

static void fill(const struct hunt *hunt, struct rng *rng, struct pool *pool)
{
    uint32_t share = hunt->local ? hunt->candidates : hunt->candidates * 3 / 5;
    uint32_t near = hunt->anchor_count ? share / hunt->anchor_count : 0;
    for (uint32_t i = 0; i < hunt->anchor_count; i++)
        pool_add_near(pool, rng, hunt->anchors + (size_t)i * hunt->domain->count, near);
    pool_add_random(pool, rng, hunt->candidates - near * hunt->anchor_count);
    if (pool->count == 0) /* constraints leave little, or nearly everything was tried */
        pool_add_random(pool, rng, hunt->candidates * 10);
}

bool hunt(const struct hunt *hunt, double *unit)
{
    struct rng rng = rng_make(hunt->random, "hunt", 0);
    struct pool pool;
    pool_init(&pool, hunt->domain, hunt->taken, hunt->candidates);
    fill(hunt, &rng, &pool);
    uint32_t dimension = hunt->domain->count;
    double *memory = MEM_ARRAY(double, dimension + 2 * (size_t)hunt->domain->width), best = -INFINITY;
    uint32_t *coordinates = MEM_ARRAY(uint32_t, dimension);
    struct ascent ascent = {.hunt = hunt, .rng = &rng, .unit = memory, .coordinates = coordinates};
    ascent.x = memory + dimension;
    ascent.gradient = ascent.x + hunt->domain->width;
    if (pool.count)
        pool_score(&pool, hunt->acquisition);
    for (uint32_t i = 0; i < hunt->ascents && pool.count; i++) {
        uint32_t top = pool_best(&pool);
        if (!(pool.score[top] > -INFINITY))
            break;
        climb_from(&ascent, pool.unit + (size_t)top * dimension, pool.score[top], &best, unit);
        pool.score[top] = -INFINITY;
    }
    for (uint32_t i = 0; i < hunt->ascents && i < hunt->anchor_count; i++)
        climb_from(&ascent, hunt->anchors + (size_t)i * dimension, -INFINITY, &best, unit);
    free(coordinates);
    free(memory);
    pool_fini(&pool);
    return best > -INFINITY;
}

bool hunt_anywhere(const struct domain *domain, const struct visited *taken, uint64_t random, double *unit)
{
    struct pool pool = {.domain = domain, .taken = taken};
    struct rng rng = rng_make(random, "anywhere", 0);
    for (int draws = 0; draws < MOST_DRAWS; draws++) {
        for (uint32_t d = 0; d < domain->count; d++)
            unit[d] = rng_unit(&rng);
        domain->host->snap(domain->host, unit);
        if (pool_is_open(&pool, unit))
            return true;
    }
    return false;
}
