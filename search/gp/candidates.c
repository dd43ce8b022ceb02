/* Candidates; see candidates.h. */
#include "search/gp/candidates.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEIGHBOURS = 24 }; /* of one coordinate */

void candidates_init(struct candidates *candidates, const struct gp_domain *domain, const struct visited *taken,
                     uint32_t capacity)
{
    *candidates = (struct candidates){.domain = domain, .taken = taken, .capacity = capacity};
    size_t units = (size_t)capacity * domain->count, scaled = (size_t)capacity * domain->width;
    candidates->unit = mem_resize(NULL, units + scaled + capacity, sizeof(double));
    candidates->x = candidates->unit + units;
    candidates->score = candidates->x + scaled;
}

void candidates_fini(struct candidates *candidates)
{
    free(candidates->unit);
    *candidates = (struct candidates){0};
}

bool candidates_is_open(const struct candidates *candidates, const double *unit)
{
    const struct gannet_host *host = candidates->domain->host;
    return !(candidates->taken && visited_has(candidates->taken, unit)) && host->allowed(host, unit);
}

bool candidates_add(struct candidates *candidates, double *unit)
{
    const struct gp_domain *domain = candidates->domain;
    domain->host->snap(domain->host, unit);
    if (candidates->count == candidates->capacity || !candidates_is_open(candidates, unit))
        return false;
    size_t at = candidates->count++;
    memcpy(candidates->unit + at * domain->count, unit, domain->count * sizeof *unit);
    domain_scale(domain, unit, 1, candidates->x + at * domain->width);
    return true;
}

void candidates_add_random(struct candidates *candidates, struct rng *rng, uint32_t count)
{
    double *unit = MEM_ARRAY(double, candidates->domain->count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t d = 0; d < candidates->domain->count; d++)
            unit[d] = rng_unit(rng);
        candidates_add(candidates, unit);
    }
    free(unit);
}

/* Another value of a coordinate: numbers move by a normal step. */
static double moved_value(const struct domain_axis *axis, double unit, double size, struct rng *rng)
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

void candidates_add_near(struct candidates *candidates, struct rng *rng, const double *centre, uint32_t count)
{
    uint32_t dimension = candidates->domain->count;
    double *unit = MEM_ARRAY(double, dimension);
    for (uint32_t i = 0; i < count; i++) {
        double size = 0.25 * exp(-4 * rng_unit(rng)), share = 1 + 3 * rng_unit(rng);
        uint32_t certain = (uint32_t)rng_below(rng, dimension);
        for (uint32_t d = 0; d < dimension; d++) {
            double other = moved_value(&candidates->domain->axes[d], centre[d], size, rng);
            bool changes = rng_unit(rng) * dimension < share;
            unit[d] = changes || d == certain ? other : centre[d];
        }
        candidates_add(candidates, unit);
    }
    free(unit);
}

/* Every level of an axis but the point's own; of many, the two on each side and random others. */
static void add_levels(struct candidates *candidates, struct rng *rng, const double *centre, uint32_t d, double *unit)
{
    const struct gp_domain *domain = candidates->domain;
    const struct domain_axis *axis = &domain->axes[d];
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
        candidates_add(candidates, unit);
    }
}

void candidates_add_neighbours(struct candidates *candidates, struct rng *rng, const double *centre)
{
    double *unit = MEM_ARRAY(double, candidates->domain->count);
    for (uint32_t d = 0; d < candidates->domain->count; d++) {
        const struct domain_axis *axis = &candidates->domain->axes[d];
        if (!isnan(centre[d]) && !axis->fine && axis->levels > 1)
            add_levels(candidates, rng, centre, d, unit);
    }
    free(unit);
}

void candidates_score(struct candidates *candidates, const struct acquisition *acquisition)
{
    acquisition_score(acquisition, candidates->x, candidates->count, candidates->score);
}

uint32_t candidates_best(const struct candidates *candidates)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < candidates->count; i++)
        if (candidates->score[i] > candidates->score[best])
            best = i;
    return best;
}
