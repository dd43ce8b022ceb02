/* Summing up results; see bench_summary.h. */
#include "cli/bench/bench_summary.h"
#include "common/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* --- rows arranged --- */

/* The index of a text in a list, added when it is new. Texts of rows are the same pointer when they are the same. */
static size_t place_text(const char ***list, size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == text)
            return i;
    *list = mem_resize(*list, *count + 1, sizeof **list);
    (*list)[*count] = text;
    return (*count)++;
}

/* Adds a number to an ascending list that it is not in. */
static void add_number(uint64_t **list, size_t *count, uint64_t number)
{
    size_t at = 0;
    while (at < *count && (*list)[at] < number)
        at++;
    if (at < *count && (*list)[at] == number)
        return;
    *list = mem_resize(*list, *count + 1, sizeof **list);
    for (size_t i = (*count)++; i > at; i--)
        (*list)[i] = (*list)[i - 1];
    (*list)[at] = number;
}

static size_t place_number(const uint64_t *list, uint64_t number)
{
    size_t at = 0;
    while (list[at] != number)
        at++;
    return at;
}

void cube_init(struct cube *cube, const struct bench_rows *rows)
{
    *cube = (struct cube){0};
    for (size_t i = 0; i < rows->count; i++) {
        const struct bench_row *row = &rows->items[i];
        place_text(&cube->tables, &cube->T, row->table);
        place_text(&cube->strategies, &cube->S, row->strategy);
        add_number(&cube->workers, &cube->W, row->workers);
        add_number(&cube->trials, &cube->N, row->trials);
        add_number(&cube->seeds, &cube->R, row->seed);
    }
    cube->cells = MEM_ARRAY(const struct bench_row *, cube->T * cube->S * cube->W * cube->N * cube->R + 1);
    for (size_t i = 0; i < rows->count; i++) {
        const struct bench_row *row = &rows->items[i];
        size_t at = place_text(&cube->tables, &cube->T, row->table);
        at = at * cube->S + place_text(&cube->strategies, &cube->S, row->strategy);
        at = at * cube->W + place_number(cube->workers, row->workers);
        at = at * cube->N + place_number(cube->trials, row->trials);
        cube->cells[at * cube->R + place_number(cube->seeds, row->seed)] = row;
    }
}

void cube_fini(struct cube *cube)
{
    free(cube->tables);
    free(cube->strategies);
    free(cube->workers);
    free(cube->trials);
    free(cube->seeds);
    free(cube->cells);
    *cube = (struct cube){0};
}

/* --- summed up --- */

static double regret_of(const struct bench_row *row)
{
    return isnan(row->regret) ? INFINITY : row->regret;
}

static size_t first_table(struct summary_place place)
{
    return place.table == SUMMARY_ALL ? 0 : place.table;
}

static size_t end_table(const struct cube *cube, struct summary_place place)
{
    return place.table == SUMMARY_ALL ? cube->T : place.table + 1;
}

/* --- one strategy --- */

/* Numbers of one kind from all rows of a strategy at a place. */
struct search_numbers {
    double *best, *regret, *ask_p50, *ask_p99;
    size_t count;
};

static void collect_searches(const struct cube *cube, struct summary_place place, size_t s, struct search_numbers *out)
{
    out->count = 0;
    for (size_t t = first_table(place); t < end_table(cube, place); t++)
        for (size_t r = 0; r < cube->R; r++) {
            const struct bench_row *row = cube_at(cube, t, s, place.workers, place.trials, r);
            if (!row)
                continue;
            out->best[out->count] = row->best;
            out->regret[out->count] = regret_of(row);
            out->ask_p50[out->count] = row->ask_ms_p50;
            out->ask_p99[out->count++] = row->ask_ms_p99;
        }
}

