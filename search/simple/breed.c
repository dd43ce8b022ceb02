/* Crossover and mutation; see breed.h. */
#include "search/simple/breed.h"

#include <math.h>

static const double beyond = .25;                             /* how far blending goes beyond the parents */
static const double longest = .3, shortest_part = 1.0 / 1000; /* of mutation's steps */

static double clamp_to_unit(double unit)
{
    return fmin(fmax(unit, 0), 1);
}

static double blend_values(struct rng *rng, double a, double b)
{
    double part = rng_unit(rng) * (1 + 2 * beyond) - beyond;
    return clamp_to_unit(a + part * (b - a));
}

void breed_cross(const struct gannet_space *space, struct rng *rng, const double *mother, const double *father,
                 double *child)
{
    for (uint32_t i = 0; i < space->count; i++) {
        double a = mother[i], b = father[i];
        bool other = rng_below(rng, 2), blends = rng_below(rng, 2) && space->params[i].kind != GANNET_CHOICE;
        if (isnan(a) || isnan(b))
            child[i] = isnan(a) ? b : a;
        else
            child[i] = blends ? blend_values(rng, a, b) : other ? b : a;
    }
}

static double other_choice(const struct gannet_host *host, struct rng *rng, uint32_t i, uint64_t levels, double unit)
{
    uint64_t now = (uint64_t)host->natural(host, i, unit), next = rng_below(rng, levels - 1);
    return host->level(host, i, next + (next >= now));
}

/* A step that stays within the range: from an end it turns back. */
static double step_from(struct rng *rng, double unit, double least)
{
    double size = longest * pow(shortest_part, rng_unit(rng)), step = size * rng_normal(rng);
    if (fabs(step) < least)
        step = copysign(least, step);
    double there = unit + step;
    return clamp_to_unit(there < 0 || there > 1 ? unit - step : there);
}

static double mutated_value(const struct gannet_space *space, const struct gannet_host *host, struct rng *rng,
                            uint32_t i, double unit)
{
    uint64_t levels = space->params[i].levels;
    if (levels == 1)
        return unit;
    if (space->params[i].kind == GANNET_CHOICE)
        return other_choice(host, rng, i, levels, unit);
    return step_from(rng, unit, levels ? 1.0 / (double)levels : 0);
}

void breed_mutate(const struct gannet_space *space, const struct gannet_host *host, struct rng *rng, double rate,
                  double *unit)
{
    uint32_t active = 0, changed = 0;
    for (uint32_t i = 0; i < space->count; i++)
        active += isnan(unit[i]) ? 0 : 1;
    uint64_t sure = active ? rng_below(rng, active) : 0;
    for (uint32_t i = 0; i < space->count; i++) {
        if (isnan(unit[i]))
            continue;
        bool by_chance = rng_unit(rng) < rate;
        if (by_chance || changed++ == sure)
            unit[i] = mutated_value(space, host, rng, i, unit[i]);
    }
}

void breed_fill(const struct gannet_space *space, struct rng *rng, double *unit)
{
    for (uint32_t i = 0; i < space->count; i++) {
        double draw = rng_unit(rng);
        unit[i] = isnan(unit[i]) ? draw : unit[i];
    }
}
