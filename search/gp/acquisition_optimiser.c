/* Maximising the acquisition; see acquisition_optimiser.h. */
#include "search/gp/acquisition_optimiser.h"
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

static const double aside = 1e-6; /* of the way to the middle: more than a cell of visited.h, and nearly nothing */

/* An ascent at work: the point that it has reached, and the coordinates that gradients move. */
struct ascent {
    const struct optimiser *optimiser;
    struct rng *rng;
    double *unit; /* canonical */
    double score; /* -infinity: the point is not open */
    uint32_t moving;
    uint32_t *coordinates; /* `moving` of them */
    double *x, *gradient;  /* scaled, all W */
};

static void copy_point(const struct optimiser *optimiser, double *to, const double *from)
{
    memcpy(to, from, optimiser->domain->count * sizeof *to);
}

/* Minus the score at the moving coordinates. */
static double minus_score(void *context, const double *moving, double *gradient)
{
    struct ascent *ascent = context;
    for (uint32_t i = 0; i < ascent->moving; i++)
        ascent->x[ascent->coordinates[i]] = moving[i];
    double score = acquisition_gradient(ascent->optimiser->acquisition, ascent->x, ascent->gradient);
    for (uint32_t i = 0; i < ascent->moving; i++)
        gradient[i] = -ascent->gradient[ascent->coordinates[i]];
    return -score;
}

/* Takes the point over if it is open and better. */
static bool take_point(struct ascent *ascent, double *unit)
{
    const struct optimiser *optimiser = ascent->optimiser;
    struct candidates candidates;
    candidates_init(&candidates, optimiser->domain, optimiser->taken, 1);
    bool better = candidates_add(&candidates, unit);
    if (better) {
        candidates_score(&candidates, optimiser->acquisition);
        better = candidates.score[0] > ascent->score;
    }
    if (better) {
        copy_point(optimiser, ascent->unit, unit);
        ascent->score = candidates.score[0];
    }
    candidates_fini(&candidates);
    return better;
}

/* Along the gradient of the continuous coordinates that are active. */
static void slide_numbers(struct ascent *ascent)
{
    const struct gp_domain *domain = ascent->optimiser->domain;
    double *memory = MEM_ARRAY(double, 4 * (size_t)domain->count);
    double *start = memory, *low = start + domain->count, *high = low + domain->count, *unit = high + domain->count;
    domain_scale(domain, ascent->unit, 1, ascent->x);
    ascent->moving = 0;
    for (uint32_t d = 0; d < domain->count; d++)
        if (domain->axes[d].fine && !isnan(ascent->x[d])) {
            low[ascent->moving] = fmin(ascent->optimiser->low[d], ascent->x[d]);
            high[ascent->moving] = fmax(ascent->optimiser->high[d], ascent->x[d]);
            start[ascent->moving] = ascent->x[d];
            ascent->coordinates[ascent->moving++] = d;
        }
    if (ascent->moving) {
        struct minimize problem = {minus_score, ascent, ascent->moving, low, high, MOST_EVALUATIONS, 1e-4};
        minimize(&problem, start);
        for (uint32_t i = 0; i < ascent->moving; i++)
            ascent->x[ascent->coordinates[i]] = start[i];
        domain_unscale(domain, ascent->x, unit);
        if (!take_point(ascent, unit) && ascent->optimiser->beside) {
            for (uint32_t i = 0; i < ascent->moving; i++)
                ascent->x[ascent->coordinates[i]] += aside * (0.5 - start[i]);
            domain_unscale(domain, ascent->x, unit);
            take_point(ascent, unit);
        }
    }
    free(memory);
}

/* To the best neighbour; false when none is better. */
static bool step_to_neighbour(struct ascent *ascent)
{
    const struct optimiser *optimiser = ascent->optimiser;
    struct candidates candidates;
    candidates_init(&candidates, optimiser->domain, optimiser->taken, NEIGHBOUR_ROOM);
    candidates_add_neighbours(&candidates, ascent->rng, ascent->unit);
    bool better = false;
    if (candidates.count) {
        candidates_score(&candidates, optimiser->acquisition);
        uint32_t best = candidates_best(&candidates);
        better = candidates.score[best] > ascent->score;
        if (better) {
            copy_point(optimiser, ascent->unit, candidates.unit + (size_t)best * optimiser->domain->count);
            ascent->score = candidates.score[best];
        }
    }
    candidates_fini(&candidates);
    return better;
}