static void summarise_strategy(const struct cube *cube, struct summary_place place, size_t s, struct bench_summary *out)
{
    size_t capacity = cube->T * cube->R + 1;
    double *memory = MEM_ARRAY(double, 4 * capacity);
    struct search_numbers numbers = {memory, memory + capacity, memory + 2 * capacity, memory + 3 * capacity, 0};
    collect_searches(cube, place, s, &numbers);
    *out = (struct bench_summary){.searches = numbers.count,
                                  .best = stats_median(numbers.best, numbers.count),
                                  .mean_regret = stats_mean(numbers.regret, numbers.count),
                                  .regret = stats_median(numbers.regret, numbers.count),
                                  .rank = NAN,
                                  .ask_p50 = stats_median(numbers.ask_p50, numbers.count),
                                  .ask_p99 = stats_median(numbers.ask_p99, numbers.count)};
    free(memory);
}

/* --- ranks --- */

/* The regrets of all strategies that have searches here, in one of them; false: one of them has not done it. */
static bool take_search(const struct cube *cube, struct summary_place place, size_t t, size_t r,
                        const struct bench_summary *all, double *regrets)
{
    for (size_t s = 0, count = 0; s < cube->S; s++) {
        const struct bench_row *row = cube_at(cube, t, s, place.workers, place.trials, r);
        if (!all[s].searches)
            continue;
        if (!row)
            return false;
        regrets[count++] = regret_of(row);
    }
    return true;
}

static void add_ranks(const struct cube *cube, const double *ranks, struct bench_summary *all)
{
    for (size_t s = 0, count = 0; s < cube->S; s++)
        if (all[s].searches) {
            double sum = all[s].ranked++ ? all[s].rank : 0;
            all[s].rank = sum + ranks[count++];
        }
}

static void rank_strategies(const struct cube *cube, struct summary_place place, struct bench_summary *all)
{
    double *regrets = MEM_ARRAY(double, cube->S + 1), *ranks = MEM_ARRAY(double, cube->S + 1);
    size_t here = 0;
    for (size_t s = 0; s < cube->S; s++)
        here += all[s].searches > 0;
    for (size_t t = first_table(place); t < end_table(cube, place); t++)
        for (size_t r = 0; r < cube->R; r++)
            if (here && take_search(cube, place, t, r, all, regrets)) {
                stats_ranks(regrets, here, ranks);
                add_ranks(cube, ranks, all);
            }
    for (size_t s = 0; s < cube->S; s++)
        all[s].rank /= (double)all[s].ranked; /* 0 / 0: NaN stays */
    free(ranks);
    free(regrets);
}

void bench_summary_make(const struct cube *cube, struct summary_place place, struct bench_summary *out)
{
    for (size_t s = 0; s < cube->S; s++)
        summarise_strategy(cube, place, s, &out[s]);
    rank_strategies(cube, place, out);
}

/* --- pairs --- */

struct wilcoxon bench_summary_pair(const struct cube *cube, struct summary_place place, size_t a, size_t b)
{
    size_t capacity = cube->T * cube->R + 1, count = 0;
    double *of_a = MEM_ARRAY(double, capacity), *of_b = MEM_ARRAY(double, capacity);
    for (size_t t = first_table(place); t < end_table(cube, place); t++)
        for (size_t r = 0; r < cube->R; r++) {
            const struct bench_row *row_a = cube_at(cube, t, a, place.workers, place.trials, r);
            const struct bench_row *row_b = cube_at(cube, t, b, place.workers, place.trials, r);
            if (!row_a || !row_b)
                continue;
            of_a[count] = regret_of(row_a);
            of_b[count++] = regret_of(row_b);
        }
    struct wilcoxon test = wilcoxon_test(of_a, of_b, count);
    free(of_b);
    free(of_a);
    return test;
}

size_t bench_summary_better(const struct cube *cube, struct summary_place place, size_t a, size_t b)
{
    size_t better = 0;
    for (place.table = 0; place.table < cube->T; place.table++) {
        struct wilcoxon test = bench_summary_pair(cube, place, a, b);
        double middle = (double)test.pairs * ((double)test.pairs + 1) / 4;
        better += test.p < 0.01 && test.sum < middle;
    }
    return better;
}
