/* Results of benchmarks, drawn; see bench_results.h. */
#include "cli/view/bench_results.h"
#include "cli/bench/stats.h"
#include "cli/format.h"
#include "cli/status.h"
#include "cli/view/table.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* --- one number of all strategies --- */

/* A number of a summary, or two of them: how they are written, and what stands above the table of them. */
struct number {
    const char *title, *format;
    size_t first, second; /* where they are in a summary */
};

#define NUMBER(title, format, first, second)                                                                           \
    {                                                                                                                  \
        title, format, offsetof(struct bench_summary, first), offsetof(struct bench_summary, second)                   \
    }

static const struct number best_number = NUMBER("Best so far (median over seeds)", "%.6g", best, best);

/* The tables that are drawn over all tasks, in this order. */
static const struct number numbers[] = {
    NUMBER("Mean rank over tables and seeds (1 is the best)", "%.2f", rank, rank),
    NUMBER("Median normalised regret (0: the best there is, 1: half of all are better)", "%.4f", regret, regret),
    NUMBER("Mean normalised regret", "%.4f", mean_regret, mean_regret),
    NUMBER("Milliseconds a suggestion (median, 99th percentile)", "%.3g %.3g", ask_p50, ask_p99),
};

/* With many workers nothing was asked any more: there are no milliseconds. */
static void add_number_cell(const struct bench_summary *summary, const struct number *number, struct text_table *table)
{
    double first = *(const double *)(const void *)((const char *)summary + number->first),
           second = *(const double *)(const void *)((const char *)summary + number->second);
    bool asks = number->first != number->second;
    if (!summary->searches || (asks && isnan(first)))
        table_cell(table, TINT_NONE, "-");
    else
        table_print(table, TINT_NONE, number->format, first, second);
}

/* Whether any strategy has a search at this place. */
static bool is_there(const struct bench_summary *all, size_t count)
{
    for (size_t s = 0; s < count; s++)
        if (all[s].searches)
            return true;
    return false;
}

/* Summaries of all strategies at every count of trials: N x S. */
static struct bench_summary *all_summaries(const struct cube *cube, size_t table, size_t workers)
{
    struct bench_summary *all = MEM_ARRAY(struct bench_summary, cube->N * cube->S + 1);
    for (size_t n = 0; n < cube->N; n++)
        bench_summary_make(cube, (struct summary_place){table, workers, n}, all + n * cube->S);
    return all;
}

static void add_count_columns(const struct cube *cube, const struct bench_summary *all, struct text_table *table)
{
    char title[32];
    for (size_t n = 0; n < cube->N; n++)
        if (is_there(all + n * cube->S, cube->S)) {
            snprintf(title, sizeof title, "%" PRIu64, cube->trials[n]);
            table_column(table, title, true);
        }
}

/* Adds the rows of the strategies that have any search in all[], behind the name of the task when there is one;
 * `columns` are the summaries by which add_count_columns chose. */
static void add_rows(const struct cube *cube, const struct bench_summary *columns, const struct bench_summary *all,
                     const char *task, const struct number *number, struct text_table *table)
{
    for (size_t s = 0; s < cube->S; s++) {
        bool any = false;
        for (size_t n = 0; n < cube->N; n++)
            any |= all[n * cube->S + s].searches > 0;
        if (any && task)
            table_cell(table, TINT_NONE, task);
        if (any)
            table_cell(table, TINT_STRONG, cube->strategies[s]);
        for (size_t n = 0; n < cube->N && any; n++)
            if (is_there(columns + n * cube->S, cube->S))
                add_number_cell(&all[n * cube->S + s], number, table);
    }
}

static void draw_numbers(const struct cube *cube, const struct bench_summary *all, const struct number *number,
                         const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    table_columns(table, "strategy");
    add_count_columns(cube, all, table);
    add_rows(cube, all, all, NULL, number, table);
    look_heading(look, number->title, out);
    table_finish(table, look, out);
}

/* The best on each table; `over_all` are the summaries over all of them. */
static void draw_best(const struct cube *cube, size_t w, const struct bench_summary *over_all, const struct look *look,
                      struct buf *out)
{
    struct text_table *table = table_create();
    table_columns(table, "table|strategy");
    add_count_columns(cube, over_all, table);
    for (size_t t = 0; t < cube->T; t++) {
        struct bench_summary *all = all_summaries(cube, t, w);
        add_rows(cube, over_all, all, cube->tables[t], &best_number, table);
        free(all);
    }
    look_heading(look, best_number.title, out);
    table_finish(table, look, out);
}

