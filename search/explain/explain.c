/* What matters; see explain.h. */
#include "search/explain/explain.h"
#include "search/explain/ped_anova.h"
#include "search/history/ranking.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The better half is good, a tenth is best, but ten trials and half of the good ones if there are so few: enough of
 * both for densities, and far enough apart. Of fewer than ten the
 * ends of a range are taken as they are, else the outer tenths are left out. */
enum { GOOD_PART = 2, BEST_PART = 10, LEAST_BEST = 10, TRIM_FROM = 10 };

/* What one may rely on: one statement in twenty may be wrong. */
static const double sure = 0.95;

/* What the parts of an explanation are made from. */
struct evidence {
    const struct gannet_space *space;
    const struct gannet_host *host;
    const double **points; /* of finished trials, the best first */
    double *shares;        /* D: among the good */
    struct variation variation;
};

/* The finished trials in order; counts them and the failed ones. */
static void read_trials(const struct history *history, const struct gannet_problem *problem, struct evidence *evidence,
                        struct explanation *out)
{
    struct standing *order = MEM_ARRAY(struct standing, history_count(history) + 1);
    standing_order(history, problem, order);
    for (uint32_t i = 0; i < history_count(history); i++)
        if (order[i].tier == STANDING_FAILED)
            out->failed++;
        else
            evidence->points[out->finished++] = history_record(history, order[i].index)->unit;
    free(order);
    uint32_t good = (out->finished + 1) / GOOD_PART, best = out->finished / BEST_PART;
    best = best < LEAST_BEST ? LEAST_BEST : best;
    out->best = best < good ? best : good / 2;
}

static int by_number(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The most frequent of sorted numbers stands between low and high. */
static void find_mode(const double *sorted, uint32_t count, struct explained *out)
{
    uint32_t most = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && sorted[to] == sorted[from]; to++)
            ;
        if (to - from > most) {
            most = to - from;
            out->low = out->high = sorted[from];
        }
    }
    out->share = (double)most / count;
}

/* Where the best trials lie along a parameter. */
static void find_range(const struct evidence *evidence, uint32_t best, struct explained *out)
{
    double *values = MEM_ARRAY(double, best);
    out->low = out->high = out->share = NAN;
    for (uint32_t i = 0; i < best; i++) {
        double unit = evidence->points[i][out->index];
        if (!isnan(unit))
            values[out->active++] = evidence->host->natural(evidence->host, out->index, unit);
    }
    qsort(values, out->active, sizeof *values, by_number);
    uint32_t trim = out->active < TRIM_FROM ? 0 : out->active / 10;
    if (out->active > 0 && evidence->space->params[out->index].kind == GANNET_CHOICE)
        find_mode(values, out->active, out);
    else if (out->active > 0) {
        out->low = values[trim];
        out->high = values[out->active - 1 - trim];
        out->share = 1 - 2.0 * trim / out->active;
    }
    free(values);
}

static int by_importance(const void *left, const void *right)
{
    const struct explained *a = left, *b = right;
    if (a->together.expected != b->together.expected)
        return a->together.expected > b->together.expected ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* How probable it is that each parameter stands before all behind it: that of the least probable pair. */
static void compare_neighbours(const struct evidence *evidence, struct explanation *out)
{
    for (uint32_t i = 0; i < out->count; i++) {
        out->params[i].above = 1;
        for (uint32_t j = i + 1; j < out->count; j++) {
            size_t pair = (size_t)out->params[i].index * out->count + out->params[j].index;
            out->params[i].above = fmin(out->params[i].above, evidence->variation.above[pair]);
        }
    }
}

static void judge_params(const struct evidence *evidence, struct explanation *out)
{
    ped_anova(evidence->space, evidence->host, evidence->points, out->best, (out->finished + 1) / GOOD_PART,
              evidence->shares);
    for (uint32_t d = 0; d < out->count; d++) {
        out->params[d] = (struct explained){.index = d,
                                            .alone = evidence->variation.alone[d],
                                            .together = evidence->variation.together[d],
                                            .among_good = evidence->shares[d]};
        find_range(evidence, out->best, &out->params[d]);
    }
    qsort(out->params, out->count, sizeof *out->params, by_importance);
    compare_neighbours(evidence, out);
}

void explain(const struct gannet_problem *problem, const struct gannet_host *host, const struct history *history,
             struct explanation *out)
{
    uint32_t dimension = problem->space->count;
    struct evidence evidence = {.space = problem->space,
                                .host = host,
                                .points = MEM_ARRAY(const double *, history_count(history) + 1),
                                .shares = MEM_ARRAY(double, dimension)};
    *out = (struct explanation){.count = dimension, .params = MEM_ARRAY(struct explained, dimension)};
    read_trials(history, problem, &evidence, out);
    variation_init(&evidence.variation, problem, host, history);
    judge_params(&evidence, out);
    variation_fini(&evidence.variation);
    free(evidence.points);
    free(evidence.shares);
}

bool explain_is_sure(const struct explanation *explanation, uint32_t place)
{
    return explanation->finished >= EXPLAIN_FEW && explanation->params[place].together.expected > 0 &&
           explanation->params[place].above >= sure;
}

void explain_fini(struct explanation *explanation)
{
    free(explanation->params);
}
