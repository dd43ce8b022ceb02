/* What matters; see explain.h. */
#include "search/explain/explain.h"
#include "search/explain/ped_anova.h"
#include "search/history/ranking.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

/* The better half is good, a tenth is best, but ten trials and half of the good ones if there are so few: enough of
 * both for densities, and far enough apart. Of fewer than ten all are within the range of good values, else the outer
 * tenths may be outside of it. */
enum { GOOD_PART = 2, BEST_PART = 10, LEAST_BEST = 10, TRIM_FROM = 10 };

/* What one may rely on: of 128 draws three may say otherwise. */
static const double sure = 0.975;

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
    struct ranked *order = MEM_ARRAY(struct ranked, history_count(history) + 1);
    ranking_order(history, problem, order);
    for (uint32_t i = 0; i < history_count(history); i++)
        if (order[i].tier == RANKING_FAILED)
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
static void find_mode(const struct evidence *evidence, const double *sorted, uint32_t count, struct explained *out)
{
    uint32_t most = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && sorted[to] == sorted[from]; to++)
            ;
        if (to - from > most) {
            most = to - from;
            out->low = out->high = evidence->host->natural(evidence->host, out->index, sorted[from]);
        }
    }
    out->share = (double)most / count;
}

/* The range with most of the best trials, the very best among them: a tenth is left out at each side, but not where
 * they go on to the end of the parameter's range as densely as they are elsewhere. The optimum may be that end. Of the
 * distances between points drawn at random one in twenty is above three times the mean. */
static void find_range(const struct evidence *evidence, const double *sorted, uint32_t count, double best,
                       struct explained *out)
{
    uint32_t trim = count < TRIM_FROM ? 0 : count / 10, last = count - 1 - trim, within = 0;
    double low = sorted[trim], high = sorted[last];
    double near = last > trim ? (3 + 2 * trim) * (high - low) / (last - trim) : 0;
    low = low <= near ? 0 : fmin(low, best);
    high = 1 - high <= near ? 1 : fmax(high, best);
    for (uint32_t i = 0; i < count; i++)
        within += sorted[i] >= low && sorted[i] <= high;
    out->low = evidence->host->natural(evidence->host, out->index, low);
    out->high = evidence->host->natural(evidence->host, out->index, high);
    out->share = (double)within / count;
}

/* Where the best trials lie along a parameter. */
static void find_values(const struct evidence *evidence, uint32_t best, struct explained *out)
{
    double *units = MEM_ARRAY(double, best), first = NAN;
    out->low = out->high = out->share = NAN;
    for (uint32_t i = 0; i < best; i++) {
        double unit = evidence->points[i][out->index];
        if (isnan(unit))
            continue;
        first = out->active == 0 ? unit : first;
        units[out->active++] = unit;
    }
    qsort(units, out->active, sizeof *units, by_number);
    if (out->active > 0 && evidence->space->params[out->index].kind == GANNET_CHOICE)
        find_mode(evidence, units, out->active, out);
    else if (out->active > 0)
        find_range(evidence, units, out->active, first, out);
    free(units);
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
        find_values(evidence, out->best, &out->params[d]);
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