static void climb_up(struct ascent *ascent)
{
    if (ascent->optimiser->domain->any_fine)
        slide_numbers(ascent);
    for (int moves = 0; moves < MOST_MOVES && step_to_neighbour(ascent); moves++)
        if (ascent->optimiser->domain->any_fine)
            slide_numbers(ascent);
}

/* Climbs from a point and keeps what is reached when it is the best so far. */
static void climb_from(struct ascent *ascent, const double *from, double score, double *best_score, double *best)
{
    copy_point(ascent->optimiser, ascent->unit, from);
    ascent->score = score;
    climb_up(ascent);
    if (ascent->score > *best_score) {
        *best_score = ascent->score;
        copy_point(ascent->optimiser, best, ascent->unit);
    }
}

static void fill_candidates(const struct optimiser *optimiser, struct rng *rng, struct candidates *candidates)
{
    uint32_t share = optimiser->local ? optimiser->candidates : optimiser->candidates * 3 / 5;
    uint32_t near = optimiser->anchor_count ? share / optimiser->anchor_count : 0;
    for (uint32_t i = 0; i < optimiser->anchor_count; i++)
        candidates_add_near(candidates, rng, optimiser->anchors + (size_t)i * optimiser->domain->count, near);
    candidates_add_random(candidates, rng, optimiser->candidates - near * optimiser->anchor_count);
    if (candidates->count == 0) /* constraints leave little, or nearly everything was tried */
        candidates_add_random(candidates, rng, optimiser->candidates * 10);
}

bool optimiser_run(const struct optimiser *optimiser, double *unit)
{
    struct rng rng = rng_make(optimiser->random, "hunt", 0);
    struct candidates candidates;
    candidates_init(&candidates, optimiser->domain, optimiser->taken, optimiser->candidates);
    fill_candidates(optimiser, &rng, &candidates);
    uint32_t dimension = optimiser->domain->count;
    double *memory = MEM_ARRAY(double, dimension + 2 * (size_t)optimiser->domain->width), best = -INFINITY;
    uint32_t *coordinates = MEM_ARRAY(uint32_t, dimension);
    struct ascent ascent = {.optimiser = optimiser, .rng = &rng, .unit = memory, .coordinates = coordinates};
    ascent.x = memory + dimension;
    ascent.gradient = ascent.x + optimiser->domain->width;
    if (candidates.count)
        candidates_score(&candidates, optimiser->acquisition);
    for (uint32_t i = 0; i < optimiser->ascents && candidates.count; i++) {
        uint32_t top = candidates_best(&candidates);
        if (!(candidates.score[top] > -INFINITY))
            break;
        climb_from(&ascent, candidates.unit + (size_t)top * dimension, candidates.score[top], &best, unit);
        candidates.score[top] = -INFINITY;
    }
    for (uint32_t i = 0; i < optimiser->ascents && i < optimiser->anchor_count; i++)
        climb_from(&ascent, optimiser->anchors + (size_t)i * dimension, -INFINITY, &best, unit);
    free(coordinates);
    free(memory);
    candidates_fini(&candidates);
    return best > -INFINITY;
}

bool optimiser_draw_open(const struct gp_domain *domain, const struct visited *taken, uint64_t random, double *unit)
{
    struct candidates candidates = {.domain = domain, .taken = taken};
    struct rng rng = rng_make(random, "anywhere", 0);
    for (int draws = 0; draws < MOST_DRAWS; draws++) {
        for (uint32_t d = 0; d < domain->count; d++)
            unit[d] = rng_unit(&rng);
        domain->host->snap(domain->host, unit);
        if (candidates_is_open(&candidates, unit))
            return true;
    }
    return false;
}
