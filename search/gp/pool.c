/* Candidates; see pool.h. */
#include "search/gp/pool.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEIGHBOURS = 24 }; /* of one coordinate */

void pool_init(struct pool *pool, const struct domain *domain, const struct visited *taken, uint32_t room)
{
    *pool = (struct pool){.domain = domain, .taken = taken, .room = room};
    size_t units = (size_t)room * domain->count, scaled = (size_t)room * domain->width;
    pool->unit = mem_resize(NULL, units + scaled + room, sizeof(double));
    pool->x = pool->unit + units;
    pool->score = pool->x + scaled;
}

void pool_fini(struct pool *pool)
{
    free(pool->unit);
    *pool = (struct pool){0};
}

bool pool_is_open(const struct pool *pool, const double *unit)
{
    const struct gannet_host *host = pool->domain->host;
    return !visited_has(pool->taken, unit) && host->allowed(host, unit);
}

bool pool_add(struct pool *pool, double *unit)
{
    const struct domain *domain = pool->domain;
    domain->host->snap(domain->host, unit);
    if (pool->count == pool->room || !pool_is_open(pool, unit))
        return false;
    size_t at = pool->count++;
    memcpy(pool->unit + at * domain->count, unit, domain->count * sizeof *unit);
    domain_scale(domain, unit, 1, pool->x + at * domain->width);
    return true;
}

void pool_add_random(struct pool *pool, struct rng *rng, uint32_t count)
{
    double *unit = MEM_ARRAY(double, pool->domain->count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t d = 0; d < pool->domain->count; d++)
            unit[d] = rng_unit(rng);
        pool_add(pool, unit);
    }
    free(unit);
}

/* Another value of a coordinate: numbers move by a normal step. */
static double moved(const struct axis *axis, double unit, double size, struct rng *rng)
{
    double step = size * rng_normal(rng), fresh = rng_unit(rng);
    if (axis->nominal || isnan(unit))
        return fresh;
    if (!axis->fine && axis->levels) {
        double least = 1 / (double)axis->levels; /* at least to the next level */
        step = copysign(fmax(fabs(step), 1.01 * least), step);
    }
    double to = unit + step;
    if (to < 0 || to > 1) /* reflected at the ends, but never through the whole range */
        to = fmin(fmax(to < 0 ? -to : 2 - to, 0), 1);
    return to;
}

void pool_add_near(struct pool *pool, struct rng *rng, const double *centre, uint32_t count)
{
    uint32_t dimension = pool->domain->count;
    double *unit = MEM_ARRAY(double, dimension);
    for (uint32_t i = 0; i < count; i++) {
        double size = 0.25 * exp(-4 * rng_unit(rng)), share = 1 + 3 * rng_unit(rng);
        uint32_t certain = (uint32_t)rng_below(rng, dimension);
        for (uint32_t d = 0; d < dimension; d++) {
            double other = moved(&pool->domain->axes[d], centre[d], size, rng);
            bool changes = rng_unit(rng) * dimension < share;
            unit[d] = changes || d == certain ? other : centre[d];
        }
        pool_add(pool, unit);
    }
    free(unit);
}

/* Every level of an axis but the point's own; of many, the two on each side and random others. */
static void add_levels(struct pool *pool, struct rng *rng, const double *centre, uint32_t d, double *unit)
{
    const struct domain *domain = pool->domain;
    const struct axis *axis = &domain->axes[d];
    uint64_t here = domain_level(domain, d, centre[d]);
    bool all = axis->levels <= MOST_NEIGHBOURS;
    for (uint64_t i = 0; i < (all ? axis->levels : MOST_NEIGHBOURS); i++) {
        uint64_t level = all                       ? i
                         : i >= 4 || axis->nominal ? rng_below(rng, axis->levels)
                                                   : here + (i < 2 ? i - 2 : i - 1);
        if (level == here || level >= axis->levels) /* below the first wraps round to above the last */
            continue;
        memcpy(unit, centre, domain->count * sizeof *unit);
        unit[d] = domain->host->level(domain->host, d, level);
        pool_add(pool, unit);
    }
}

void pool_add_neighbours(struct pool *pool, struct rng *rng, const double *centre)
{
    double *unit = MEM_ARRAY(double, pool->domain->count);
    for (uint32_t d = 0; d < pool->domain->count; d++) {
        const struct axis *axis = &pool->domain->axes[d];
        if (!isnan(centre[d]) && !axis->fine && axis->levels > 1)
            add_levels(pool, rng, centre, d, unit);
    }
    free(unit);
}

void pool_score(struct pool *pool, const struct acquisition *acquisition)
{
    acquisition_score(acquisition, pool->x, pool->count, pool->score);
}

uint32_t pool_best(const struct pool *pool)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < pool->count; i++)
        if (pool->score[i] > pool->score[best])
            best = i;
    return best;
}
