/* Good points of earlier experiments; see revisit.h. */
#include "search/history/revisit.h"
#include "search/history/history.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20 }; /* points that are tried again, whoever asks for more */

struct revisit {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    struct history *past; /* until the points are chosen; then NULL */
    uint32_t most, count;
    double *points; /* most x D */
    bool *had;      /* most: some trial has it */
};

struct revisit *revisit_create(const struct gannet_problem *problem, const struct gannet_host *host, uint32_t most)
{
    struct revisit *revisit = MEM_NEW(struct revisit);
    *revisit = (struct revisit){.problem = problem, .host = host, .most = most < MOST ? most : MOST};
    return revisit;
}

void revisit_destroy(struct revisit *revisit)
{
    if (!revisit)
        return;
    history_destroy(revisit->past);
    free(revisit->points);
    free(revisit->had);
    free(revisit);
}

void revisit_learn(struct revisit *revisit, const struct gannet_past *past)
{
    if (!revisit->past)
        revisit->past = history_create(revisit->problem, 0);
    if (past->outcome == GANNET_FINISHED && revisit->host->allowed(revisit->host, past->unit))
        history_learn(revisit->past, past);
}

/* --- choosing --- */

/* A point that may be chosen. */
struct pick {
    double loss;
    uint32_t source, index; /* of the record of the past */
    double distance;        /* to the nearest of those that were chosen */
};

static int compare_picks(const void *left, const void *right)
{
    const struct pick *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->loss != b->loss)
        return a->loss < b->loss ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static double *point_at(const struct revisit *revisit, uint32_t i)
{
    return revisit->points + (size_t)i * revisit->problem->space->count;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The square of a distance, in which values without an order, and being left out, differ by 1. */
static double point_distance(const struct gannet_space *space, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t d = 0; d < space->count; d++) {
        bool apart = space->params[d].kind == GANNET_CHOICE || isnan(a[d]) || isnan(b[d]);
        sum += same_number(a[d], b[d]) ? 0 : apart ? 1 : (a[d] - b[d]) * (a[d] - b[d]);
    }
    return sum;
}

static void choose_picks(struct revisit *revisit, struct pick *picks, uint32_t count, const struct pick *chosen)
{
    const struct gannet_space *space = revisit->problem->space;
    double *unit = point_at(revisit, revisit->count++);
    memcpy(unit, history_past(revisit->past, chosen->index)->unit, space->count * sizeof *unit);
    for (uint32_t i = 0; i < count; i++)
        picks[i].distance =
            fmin(picks[i].distance, point_distance(space, unit, history_past(revisit->past, picks[i].index)->unit));
}

/* How many of an experiment's points, the best first, may be chosen. */
static uint32_t good_ones(const struct revisit *revisit, uint32_t count)
{
    uint32_t least = count < revisit->most ? count : revisit->most;
    return count / 10 > least ? count / 10 : least;
}

/* The experiments take turns: first the best of each, then what lies farthest from all that were chosen. */
static void take_turns(struct revisit *revisit, struct pick *picks, uint32_t count)
{
    uint32_t before;
    bool first = true;
    do {
        before = revisit->count;
        for (uint32_t from = 0, to; from < count && revisit->count < revisit->most; from = to) {
            for (to = from; to < count && picks[to].source == picks[from].source;)
                to++;
            uint32_t best = from, good = from + good_ones(revisit, to - from);
            for (uint32_t i = from + 1; i < good && !first; i++)
                best = picks[i].distance > picks[best].distance ? i : best;
            if (picks[best].distance > 0)
                choose_picks(revisit, picks, count, &picks[best]);
        }
        first = false;
    } while (revisit->count > before && revisit->count < revisit->most);
}

/* Once all earlier trials are known. */
static void settle_picks(struct revisit *revisit)
{
    if (!revisit->past)
        return;
    uint32_t count = history_past_count(revisit->past);
    struct pick *picks = MEM_ARRAY(struct pick, count);
    revisit->points = MEM_ARRAY(double, (size_t)revisit->most * revisit->problem->space->count);
    revisit->had = MEM_ARRAY(bool, revisit->most);
    for (uint32_t i = 0; i < count; i++) {
        const struct record *record = history_past(revisit->past, i);
        picks[i] = (struct pick){record->loss, record->source, i, INFINITY};
    }
    qsort(picks, count, sizeof *picks, compare_picks);
    take_turns(revisit, picks, count);
    free(picks);
    history_destroy(revisit->past);
    revisit->past = NULL;
}

/* --- trying --- */

bool revisit_next(struct revisit *revisit, double *unit)
{
    settle_picks(revisit);
    uint32_t i = 0;
    while (i < revisit->count && revisit->had[i])
        i++;
    if (i == revisit->count)
        return false;
    memcpy(unit, point_at(revisit, i), revisit->problem->space->count * sizeof *unit);
    return true;
}

void revisit_note(struct revisit *revisit, const double *unit)
{
    settle_picks(revisit);
    for (uint32_t i = 0; i < revisit->count; i++)
        revisit->had[i] = revisit->had[i] || point_distance(revisit->problem->space, point_at(revisit, i), unit) == 0;
}
