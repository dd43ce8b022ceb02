/* The order of ended trials; see ranking.h. */
#include "search/history/ranking.h"
#include "search/pareto/front.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far a trial is beyond its limits, in all; a limit that it did not report on is broken beyond measure. */
static double violation_of(const struct record *record, uint32_t limits)
{
    double sum = 0;
    for (uint32_t i = 0; record->violation && i < limits; i++)
        sum += isnan(record->violation[i]) ? INFINITY : fmax(0, record->violation[i]);
    return sum;
}

static struct ranked judge_record(const struct record *record, const struct gannet_problem *problem, uint32_t index)
{
    double violation = violation_of(record, problem->limits);
    struct ranked ranked = {.index = index, .step = problem->max_steps ? record->step : 0};
    if (record->failed)
        return (struct ranked){.index = index, .tier = RANKING_FAILED};
    ranked.tier = violation > 0 ? RANKING_INFEASIBLE : RANKING_FEASIBLE;
    ranked.key = violation > 0 ? violation : record->loss;
    return ranked;
}

bool ranking_equal(const struct ranked *a, const struct ranked *b)
{
    return a->tier == b->tier && a->step == b->step && a->key == b->key;
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->tier != b->tier)
        return a->tier < b->tier ? -1 : 1;
    if (a->step != b->step)
        return a->step > b->step ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Puts the members in the order of their ranks, those of one rank as they come; `first` becomes where each rank begins,
 * and the end. Returns how many ranks there are. */
static uint32_t gather_ranks(const uint32_t *ranks, uint32_t count, uint32_t *members, uint32_t *first)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        first[ranks[i] + 1]++;
        most = ranks[i] + 1 > most ? ranks[i] + 1 : most;
    }
    for (uint32_t rank = 0; rank < most; rank++)
        first[rank + 1] += first[rank];
    for (uint32_t i = 0; i < count; i++)
        members[first[ranks[i]]++] = i;
    memmove(first + 1, first, most * sizeof *first);
    first[0] = 0;
    return most;
}

/* The key of several objectives: the rank, and within it the more crowded later: 1 / (2 + distance) is below 1. */
static void set_rank_keys(const double *losses, const uint32_t *places, uint32_t count, uint32_t m, struct ranked *out)
{
    uint32_t *ranks = MEM_ARRAY(uint32_t, count), *members = MEM_ARRAY(uint32_t, count);
    uint32_t *first = MEM_ARRAY(uint32_t, count + 1);
    double *rows = MEM_ARRAY(double, (size_t)count *m), *distances = MEM_ARRAY(double, count);
    front_rank(losses, count, m, ranks);
    uint32_t fronts = gather_ranks(ranks, count, members, first);
    for (uint32_t i = 0; i < count; i++)
        memcpy(rows + (size_t)i * m, losses + (size_t)members[i] * m, m * sizeof *rows);
    for (uint32_t rank = 0; rank < fronts; rank++) {
        front_crowding(rows + (size_t)first[rank] * m, first[rank + 1] - first[rank], m, distances);
        for (uint32_t i = first[rank]; i < first[rank + 1]; i++)
            out[places[members[i]]].key = rank + 1 / (2 + distances[i - first[rank]]);
    }
    free(ranks);
    free(members);
    free(first);
    free(rows);
    free(distances);
}

/* With several objectives the first loss says little: what keeps the limits is sorted into fronts. */
static void rank_fronts(const struct record *const *records, uint32_t m, struct ranked *out, uint32_t count)
{
    uint32_t *places = MEM_ARRAY(uint32_t, count), kept = 0;
    double *losses = MEM_ARRAY(double, (size_t)count *m);
    for (uint32_t i = 0; i < count; i++) {
        const struct record *record = records[out[i].index];
        if (out[i].tier != RANKING_FEASIBLE || !record->losses)
            continue;
        memcpy(losses + (size_t)kept * m, record->losses, m * sizeof *losses);
        places[kept++] = i;
    }
    set_rank_keys(losses, places, kept, m, out);
    free(places);
    free(losses);
}

void ranking_sort(const struct record *const *records, uint32_t count, const struct gannet_problem *problem,
                  struct ranked *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = judge_record(records[i], problem, i);
    if (problem->objectives > 1)
        rank_fronts(records, problem->objectives, out, count);
    qsort(out, count, sizeof *out, compare_ranked);
}

void ranking_order(const struct history *history, const struct gannet_problem *problem, struct ranked *out)
{
    uint32_t count = history_count(history);
    const struct record **records = MEM_ARRAY(const struct record *, count);
    for (uint32_t i = 0; i < count; i++)
        records[i] = history_record(history, i);
    ranking_sort(records, count, problem, out);
    free(records);
}

static uint32_t best_in_order(const struct history *history, const struct gannet_problem *problem, uint32_t most,
                              struct ranked *out)
{
    uint32_t count = history_count(history), found = 0;
    struct ranked *order = MEM_ARRAY(struct ranked, count + 1);
    ranking_order(history, problem, order);
    while (found < most && found < count && order[found].tier != RANKING_FAILED) {
        out[found] = order[found];
        found++;
    }
    free(order);
    return found;
}

uint32_t ranking_best(const struct history *history, const struct gannet_problem *problem, uint32_t most,
                      struct ranked *out)
{
    uint32_t found = 0;
    if (problem->objectives > 1)
        return best_in_order(history, problem, most, out);
    for (uint32_t i = 0; i < history_count(history); i++) {
        struct ranked ranked = judge_record(history_record(history, i), problem, i);
        uint32_t at = found;
        while (at > 0 && compare_ranked(&ranked, &out[at - 1]) < 0)
            at--;
        if (at == most || ranked.tier == RANKING_FAILED)
            continue;
        found += found < most;
        memmove(out + at + 1, out + at, (found - at - 1) * sizeof *out);
        out[at] = ranked;
    }
    return found;
}
