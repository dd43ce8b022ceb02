/* The choice of records; see retention.h.
 *
 * The others are sampled by lots: each record draws a random number once, and the k lowest stay. Whatever was dropped
 * before had a higher lot than all that stayed, so after every choice the sample is the same as if nothing had ever
 * been dropped. (Bottom-k sampling: Cohen, Kaplan: "Summarizing data using bottom-k sketches", PODC 2007.) */
#include "search/history/retention.h"
#include "search/pareto/front.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool retention_is_valid(const struct record *record, uint32_t limits)
{
    for (uint32_t i = 0; i < limits; i++)
        if (!(record->violation[i] <= 0))
            return false;
    return !record->failed;
}

/* A record with what it is compared by. */
struct candidate {
    struct kept *kept;
    int class;     /* 0: dear; 1: has a loss and keeps the limits; 2: has a loss; 3: failed */
    uint32_t rank; /* non-dominated; 0 when there is one objective */
};

static int class_of(const struct record *record, uint32_t limits)
{
    return record->failed ? 3 : retention_is_valid(record, limits) ? 1 : 2;
}

/* Fills the ranks of all that have losses. */
static void rank_candidates(struct candidate *candidates, size_t count, uint32_t objectives)
{
    double *losses = MEM_ARRAY(double, count *objectives);
    uint32_t *ranks = MEM_ARRAY(uint32_t, count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < objectives; k++)
            losses[i * objectives + k] = candidates[i].kept->record.failed ? NAN : candidates[i].kept->record.losses[k];
    front_rank(losses, count, objectives, ranks);
    for (size_t i = 0; i < count; i++)
        candidates[i].rank = ranks[i];
    free(losses);
    free(ranks);
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return (a->kept->place > b->kept->place) - (a->kept->place < b->kept->place);
}

static int by_merit(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = (a->class > b->class) - (a->class < b->class);
    if (!order)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order && a->class < 3)
        order = compare_numbers(a->kept->record.loss, b->kept->record.loss);
    return order ? order : by_place(left, right);
}

static int by_lot(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = (a->kept->lot > b->kept->lot) - (a->kept->lot < b->kept->lot);
    return order ? order : by_place(left, right);
}

void retention_choose(struct kept **records, size_t count, size_t most, const struct gannet_problem *problem,
                      const struct kept *dear)
{
    if (count <= most)
        return;
    struct candidate *candidates = MEM_ARRAY(struct candidate, count);
    for (size_t i = 0; i < count; i++)
        candidates[i] = (struct candidate){
            .kept = records[i],
            .class = records[i] == dear ? 0 : class_of(&records[i]->record, problem->limits),
        };
    if (problem->objectives > 1)
        rank_candidates(candidates, count, problem->objectives);
    qsort(candidates, count, sizeof *candidates, by_merit);
    size_t best = 0;
    while (best < (most + 1) / 2 && candidates[best].class < 3)
        best++;
    qsort(candidates + best, count - best, sizeof *candidates, by_lot);
    qsort(candidates, most, sizeof *candidates, by_place);
    for (size_t i = 0; i < count; i++)
        records[i] = candidates[i].kept;
    free(candidates);
}
