/* Shares of the variation; see variation.h. */
#include "search/explain/variation.h"
#include "search/explain/draws.h"
#include "search/explain/fanova.h"
#include "search/gp/linalg.h"
#include "search/gp/sample.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
    FITS = 8,
    EACH = 8,            /* draws from each fit */
    DRAWS = FITS * EACH, /* three of them lie outside of nine in ten at each side */
    FEW = 16,            /* points that a fit takes at least */
    TRIALS = 300         /* that a process learns: a fit to half of so many takes 20 ms */
};

/* What is known: losses as they are, since it is their variation that is explained; a failed trial is a little worse
 * than the worst. */
struct fit_set {
    struct gp_domain domain;
    struct trial_sample sample;
    double *values; /* n */
};

/* Processes, and what was drawn from each. */
struct functions {
    const struct gp_domain *domain;
    struct surrogate surrogates[FITS];
    struct draws *draws[FITS];
    double *x; /* D */
};

static void evaluate_functions(void *context, const double *unit, double *out)
{
    struct functions *functions = context;
    domain_scale(functions->domain, unit, 1, functions->x);
    for (int f = 0; f < FITS; f++)
        draws_values(functions->draws[f], functions->x, out + f * EACH);
}

/* The square of the distance between two points. */
static double square_distance(const struct gp_domain *domain, const struct design *points, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t d = 0; d < domain->width; d++)
        sum += covariance_square(&domain->axes[d], points->x[(size_t)d * points->capacity + i],
                                 points->x[(size_t)d * points->capacity + j]);
    return sum;
}

/* The number of one of the points, drawn in proportion to these numbers, or the next where all are 0. */
static uint32_t draw_point(const double *chances, uint32_t n, uint32_t after, struct rng *rng)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += chances[i];
    double left = rng_unit(rng) * sum;
    for (uint32_t i = 0; i < n; i++) {
        left -= chances[i];
        if (chances[i] > 0 && left < 0)
            return i;
    }
    return after;
}

/* Chooses half of the points, or more of few, far from each other: each is drawn in proportion to the square of its
 * distance from those chosen before (Arthur, Vassilvitskii: "k-means++", SODA 2007). Of a crowd around the optimum few
 * are taken, so that a fit learns how the loss varies over the space, not how little it does there. */
static void choose_points(const struct fit_set *set, struct rng *rng, struct design *some, double *values)
{
    const struct design *points = &set->sample.points;
    uint32_t n = points->count, wanted = n < FEW ? n : n / 2 > FEW ? n / 2 : FEW;
    double *x = MEM_ARRAY(double, points->dimension), *nearest = MEM_ARRAY(double, n);
    for (uint32_t i = 0; i < n; i++)
        nearest[i] = 1;
    while (some->count < wanted) {
        uint32_t i = draw_point(nearest, n, some->count, rng);
        values[some->count] = set->values[i];
        design_get(points, i, x);
        design_add(some, x);
        for (uint32_t j = 0; j < n; j++) {
            double here = square_distance(&set->domain, points, i, j);
            nearest[j] = some->count == 1 ? here : fmin(nearest[j], here);
        }
    }
    free(x);
    free(nearest);
}

/* Fits a process to some of the points, and lets it learn all of them. */
static void learn_points(const struct fit_set *set, struct surrogate *surrogate, struct rng *rng)
{
    const struct design *points = &set->sample.points;
    struct design some;
    double *values = MEM_ARRAY(double, points->count);
    design_init(&some, points->dimension, points->count);
    choose_points(set, rng, &some, values);
    surrogate_init(surrogate, &set->domain);
    surrogate_fit(surrogate, &(struct fit_data){&set->domain, &some, values, NULL, false});
    surrogate_learn(surrogate, points, set->values, NULL, 0);
    design_fini(&some);
    free(values);
}

static bool losses_differ(const struct history *history)
{
    for (uint32_t i = 1; i < history_count(history); i++) {
        const struct record *first = history_record(history, 0), *other = history_record(history, i);
        if (first->failed != other->failed || (!first->failed && first->loss != other->loss))
            return true;
    }
    return false;
}

static int by_number(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The mean of a parameter's shares in all draws, and their outer twentieths cut off. */
static struct share summarize_shares(const double *shares, uint32_t dimension, uint32_t d)
{
    double sorted[DRAWS];
    struct share share = {0, 0, 0};
    for (uint32_t s = 0; s < DRAWS; s++) {
        sorted[s] = shares[(size_t)s * dimension + d];
        share.expected += sorted[s] / (double)DRAWS;
    }
    qsort(sorted, DRAWS, sizeof *sorted, by_number);
    share.low = sorted[DRAWS / 20];
    share.high = sorted[DRAWS - 1 - DRAWS / 20];
    return share;
}

static void compare_params(const double *together, struct variation *out)
{
    uint32_t dimension = out->count;
    for (uint32_t s = 0; s < DRAWS; s++)
        for (uint32_t i = 0; i < dimension; i++)
            for (uint32_t j = 0; j < dimension; j++)
                if (together[s * dimension + i] > together[s * dimension + j])
                    out->above[i * dimension + j] += 1.0 / (double)DRAWS;
}

static void explain_draws(const struct fit_set *set, const struct gannet_space *space, const struct gannet_host *host,
                          struct variation *out)
{
    struct rng rng = rng_make(0, "explain", 0);
    struct functions functions = {.domain = &set->domain, .x = MEM_ARRAY(double, set->domain.width)};
    double *alone = MEM_ARRAY(double, 2 * (size_t)DRAWS * out->count), *together = alone + (size_t)DRAWS * out->count;
    for (int f = 0; f < FITS; f++) {
        learn_points(set, &functions.surrogates[f], &rng);
        functions.draws[f] = draws_create(&functions.surrogates[f], EACH, &rng);
    }
    fanova(&(struct fanova_functions){DRAWS, evaluate_functions, &functions}, space, host, alone, together);
    for (uint32_t d = 0; d < out->count; d++) {
        out->alone[d] = summarize_shares(alone, out->count, d);
        out->together[d] = summarize_shares(together, out->count, d);
    }
    compare_params(together, out);
    for (int f = 0; f < FITS; f++) {
        draws_destroy(functions.draws[f]);
        surrogate_fini(&functions.surrogates[f]);
    }
    free(functions.x);
    free(alone);
}

void variation_init(struct variation *variation, const struct gannet_problem *problem, const struct gannet_host *host,
                    const struct history *history)
{
    struct gannet_problem plain = {.space = problem->space, .objectives = 1};
    uint32_t dimension = plain.space->count;
    struct fit_set set;
    *variation = (struct variation){.count = dimension,
                                    .alone = MEM_ARRAY(struct share, dimension),
                                    .together = MEM_ARRAY(struct share, dimension),
                                    .above = MEM_ARRAY(double, (size_t)dimension *dimension)};
    if (!losses_differ(history))
        return;
    linalg_start();
    domain_init(&set.domain, &plain, host);
    sample_init(&set.sample, history, &plain, &set.domain, SAMPLE_NO_COST, TRIALS, NULL, NULL);
    set.values = MEM_ARRAY(double, set.sample.points.count);
    transform_plain(sample_column(&set.sample, 0), set.sample.points.count, set.values);
    explain_draws(&set, plain.space, host, variation);
    free(set.values);
    sample_fini(&set.sample);
    domain_fini(&set.domain);
}

void variation_fini(struct variation *variation)
{
    free(variation->alone);
    free(variation->together);
    free(variation->above);
}
