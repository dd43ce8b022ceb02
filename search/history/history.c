/* The history; see history.h.
 *
 * Records are in one array in the order of their first mention, and a map finds that of a trial. The array may grow a
 * quarter beyond what is to be kept; then history.c chooses, so that the cost of choosing spreads over many tells.
 * Memory of a record never moves while it is kept. */
#include "search/history/history.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/rng.h"
#include "search/history/record.h"
#include "search/pareto/front.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A trial of a history, with the numbers that its pointers point to. */
struct kept {
    struct record record;   /* what was told of it */
    struct pending pending; /* what others see of it while it runs */
    uint64_t lot;           /* drawn once and for all: of the others those with the lowest lots stay */
    uint64_t place;         /* rises in the order of first mention */
    double numbers[];       /* D coordinates, then the losses, then the violations */
};

/* Whether a record has a loss and no limit is known to be broken or unknown. */
/* --- which records of a long history stay: the best half, and of the others a sample that each of them had the same
 * chance to be in ---
 *
 * The others are sampled by lots: each record draws a random number once, and the k lowest stay. Whatever was dropped
 * before had a higher lot than all that stayed, so after every choice the sample is the same as if nothing had ever
 * been dropped. (Bottom-k sampling: Cohen, Kaplan: "Summarizing data using bottom-k sketches", PODC 2007.) */

static bool retention_is_valid(const struct record *record, uint32_t limits)
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

/* Reorders `count` records, which are in order of place: the `most` that stay come first, in order of place; those that
 * don't behind them. `dear`, which may be NULL, stays in any case. */
static void retention_choose(struct kept **records, size_t count, size_t most, const struct gannet_problem *problem,
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

enum { MOST = 20000 }; /* records kept unless the strategy says otherwise */

/* Records in order of place. */
struct shelf {
    struct kept **items;
    size_t count, capacity;
};

struct history {
    const struct gannet_problem *problem;
    uint32_t most;
    uint64_t told, revision, places;
    struct shelf own, past, pending;
    struct map own_trials, pending_trials; /* trial -> its struct kept */
    size_t source_start;                   /* where the newest source begins on the shelf of the past */
    struct kept *best;                     /* see history_best */
    bool steps_count;                      /* trials are judged on their way: only those seen furthest can be best */
};

struct history *history_create(const struct gannet_problem *problem, uint32_t most)
{
    struct history *history = MEM_NEW(struct history);
    history->problem = problem;
    history->most = most ? most : MOST;
    history->steps_count = problem->max_steps > 0;
    return history;
}

static void empty_shelf(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++)
        free(shelf->items[i]);
    free(shelf->items);
}

void history_destroy(struct history *history)
{
    if (!history)
        return;
    empty_shelf(&history->own);
    empty_shelf(&history->past);
    empty_shelf(&history->pending);
    map_fini(&history->own_trials);
    map_fini(&history->pending_trials);
    free(history);
}

/* --- records --- */

/* A new record at the end of a shelf, failed as far as is known. `number` draws its lot. */
static struct kept *add_to_shelf(struct history *history, struct shelf *shelf, uint64_t trial, const double *unit,
                                 uint64_t number)
{
    const struct gannet_problem *problem = history->problem;
    struct kept *kept = mem_zero(1, sizeof *kept + record_numbers(problem) * sizeof *kept->numbers);
    record_init(&kept->record, problem, kept->numbers, trial, unit);
    kept->pending = (struct pending){trial, kept->numbers};
    kept->lot = rng_mix(problem->seed, number);
    kept->place = history->places++;
    MEM_GROW(shelf->items, shelf->capacity, shelf->count + 1);
    return shelf->items[shelf->count++] = kept;
}

/* Takes a record off its shelf. */
static void take_off(struct shelf *shelf, const struct kept *kept)
{
    size_t low = 0, high = shelf->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (shelf->items[middle]->place < kept->place)
            low = middle + 1;
        else
            high = middle;
    }
    shelf->count--;
    memmove(shelf->items + low, shelf->items + low + 1, (shelf->count - low) * sizeof *shelf->items);
}

static bool is_better(const struct history *history, const struct kept *a, const struct kept *b)
{
    const struct record *x = &a->record, *y = &b->record;
    if (history->steps_count && x->step != y->step)
        return x->step > y->step;
    return x->loss < y->loss || (x->loss == y->loss && a->place < b->place);
}

static void consider_best(struct history *history, struct kept *kept)
{
    if (retention_is_valid(&kept->record, history->problem->limits) &&
        (!history->best || is_better(history, kept, history->best)))
        history->best = kept;
}

