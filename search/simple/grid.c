/* Grid search: every combination of levels once, over whatever is active in it.
 *
 * In order, the last parameter goes fastest, like the digits of a number: the grid is written as nested loops are. An
 * inactive parameter has one digit only; since parents stand before their children, a combination comes once. Shuffled,
 * the numbers of all combinations, conditions ignored, are taken in the order start, start + stride, ... modulo their
 * count, which the stride does not divide; of those that stand for one configuration only the one with the lowest
 * digits counts. */
#include "search/registry.h"
#include "search/simple/sequence.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Places in a row without an allowed point, some seconds' worth, after which a search ends with an error. */
enum { PATIENCE = 10000000 };

enum { OPTION_LEVELS, OPTION_ORDER };
static const char *const orders[] = {"sequential", "shuffled", NULL};

static const struct gannet_option options[] = {
    [OPTION_LEVELS] = {.name = "levels",
                       .type = GANNET_INTEGER,
                       .min = 1,
                       .max = 1e6,
                       .default_value = "10",
                       .help = "values taken of each continuous parameter, both ends included; others are taken whole"},
    [OPTION_ORDER] = {.name = "order",
                      .type = GANNET_WORD,
                      .words = orders,
                      .default_value = "sequential",
                      .help = "sequential: the last parameter goes fastest; shuffled: evenly spread, for a search that "
                              "may end before the grid does"},
    {.name = NULL},
};

struct grid {
    const struct gannet_space *space;
    const struct gannet_host *host;
    struct sequence *sequence;
    uint64_t *levels; /* of each parameter */
    uint64_t *digits; /* the combination at hand: the level of each parameter */
    double *unit;     /* its canonical point */
    bool shuffled, begun, ended;
    uint64_t total, taken, start, stride; /* shuffled: combinations, and how many of them were taken */
};

/* The coordinate of a parameter's digit. A continuous one has its levels from end to end, or, where it has no ends (a
 * normal), in the middle of equally probable parts. */
static double grid_coordinate(const struct grid *grid, uint32_t i)
{
    const struct gannet_param *param = &grid->space->params[i];
    double digit = (double)grid->digits[i], levels = (double)grid->levels[i];
    if (param->levels)
        return grid->host->level(grid->host, i, grid->digits[i]);
    if (levels == 1 || isinf(param->min) || isinf(param->max))
        return (digit + 0.5) / levels;
    return digit / (levels - 1);
}

/* From digits to the point. */
static void point_of_digits(struct grid *grid, double *unit)
{
    for (uint32_t i = 0; i < grid->space->count; i++)
        grid->unit[i] = grid_coordinate(grid, i);
    grid->host->snap(grid->host, grid->unit);
    for (uint32_t i = 0; i < grid->space->count; i++)
        unit[i] = grid->unit[i];
}

/* --- in order --- */

/* The last active digit that can go up does, those behind it begin anew; false when none can. */
static bool count_up(struct grid *grid)
{
    for (uint32_t i = grid->space->count; i-- > 0;) {
        if (isnan(grid->unit[i]))
            continue;
        if (++grid->digits[i] < grid->levels[i])
            return true;
        grid->digits[i] = 0;
    }
    return false;
}

static enum sequence_step next_in_order(void *source, double *unit)
{
    struct grid *grid = source;
    grid->ended = grid->ended || (grid->begun && !count_up(grid));
    grid->begun = true;
    if (grid->ended)
        return SEQUENCE_END;
    point_of_digits(grid, unit);
    return SEQUENCE_POINT;
}

/* --- shuffled --- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void shuffle(struct grid *grid, uint64_t total, uint64_t seed)
{
    grid->total = total;
    struct rng rng = rng_make(seed, "grid", 0);
    grid->start = rng_below(&rng, grid->total);
    do
        grid->stride = 1 + rng_below(&rng, grid->total);
    while (common_divisor(grid->stride, grid->total) != 1);
}

static void read_digits(struct grid *grid, uint64_t number)
{
    for (uint32_t i = grid->space->count; i-- > 0;) {
        grid->digits[i] = number % grid->levels[i];
        number /= grid->levels[i];
    }
}

static enum sequence_step next_shuffled(void *source, double *unit)
{
    struct grid *grid = source;
    if (grid->taken == grid->total)
        return SEQUENCE_END;
    unsigned __int128 number = (unsigned __int128)grid->taken++ * grid->stride + grid->start;
    read_digits(grid, (uint64_t)(number % grid->total));
    point_of_digits(grid, unit);
    for (uint32_t i = 0; i < grid->space->count; i++)
        if (isnan(unit[i]) && grid->digits[i])
            return SEQUENCE_NOTHING;
    return SEQUENCE_POINT;
}

/* --- the strategy --- */

static void destroy_grid(void *self)
{
    struct grid *grid = self;
    sequence_destroy(grid->sequence);
    free(grid->levels);
    free(grid->digits);
    free(grid->unit);
    free(grid);
}

/* Sets levels and returns the number of combinations, conditions ignored. */
static double lay_out(struct grid *grid, const struct gannet_problem *problem)
{
    double total = 1;
    for (uint32_t i = 0; i < grid->space->count; i++) {
        uint64_t levels = grid->space->params[i].levels;
        grid->levels[i] = levels ? levels : (uint64_t)problem->options[OPTION_LEVELS].number;
        total *= (double)grid->levels[i];
    }
    return total;
}

static void *create_grid(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                         size_t why_size)
{
    struct grid *grid = MEM_NEW(struct grid);
    uint32_t count = problem->space->count;
    grid->space = problem->space;
    grid->host = host;
    grid->levels = MEM_ARRAY(uint64_t, count);
    grid->digits = MEM_ARRAY(uint64_t, count);
    grid->unit = MEM_ARRAY(double, count);
    grid->shuffled = problem->options[OPTION_ORDER].number == 1;
    double total = lay_out(grid, problem);
    if (grid->shuffled && total > 0x1p53) {
        snprintf(why, why_size, "%g combinations are too many to shuffle; use order: sequential, or fewer levels",
                 total);
        destroy_grid(grid);
        return NULL;
    }
    if (grid->shuffled)
        shuffle(grid, (uint64_t)total, problem->seed);
    grid->sequence = sequence_create(problem, host, grid->shuffled ? next_shuffled : next_in_order, grid, PATIENCE);
    return grid;
}

static enum gannet_answer ask_grid(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    struct grid *grid = self;
    switch (sequence_ask(grid->sequence, ask->retry, unit)) {
    case SEQUENCE_POINT:
        return GANNET_PROPOSED;
    case SEQUENCE_END:
        return GANNET_NO_MORE;
    case SEQUENCE_NOTHING:
        break;
    }
    snprintf(why, why_size, "constraints and conditions left nothing of %d points of the grid in a row; try sobol",
             PATIENCE);
    return GANNET_ERROR;
}

static void note_grid(void *self, uint64_t trial, const double *unit)
{
    (void)trial;
    struct grid *grid = self;
    sequence_note(grid->sequence, unit);
}

const struct gannet_strategy grid_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "grid",
    .summary = "every combination of values once; for small spaces and for tables",
    .options = options,
    .create = create_grid,
    .ask = ask_grid,
    .note = note_grid,
    .destroy = destroy_grid,
};
