/* Choosing trials for a model; see sample.h. */
#include "search/gp/sample.h"
#include "search/history/ranking.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

void sample_fini(struct trial_sample *sample)
{
    design_fini(&sample->points);
    design_fini(&sample->awaited);
    free(sample->values);
    free(sample->failed);
    *sample = (struct trial_sample){0};
}

int sample_compare_ranked(const void *a, const void *b)
{
    const struct ranked_record *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static double rows_distance(const struct gp_domain *domain, const double *weights, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t d = 0; d < domain->count; d++)
        sum += weights[d] * covariance_square(&domain->axes[d], a[d], b[d]);
    return sum;
}

/* Marks `wanted` records in chosen[]: the first `first` by rank and, of the others, one in so many. */
static void choose_records(struct ranked_record *ranked, uint32_t count, uint32_t wanted, uint32_t first, bool *chosen)
{
    qsort(ranked, count, sizeof *ranked, sample_compare_ranked);
    for (uint32_t i = 0; i < first; i++)
        chosen[ranked[i].index] = true;
    uint32_t rest = count - first, more = wanted - first;
    for (uint32_t i = 0; i < more; i++)
        chosen[ranked[first + (uint32_t)((uint64_t)i * rest / more)].index] = true;
}

/* The places of records in the order from the best to the worst. */
static void rank_all(const struct history *history, const struct gannet_problem *problem, struct ranked_record *ranked)
{
    uint32_t count = history_count(history);
    struct ranked *order = MEM_ARRAY(struct ranked, count + 1);
    ranking_order(history, problem, order);
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (struct ranked_record){i, order[i].index};
    free(order);
}

static void rank_by_distance(const struct history *history, const struct gp_domain *domain, const double *centre,
                             const double *weights, struct ranked_record *ranked)
{
    double *x = MEM_ARRAY(double, domain->width);
    for (uint32_t i = 0; i < history_count(history); i++) {
        domain_scale(domain, history_record(history, i)->unit, 1, x);
        ranked[i] = (struct ranked_record){rows_distance(domain, weights, centre, x), i};
    }
    free(x);
}

static void add_record(struct trial_sample *sample, const struct record *record, const struct gannet_problem *problem,
                       const struct gp_domain *domain, enum sample_cost cost, double *x)
{
    uint32_t row = sample->points.count, column = 0, capacity = sample->points.capacity;
    domain_scale(domain, record->unit, domain_depth(domain, record->step), x);
    design_add(&sample->points, x);
    sample->failed[row] = record->failed;
    for (uint32_t i = 0; i < problem->objectives; i++)
        sample->values[(size_t)column++ * capacity + row] = record->losses ? record->losses[i] : record->loss;
    for (uint32_t i = 0; i < problem->limits; i++)
        sample->values[(size_t)column++ * capacity + row] = record->violation ? record->violation[i] : NAN;
    double amount = cost == SAMPLE_ENERGY ? record->energy : record->seconds;
    if (cost != SAMPLE_NO_COST)
        sample->values[(size_t)column * capacity + row] = record->ended && amount > 0 ? log(amount) : NAN;
}

static enum sample_cost measured_cost(const struct history *history, enum sample_cost cost)
{
    uint32_t ended = 0, measured = 0;
    for (uint32_t i = 0; cost == SAMPLE_ENERGY && i < history_count(history); i++) {
        const struct record *record = history_record(history, i);
        ended += record->ended;
        measured += record->ended && record->energy > 0;
    }
    return cost == SAMPLE_ENERGY && measured < ended - measured ? SAMPLE_SECONDS : cost;
}

void sample_init(struct trial_sample *sample, const struct history *history, const struct gannet_problem *problem,
                 const struct gp_domain *domain, enum sample_cost cost, uint32_t most, const double *centre,
                 const double *weights)
{
    uint32_t count = history_count(history), wanted = count < most ? count : most, dimension = domain->width;
    cost = measured_cost(history, cost);
    *sample = (struct trial_sample){.columns = problem->objectives + problem->limits + (cost != SAMPLE_NO_COST)};
    design_init(&sample->points, dimension, wanted + 1);
    sample->values = MEM_ARRAY(double, (size_t)sample->columns * sample->points.capacity);
    sample->failed = MEM_ARRAY(bool, sample->points.capacity);
    struct ranked_record *ranked = MEM_ARRAY(struct ranked_record, count + 1);
    bool *chosen = MEM_ARRAY(bool, count + 1);
    double *x = MEM_ARRAY(double, dimension);
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = count == wanted;
    if (count > wanted && centre)
        rank_by_distance(history, domain, centre, weights, ranked);
    else if (count > wanted)
        rank_all(history, problem, ranked);
    if (count > wanted)
        choose_records(ranked, count, wanted, centre ? wanted / 4 * 3 : wanted / 2, chosen);
    for (uint32_t i = 0; i < count; i++)
        if (chosen[i])
            add_record(sample, history_record(history, i), problem, domain, cost, x);
    free(x);
    free(chosen);
    free(ranked);
}

void sample_await(struct trial_sample *sample, const struct history *history, const struct gp_domain *domain,
                  uint32_t most, const double *centre, const double *weights)
{
    uint32_t count = history_pending_count(history), wanted = count < most ? count : most;
    struct ranked_record *ranked = MEM_ARRAY(struct ranked_record, count + 1);
    bool *chosen = MEM_ARRAY(bool, count + 1);
    double *x = MEM_ARRAY(double, domain->width);
    design_init(&sample->awaited, domain->width, wanted + 1);
    for (uint32_t i = 0; i < count; i++) {
        domain_scale(domain, history_pending(history, i)->unit, 1, x);
        ranked[i] = (struct ranked_record){centre ? rows_distance(domain, weights, centre, x) : count - i, i};
    }
    choose_records(ranked, count, wanted, wanted, chosen);
    for (uint32_t i = 0; i < count; i++)
        if (chosen[i]) {
            domain_scale(domain, history_pending(history, i)->unit, 1, x);
            design_add(&sample->awaited, x);
        }
    free(x);
    free(chosen);
    free(ranked);
}