/* --- pairs --- */

/* The last count of trials that any search of all[] has reached. */
static size_t last_count(const struct cube *cube, const struct bench_summary *all)
{
    size_t last = 0;
    for (size_t n = 0; n < cube->N; n++)
        if (is_there(all + n * cube->S, cube->S))
            last = n;
    return last;
}

static void add_pair(const struct cube *cube, struct summary_place place, size_t a, size_t b, struct text_table *table)
{
    struct wilcoxon test = bench_summary_pair(cube, place, a, b);
    if (!test.pairs && !test.equal)
        return;
    const size_t counts[] = {test.below, test.above, test.equal, bench_summary_better(cube, place, a, b),
                             bench_summary_better(cube, place, b, a)};
    table_cell(table, TINT_STRONG, cube->strategies[a]);
    table_cell(table, TINT_STRONG, cube->strategies[b]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        table_print(table, TINT_NONE, "%zu", counts[i]);
    table_print(table, TINT_NONE, "%.2g", test.p);
}

static void draw_pairs(const struct cube *cube, struct summary_place place, const struct look *look, struct buf *out)
{
    struct buf heading = {0};
    struct text_table *table = table_create();
    table_columns(table, "strategy|against|>wins|>losses|>ties|>tables better|>tables worse|>p");
    for (size_t a = 0; a < cube->S; a++)
        for (size_t b = a + 1; b < cube->S; b++)
            add_pair(cube, place, a, b, table);
    buf_format(&heading, "Pairs at %" PRIu64 " trials (Wilcoxon signed-rank; a table counts as better where p < 0.01)",
               cube->trials[place.trials]);
    look_heading(look, buf_str(&heading), out);
    table_finish(table, look, out);
    buf_fini(&heading);
}

/* --- all of it --- */

static void show_workers(const struct cube *cube, size_t w, const struct look *look, struct buf *out)
{
    struct bench_summary *all = all_summaries(cube, SUMMARY_ALL, w);
    struct buf words = {0};
    format_count(cube->workers[w], "worker", &words);
    buf_text(&words, ", ");
    format_count(cube->R, "seed", &words);
    buf_text(&words, ", ");
    format_count(cube->T, "table", &words);
    look_add(look, TINT_STRONG, buf_str(&words), out);
    buf_text(out, "\n");
    draw_best(cube, w, all, look, out);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        draw_numbers(cube, all, &numbers[i], look, out);
    if (cube->S > 1)
        draw_pairs(cube, (struct summary_place){SUMMARY_ALL, w, last_count(cube, all)}, look, out);
    buf_fini(&words);
    free(all);
}

void contest_show(const struct cube *cube, const struct look *look, struct buf *out)
{
    if (!cube->T)
        buf_text(out, "No search is complete.\n");
    for (size_t w = 0; w < cube->W; w++) {
        buf_text(out, w ? "\n" : "");
        show_workers(cube, w, look, out);
    }
}

/* --- for programs --- */

/* {table, workers, trials}, to which the strategy is added. */
static json_t *place_json(const struct cube *cube, struct summary_place place, size_t s)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "table",
                     json_of_text(place.table == SUMMARY_ALL ? NULL : cube->tables[place.table]), "workers",
                     json_of_u64(cube->workers[place.workers]), "trials", json_of_u64(cube->trials[place.trials]),
                     "strategy", json_of_text(cube->strategies[s]));
}

static json_t *strategy_json(const struct cube *cube, struct summary_place place, size_t s,
                             const struct bench_summary *summary)
{
    json_t *json = place_json(cube, place, s);
    json_object_set_new(json, "searches", json_of_u64(summary->searches));
    if (place.table != SUMMARY_ALL)
        json_object_set_new(json, "best", json_of_known(summary->best));
    json_object_update_new(json,
                           json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "regret", json_of_known(summary->regret),
                                     "mean_regret", json_of_known(summary->mean_regret), "rank",
                                     json_of_known(summary->rank), "ranked", json_of_u64(summary->ranked), "ask_ms_p50",
                                     json_of_known(summary->ask_p50), "ask_ms_p99", json_of_known(summary->ask_p99)));
    return json;
}

