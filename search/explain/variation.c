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
struct lessons {
    struct domain domain;
    struct sample sample;
    double *values; /* n */
};

/* Processes, and what was drawn from each. */
struct guesses {
    const struct domain *domain;
    struct surrogate surrogates[FITS];
    struct draws *draws[FITS];
    double *x; /* D */
};

static void evaluate_guesses(void *context, const double *unit, double *out)
{
    struct guesses *guesses = context;
    domain_scale(guesses->domain, unit, 1, guesses->x);
    for (int f = 0; f < FITS; f++)
        draws_values(guesses->draws[f], guesses->x, out + f * EACH);
}

/* The square of the distance between two points. */
static double square_distance(const struct domain *domain, const struct design *points, uint32_t i, uint32_t j)
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

/* Half of the points, or a few more of few, far from each other: each is drawn in proportion to the square of its
 * distance from those chosen before (Arthur, Vassilvitskii: "k-means++", SODA 2007). Of a crowd around the optimum few
 * are taken, so that a fit learns how the loss varies over the space, not how little it does there. */
static void fit_to_some(const struct lessons *lessons, struct surrogate *surrogate, struct rng *rng)
{
    const struct design *points = &lessons->sample.points;
    uint32_t n = points->count, wanted = n < FEW ? n : n / 2 > FEW ? n / 2 : FEW;
    struct design some;
    double *x = MEM_ARRAY(double, points->dimension), *values = MEM_ARRAY(double, n), *nearest = MEM_ARRAY(double, n);
    design_init(&some, points->dimension, n);
    for (uint32_t i = 0; i < n; i++)
        nearest[i] = 1;
    while (some.count < wanted) {
        uint32_t i = draw_point(nearest, n, some.count, rng);
        values[some.count] = lessons->values[i];
        design_get(points, i, x);
        design_add(&some, x);
        for (uint32_t j = 0; j < n; j++) {
            double here = square_distance(&lessons->domain, points, i, j);
            nearest[j] = some.count == 1 ? here : fmin(nearest[j], here);
        }
    }
    surrogate_fit(surrogate, &(struct fit_data){&lessons->domain, &some, values, NULL, false});
    design_fini(&some);
    free(x);
    free(values);
    free(nearest);
}

static bool losses_differ(const struct history *history)
{
    double first = NAN;
    bool failed = false;
    for (uint32_t i = 0; i < history_count(history); i++) {
        const struct record *record = history_record(history, i);
        failed = failed || record->failed;
        if (record->failed)
            continue;
        if (isnan(first))
            first = record->loss;
        if (record->loss != first || failed)
            return true;
    }
    return failed && !isnan(first);
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
        share.expected += sorted[s] / DRAWS;
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
                    out->above[i * dimension + j] += 1.0 / DRAWS;
}

static void explain_draws(const struct lessons *lessons, const struct gannet_space *space,
                          const struct gannet_host *host, struct variation *out)
{
    struct rng rng = rng_make(0, "explain", 0);
    struct guesses guesses = {.domain = &lessons->domain, .x = MEM_ARRAY(double, lessons->domain.width)};
    double *alone = MEM_ARRAY(double, 2 * (size_t)DRAWS * out->count), *together = alone + (size_t)DRAWS * out->count;
    for (int f = 0; f < FITS; f++) {
        surrogate_init(&guesses.surrogates[f], &lessons->domain);
        fit_to_some(lessons, &guesses.surrogates[f], &rng);
        surrogate_learn(&guesses.surrogates[f], &lessons->sample.points, lessons->values, NULL, 0);
        guesses.draws[f] = draws_create(&guesses.surrogates[f], EACH, &rng);
    }
    fanova(&(struct fanova_functions){DRAWS, evaluate_guesses, &guesses}, space, host, alone, together);
    for (uint32_t d = 0; d < out->count; d++) {
        out->alone[d] = summarize_shares(alone, out->count, d);
        out->together[d] = summarize_shares(together, out->count, d);
    }
    compare_params(together, out);
    for (int f = 0; f < FITS; f++) {
        draws_destroy(guesses.draws[f]);
        surrogate_fini(&guesses.surrogates[f]);
    }
    free(guesses.x);
    free(alone);
}

void variation_init(struct variation *variation, const struct gannet_problem *problem, const struct gannet_host *host,
                    const struct history *history)
{
    struct gannet_problem plain = {.space = problem->space, .objectives = 1};
    uint32_t dimension = plain.space->count;
    struct lessons lessons;
    *variation = (struct variation){.count = dimension,
                                    .alone = MEM_ARRAY(struct share, dimension),
                                    .together = MEM_ARRAY(struct share, dimension),
                                    .above = MEM_ARRAY(double, (size_t)dimension *dimension)};
    if (!losses_differ(history))
        return;
    linalg_start();
    domain_init(&lessons.domain, &plain, host);
    sample_init(&lessons.sample, history, &plain, &lessons.domain, SAMPLE_NO_COST, TRIALS, NULL, NULL);
    lessons.values = MEM_ARRAY(double, lessons.sample.points.count);
    transform_plain(sample_column(&lessons.sample, 0), lessons.sample.points.count, lessons.values);
    explain_draws(&lessons, plain.space, host, variation);
    free(lessons.values);
    sample_fini(&lessons.sample);
    domain_fini(&lessons.domain);
}

void variation_fini(struct variation *variation)
{
    free(variation->alone);
    free(variation->together);
    free(variation->above);
}
