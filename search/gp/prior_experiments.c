/* Trials of earlier experiments; see prior_experiments.h. */
#include "search/gp/prior_experiments.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 }; /* points taken of one source */

/* What is believed of a source before there are own trials, as if it were a correlation seen on so many of them. */
static const double first_correlation = 0.85, first_weight = 4;
/* A correlation below this is no reason to believe anything. */
static const double least_correlation = 0.3;

void prior_experiments_fini(struct prior_experiments *past)
{
    for (uint32_t i = 0; i < past->count; i++) {
        design_fini(&past->sources[i].points);
        surrogate_fini(&past->sources[i].surrogate);
        free(past->sources[i].values);
    }
    free(past->sources);
    *past = (struct prior_experiments){0};
}

static double extra_noise_of(double correlation)
{
    return correlation > least_correlation ? (1 - correlation * correlation) / (correlation * correlation) : INFINITY;
}

/* Where in a row of `count`, the best first, the i-th of `wanted` stands: they are the best half and a spread of the
 * others. */
static uint32_t pick_place(uint32_t i, uint32_t wanted, uint32_t count)
{
    uint32_t first = wanted < count ? wanted / 2 : wanted;
    return i < first ? i : first + (uint32_t)((uint64_t)(i - first) * (count - first) / (wanted - first));
}

/* One source: the finished records from..to of the past, `most` of them at most. */
static void take_source(struct prior_experiments *past, struct prior_experiment *source, const struct history *history,
                        uint32_t from, uint32_t to, uint32_t most)
{
    const struct gp_domain *domain = past->domain;
    struct ranked_record *ranked = MEM_ARRAY(struct ranked_record, to - from + 1);
    double *losses = MEM_ARRAY(double, to - from + 1), *x = MEM_ARRAY(double, domain->width);
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++)
        if (!history_past(history, i)->failed) {
            losses[count] = history_past(history, i)->loss;
            ranked[count++] = (struct ranked_record){history_past(history, i)->loss, i};
        }
    transform(losses, count, losses);
    for (uint32_t i = 0; i < count; i++)
        ranked[i].rank = losses[i];
    qsort(ranked, count, sizeof *ranked, sample_compare_ranked);
    uint32_t wanted = count < most ? count : most;
    design_init(&source->points, domain->width, wanted + 1);
    source->values = MEM_ARRAY(double, wanted + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t at = pick_place(i, wanted, count);
        domain_scale(domain, history_past(history, ranked[at].index)->unit, 1, x);
        source->values[source->points.count] = ranked[at].rank;
        design_add(&source->points, x);
    }
    source->extra_noise = wanted > 2 ? extra_noise_of(first_correlation) : INFINITY;
    surrogate_init(&source->surrogate, domain);
    free(x);
    free(losses);
    free(ranked);
}

/* Where the source of the record `from` ends. */
static uint32_t end_of_source(const struct history *history, uint32_t from)
{
    uint32_t to = from, all = history_past_count(history);
    while (to < all && history_past(history, to)->source == history_past(history, from)->source)
        to++;
    return to;
}

void prior_experiments_init(struct prior_experiments *past, const struct gp_domain *domain,
                            const struct history *history)
{
    uint32_t all = history_past_count(history), count = 0;
    for (uint32_t from = 0; from < all && count < PAST_SOURCES; from = end_of_source(history, from))
        count++;
    *past = (struct prior_experiments){.domain = domain, .sources = MEM_ARRAY(struct prior_experiment, count + 1)};
    uint32_t most = count * MOST > PAST_KEPT ? PAST_KEPT / count : MOST;
    for (uint32_t from = 0; past->count < count; from = end_of_source(history, from))
        take_source(past, &past->sources[past->count++], history, from, end_of_source(history, from), most);
}

static double correlation(const double *a, const double *b, uint32_t n)
{
    double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum_a += a[i] / n;
        sum_b += b[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        aa += (a[i] - sum_a) * (a[i] - sum_a);
        bb += (b[i] - sum_b) * (b[i] - sum_b);
        ab += (a[i] - sum_a) * (b[i] - sum_b);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

void prior_experiments_weigh(struct prior_experiments *past, const struct design *points, const double *values)
{
    uint32_t n = points->count, width = past->domain->width;
    double *rows = MEM_ARRAY(double, (size_t)n *width + 1), *mean = MEM_ARRAY(double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        design_get(points, i, rows + (size_t)i * width);
    for (uint32_t s = 0; s < past->count; s++) {
        struct prior_experiment *source = &past->sources[s];
        if (source->points.count <= 2 || n < 3)
            continue;
        if (!source->surrogate.fitted) {
            surrogate_fit(&source->surrogate,
                          &(struct fit_data){past->domain, &source->points, source->values, NULL, false});
            surrogate_learn(&source->surrogate, &source->points, source->values, NULL, 0);
        }
        posterior_predict(&source->surrogate.posterior, rows, n, mean, NULL);
        double seen = correlation(mean, values, n);
        source->extra_noise = extra_noise_of((n * seen + first_weight * first_correlation) / (n + first_weight));
    }
    free(mean);
    free(rows);
}

/* How many points of a source join: those believed share the places. */
static uint32_t count_joining(const struct prior_experiments *past, const struct prior_experiment *source)
{
    uint32_t believed = 0;
    for (uint32_t s = 0; s < past->count; s++)
        believed += isfinite(past->sources[s].extra_noise) ? 1 : 0;
    if (!isfinite(source->extra_noise))
        return 0;
    uint32_t share = PAST_JOINING / believed;
    return share < source->points.count ? share : source->points.count;
}

uint32_t prior_experiments_count(const struct prior_experiments *past)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < past->count; s++)
        count += count_joining(past, &past->sources[s]);
    return count;
}

void prior_experiments_add(const struct prior_experiments *past, struct design *points, double *values,
                           double *extra_noises)
{
    double *x = MEM_ARRAY(double, past->domain->width);
    for (uint32_t s = 0; s < past->count; s++) {
        const struct prior_experiment *source = &past->sources[s];
        uint32_t wanted = count_joining(past, source);
        for (uint32_t i = 0; i < wanted; i++) {
            uint32_t at = pick_place(i, wanted, source->points.count);
            design_get(&source->points, at, x);
            values[points->count] = source->values[at];
            extra_noises[points->count] = source->extra_noise;
            design_add(points, x);
        }
    }
    free(x);
}
