/* Trials of earlier experiments; see prior_experiments.h. */
#include "search/gp/prior_experiments.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 }; /* points taken of one source: the best half and a spread of the others */

/* What is believed of a source before there are own trials, as if it were a correlation seen on so many of them. */
static const double first_correlation = 0.85, first_weight = 4;
/* A correlation below this is no reason to believe anything. */
static const double least_correlation = 0.3;

void past_fini(struct past *past)
{
    for (uint32_t i = 0; i < past->count; i++) {
        design_fini(&past->sources[i].points);
        surrogate_fini(&past->sources[i].surrogate);
        free(past->sources[i].values);
    }
    free(past->sources);
    *past = (struct past){0};
}

struct wish {
    double loss;
    uint32_t index;
};

static int compare(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static double extra_noise_of(double correlation)
{
    return correlation > least_correlation ? (1 - correlation * correlation) / (correlation * correlation) : INFINITY;
}

/* One source: the finished records from..to of the past. */
static void take(struct past *past, struct source *source, const struct history *history, uint32_t from, uint32_t to)
{
    const struct domain *domain = past->domain;
    struct wish *wishes = MEM_ARRAY(struct wish, to - from + 1);
    double *losses = MEM_ARRAY(double, to - from + 1), *x = MEM_ARRAY(double, domain->width);
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++)
        if (!history_past(history, i)->failed) {
            losses[count] = history_past(history, i)->loss;
            wishes[count++] = (struct wish){history_past(history, i)->loss, i};
        }
    transform(losses, count, losses);
    for (uint32_t i = 0; i < count; i++)
        wishes[i].loss = losses[i];
    qsort(wishes, count, sizeof *wishes, compare);
    uint32_t wanted = count < MOST ? count : MOST, first = count < MOST ? count : MOST / 2;
    design_init(&source->points, domain->width, wanted + 1);
    source->values = MEM_ARRAY(double, wanted + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t at = i < first ? i : first + (uint32_t)((uint64_t)(i - first) * (count - first) / (wanted - first));
        domain_scale(domain, history_past(history, wishes[at].index)->unit, 1, x);
        source->values[source->points.count] = wishes[at].loss;
        design_add(&source->points, x);
    }
    source->extra_noise = wanted > 2 ? extra_noise_of(first_correlation) : INFINITY;
    surrogate_init(&source->surrogate, domain);
    free(x);
    free(losses);
    free(wishes);
}

void past_init(struct past *past, const struct domain *domain, const struct history *history)
{
    *past = (struct past){.domain = domain};
    uint32_t all = history_past_count(history);
    past->sources = MEM_ARRAY(struct source, all + 1);
    for (uint32_t from = 0, to; from < all; from = to) {
        for (to = from; to < all && history_past(history, to)->source == history_past(history, from)->source;)
            to++;
        take(past, &past->sources[past->count++], history, from, to);
    }
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

void past_weigh(struct past *past, const struct design *points, const double *values)
{
    uint32_t n = points->count, width = past->domain->width;
    double *rows = MEM_ARRAY(double, (size_t)n *width + 1), *mean = MEM_ARRAY(double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        design_get(points, i, rows + (size_t)i * width);
    for (uint32_t s = 0; s < past->count; s++) {
        struct source *source = &past->sources[s];
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

uint32_t past_count(const struct past *past)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < past->count; s++)
        count += isfinite(past->sources[s].extra_noise) ? past->sources[s].points.count : 0;
    return count;
}

void past_add(const struct past *past, struct design *points, double *values, double *extra_noises)
{
    double *x = MEM_ARRAY(double, past->domain->width);
    for (uint32_t s = 0; s < past->count; s++) {
        const struct source *source = &past->sources[s];
        for (uint32_t i = 0; i < source->points.count && isfinite(source->extra_noise); i++) {
            design_get(&source->points, i, x);
            values[points->count] = source->values[i];
            extra_noises[points->count] = source->extra_noise;
            design_add(points, x);
        }
    }
    free(x);
}