static void add_summaries(const struct cube *cube, struct summary_place place, json_t *list)
{
    struct bench_summary *all = MEM_ARRAY(struct bench_summary, cube->S + 1);
    bench_summary_make(cube, place, all);
    for (size_t s = 0; s < cube->S; s++)
        if (all[s].searches)
            json_array_append_new(list, strategy_json(cube, place, s, &all[s]));
    free(all);
}

static void add_pairs(const struct cube *cube, struct summary_place place, json_t *list)
{
    for (size_t a = 0; a < cube->S; a++)
        for (size_t b = a + 1; b < cube->S; b++) {
            struct wilcoxon test = bench_summary_pair(cube, place, a, b);
            if (!test.pairs && !test.equal)
                continue;
            json_t *json = place_json(cube, place, a);
            json_object_update_new(json,
                                   json_pack("{s:o, s:o, s:o, s:o, s:o}", "against", json_of_text(cube->strategies[b]),
                                             "wins", json_of_u64(test.below), "losses", json_of_u64(test.above), "ties",
                                             json_of_u64(test.equal), "p", json_of_known(test.p)));
            json_array_append_new(list, json);
        }
}

json_t *contest_json(const struct cube *cube)
{
    json_t *standings = json_array(), *overall = json_array(), *pairs = json_array();
    for (size_t w = 0; w < cube->W; w++)
        for (size_t n = 0; n < cube->N; n++) {
            for (size_t t = 0; t < cube->T; t++) {
                add_summaries(cube, (struct summary_place){t, w, n}, standings);
                add_pairs(cube, (struct summary_place){t, w, n}, pairs);
            }
            add_summaries(cube, (struct summary_place){SUMMARY_ALL, w, n}, overall);
            add_pairs(cube, (struct summary_place){SUMMARY_ALL, w, n}, pairs);
        }
    return json_pack("{s:o, s:o, s:o}", "standings", standings, "overall", overall, "pairs", pairs);
}

/* --- what the rows don't say: the searches --- */

bool series_show_broken(const struct series *series, struct console *console)
{
    size_t count;
    bool any = false;
    const struct series_search *searches = series_searches(series, &count);
    const struct series_search *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct series_search *search = &searches[i];
        if (search->state != SEARCH_BROKEN)
            continue;
        any = true;
        if (last && last->objective == search->objective && last->contender == search->contender)
            continue;
        struct err err = search->err;
        err_write_prefix(&err, "%s on %s, seed %llu", search->contender->text, objective_name(search->objective),
                         (unsigned long long)search->seed);
        console_fail(console, STATUS_FAILED, &err);
        last = search;
    }
    return any;
}

json_t *series_tables_json(const struct series_setup *setup)
{
    json_t *list = json_array();
    for (size_t i = 0; i < setup->objective_count; i++) {
        const struct bench_objective *objective = setup->objectives[i];
        json_t *table =
            json_pack("{s:o, s:o, s:o}", "table", json_of_text(objective_name(objective)), "optimum",
                      json_of_real(objective_optimum(objective)), "median", json_of_real(objective_median(objective)));
        json_array_append_new(list, table);
    }
    return list;
}

json_t *series_searches_json(const struct series *series)
{
    size_t count;
    const struct series_search *searches = series_searches(series, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct simulated *result = &searches[i].result;
        if (searches[i].state != SEARCH_DONE)
            continue;
        json_t *search = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "table", json_of_text(objective_name(searches[i].objective)),
            "strategy", json_of_text(searches[i].contender->text), "seed", json_of_u64(searches[i].seed), "trials",
            json_of_u64(result->ended), "failed", json_of_u64(result->failed), "stopped", json_of_u64(result->stopped),
            "steps", json_of_u64(result->steps), "utilisation", json_of_real(result->utilisation));
        json_array_append_new(list, search);
    }
    return list;
}

void series_show_utilisation(const struct series *series, const struct contenders *contenders, struct buf *out)
{
    size_t count;
    const struct series_search *searches = series_searches(series, &count);
    double *values = MEM_ARRAY(double, count + 1);
    buf_text(out, "\nUtilisation of the workers until the last trial was handed out (median)\n");
    for (size_t c = 0; c < contenders->count; c++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            if (searches[i].state == SEARCH_DONE && searches[i].contender == &contenders->items[c])
                values[found++] = searches[i].result.utilisation;
        buf_format(out, "  %s  %.4f\n", contenders->items[c].text, stats_median(values, found));
    }
    free(values);
}