/* After the best one has become worse or is gone, or what counts has changed. */
static void find_best(struct history *history)
{
    history->best = NULL;
    for (size_t i = 0; i < history->own.count; i++)
        consider_best(history, history->own.items[i]);
}

static void drop_from_shelf(struct history *history, struct kept *kept)
{
    take_off(&history->own, kept);
    map_remove(&history->own_trials, kept->record.trial);
    if (kept == history->best)
        find_best(history);
    free(kept);
}

/* Drops what is too much on a shelf from `start` on. */
static void prune_shelf(struct history *history, struct shelf *shelf, size_t start)
{
    size_t count = shelf->count - start, most = history->most;
    if (count <= most + most / 4)
        return;
    retention_choose(shelf->items + start, count, most, history->problem, history->best);
    for (size_t i = start + most; i < shelf->count; i++) {
        if (shelf == &history->own)
            map_remove(&history->own_trials, shelf->items[i]->record.trial);
        free(shelf->items[i]);
    }
    shelf->count = start + most;
}

static void write_record(struct history *history, const struct gannet_outcome_of_trial *from, bool ended)
{
    struct kept *kept = map_get(&history->own_trials, from->trial);
    if (!kept) {
        kept = add_to_shelf(history, &history->own, from->trial, from->unit, from->trial);
        map_put(&history->own_trials, from->trial, kept);
    }
    record_fill(&kept->record, history->problem, from, ended);
    if (kept == history->best)
        find_best(history);
    else
        consider_best(history, kept);
    prune_shelf(history, &history->own, 0);
}

void history_learn(struct history *history, const struct gannet_past *past)
{
    struct shelf *shelf = &history->past;
    history->revision++;
    if (past->outcome == GANNET_VOID)
        return;
    if (shelf->count && shelf->items[shelf->count - 1]->record.source != past->source)
        history->source_start = shelf->count;
    struct kept *kept = add_to_shelf(history, shelf, 0, past->unit, ~history->places);
    struct record *record = &kept->record;
    record->source = past->source;
    record->failed = past->outcome == GANNET_FAILED || !isfinite(past->loss);
    record->loss = record->failed ? NAN : past->loss;
    if (record->losses)
        record->losses[0] = record->loss;
    record->seconds = past->seconds;
    record->ended = true;
    prune_shelf(history, shelf, history->source_start);
}

void history_observe(struct history *history, const struct gannet_outcome_of_trial *so_far)
{
    history->revision++;
    if (so_far->outcome != GANNET_FINISHED || !isfinite(so_far->loss))
        return;
    if (!history->steps_count) {
        history->steps_count = true;
        find_best(history);
    }
    write_record(history, so_far, false);
}

/* --- pending trials --- */

void history_note(struct history *history, uint64_t trial, const double *unit)
{
    if (!map_get(&history->pending_trials, trial))
        map_put(&history->pending_trials, trial, add_to_shelf(history, &history->pending, trial, unit, trial));
}

static void end_pending(struct history *history, uint64_t trial)
{
    struct kept *kept = map_remove(&history->pending_trials, trial);
    if (!kept)
        return;
    take_off(&history->pending, kept);
    free(kept);
}

void history_tell(struct history *history, const struct gannet_outcome_of_trial *told)
{
    history->revision++;
    history->told++;
    end_pending(history, told->trial);
    struct kept *kept = map_get(&history->own_trials, told->trial);
    if (told->outcome != GANNET_VOID)
        write_record(history, told, true);
    else if (kept)
        drop_from_shelf(history, kept);
}

/* --- reading --- */

uint32_t history_count(const struct history *history)
{
    return (uint32_t)history->own.count;
}

const struct record *history_record(const struct history *history, uint32_t index)
{
    return &history->own.items[index]->record;
}

uint64_t history_told(const struct history *history)
{
    return history->told;
}

uint64_t history_revision(const struct history *history)
{
    return history->revision;
}

uint32_t history_pending_count(const struct history *history)
{
    return (uint32_t)history->pending.count;
}

const struct pending *history_pending(const struct history *history, uint32_t index)
{
    return &history->pending.items[index]->pending;
}

uint32_t history_past_count(const struct history *history)
{
    return (uint32_t)history->past.count;
}

const struct record *history_past(const struct history *history, uint32_t index)
{
    return &history->past.items[index]->record;
}

const struct record *history_best(const struct history *history)
{
    return history->best ? &history->best->record : NULL;
}
