/* Results and their order of merit; see result.h. */
#include "search/simple/result.h"
#include "search/pareto/front.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result *result_create(const struct gannet_problem *problem, const struct gannet_outcome_of_trial *outcome)
{
    struct result *result = MEM_NEW(struct result);
    uint32_t dimension = problem->space->count, objectives = problem->objectives;
    result->trial = outcome->trial;
    result->failed = outcome->outcome != GANNET_FINISHED || !isfinite(outcome->loss);
    result->step = problem->max_steps ? outcome->step : 0;
    for (uint32_t i = 0; i < problem->limits; i++) {
        double excess = outcome->excess ? outcome->excess[i] : NAN;
        result->excess += isnan(excess) ? INFINITY : fmax(excess, 0);
    }
    result->losses = MEM_ARRAY(double, objectives);
    for (uint32_t k = 0; k < objectives; k++)
        result->losses[k] = result->failed || !outcome->losses ? outcome->loss : outcome->losses[k];
    result->unit = MEM_ARRAY(double, dimension);
    memcpy(result->unit, outcome->unit, dimension * sizeof *result->unit);
    return result;
}

void result_destroy(struct result *result)
{
    if (!result)
        return;
    free(result->losses);
    free(result->unit);
    free(result);
}

/* A result with what it is compared by. */
struct place {
    const struct result *result;
    size_t index;
    double merit;    /* less is better: the loss, or the front */
    double distance; /* more is better: the crowding distance */
};

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    const struct result *x = a->result, *y = b->result;
    int order = x->failed - y->failed;
    if (!order && !x->failed)
        order = compare(x->excess, y->excess);
    if (!order && !x->failed)
        order = (x->step < y->step) - (x->step > y->step);
    if (!order && !x->failed)
        order = compare(a->merit, b->merit);
    if (!order)
        order = compare(b->distance, a->distance);
    return order ? order : (x->trial > y->trial) - (x->trial < y->trial);
}

/* The crowding distances of one front. */
static void measure_front(struct place *places, size_t count, const double *losses, uint32_t m, uint32_t front)
{
    double *members = MEM_ARRAY(double, count *m), *distance = MEM_ARRAY(double, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (places[i].merit == front)
            memcpy(members + found++ * m, losses + i * m, m * sizeof *members);
    front_crowding(members, found, m, distance);
    for (size_t i = 0, at = 0; i < count; i++)
        if (places[i].merit == front)
            places[i].distance = distance[at++];
    free(members);
    free(distance);
}

/* Merits and distances where there are several objectives. Results that did not fail but break limits take part in the
 * fronts; they are compared by their excess first. */
static void rank_places(struct place *places, size_t count, uint32_t m)
{
    double *losses = MEM_ARRAY(double, count *m);
    uint32_t *rank = MEM_ARRAY(uint32_t, count), fronts = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < m; k++)
            losses[i * m + k] = places[i].result->failed ? NAN : places[i].result->losses[k];
    front_rank(losses, count, m, rank);
    for (size_t i = 0; i < count; i++) {
        places[i].merit = rank[i];
        fronts = rank[i] >= fronts ? rank[i] + 1 : fronts;
    }
    for (uint32_t front = 0; front < fronts; front++)
        measure_front(places, count, losses, m, front);
    free(losses);
    free(rank);
}

void result_order(struct result *const *results, size_t count, uint32_t objectives, size_t *order)
{
    struct place *places = MEM_ARRAY(struct place, count);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){.result = results[i], .index = i, .merit = results[i]->losses[0]};
    if (objectives > 1)
        rank_places(places, count, objectives);
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++)
        order[i] = places[i].index;
    free(places);
}
