/* Points made of others; see moves.h. */
#include "search/tree/moves.h"

#include <math.h>
#include <string.h>

/* A coordinate without a value gets a random one before the point is snapped. */
static void finish_move(const struct moves *moves, struct rng *rng, double *unit)
{
    for (uint32_t d = 0; d < moves->space->count; d++)
        unit[d] = isnan(unit[d]) ? rng_unit(rng) : unit[d];
    moves->host->snap(moves->host, unit);
}

void moves_random(const struct moves *moves, struct rng *rng, double *unit)
{
    for (uint32_t d = 0; d < moves->space->count; d++)
        unit[d] = NAN;
    finish_move(moves, rng, unit);
}

/* The level of a canonical coordinate: the middles of the levels rise. */
static uint64_t level_of(const struct moves *moves, uint32_t d, double unit)
{
    uint64_t low = 0, high = moves->space->params[d].levels;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (moves->host->level(moves->host, d, middle) <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Another level, mostly the next one. */
static double step_level(const struct moves *moves, uint32_t d, double unit, struct rng *rng)
{
    uint64_t levels = moves->space->params[d].levels, level = level_of(moves, d, unit), by = 1;
    while (by < levels / 4 && rng_below(rng, 3) == 0)
        by *= 2;
    bool up = level < by || (level + by < levels && rng_below(rng, 2));
    if (up)
        level = levels - 1 - level < by ? levels - 1 : level + by;
    else
        level -= by;
    return moves->host->level(moves->host, d, level);
}

static double step_choice(const struct moves *moves, uint32_t d, double unit, struct rng *rng)
{
    uint64_t levels = moves->space->params[d].levels;
    if (levels < 2)
        return unit;
    uint64_t other = rng_below(rng, levels - 1);
    return moves->host->level(moves->host, d, other + (other >= level_of(moves, d, unit)));
}

/* Step sizes from 0.3 down to 0.003, all orders alike. */
static double step_continuous(double unit, struct rng *rng)
{
    double size = 0.3 * pow(0.01, rng_unit(rng));
    double moved = unit + size * rng_normal(rng);
    moved = moved < 0 ? -moved : moved > 1 ? 2 - moved : moved;
    return moved >= 0 && moved <= 1 ? moved : rng_unit(rng);
}

void moves_step(const struct moves *moves, const double *from, struct rng *rng, double *unit)
{
    uint32_t count = moves->space->count, d = (uint32_t)rng_below(rng, count);
    while (isnan(from[d])) /* some parameter is active in every configuration */
        d = (uint32_t)rng_below(rng, count);
    memcpy(unit, from, count * sizeof *unit);
    const struct gannet_param *param = &moves->space->params[d];
    if (param->kind == GANNET_CHOICE)
        unit[d] = step_choice(moves, d, unit[d], rng);
    else if (param->levels)
        unit[d] = step_level(moves, d, unit[d], rng);
    else
        unit[d] = step_continuous(unit[d], rng);
    finish_move(moves, rng, unit);
}

void moves_cross(const struct moves *moves, const double *a, const double *b, struct rng *rng, double *unit)
{
    for (uint32_t d = 0; d < moves->space->count; d++)
        unit[d] = rng_below(rng, 2) ? a[d] : b[d];
    finish_move(moves, rng, unit);
}
