/* The history; see history.h.
 *
 * Records are in one array in the order of their first mention, and a map finds that of a trial. The array may grow a
 * quarter beyond what is to be kept; then retention.c chooses, so that the cost of choosing spreads over many tells.
 * Memory of a record never moves while it is kept. */
#include "search/history/history.h"
#include "search/history/retention.h"
#include "search/history/record.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
