/* Results of benchmarks, drawn; see comparison.h. */
#include "cli/view/comparison.h"
#include "cli/bench/stats.h"
#include "cli/format.h"
#include "cli/status.h"
#include "cli/view/table.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- one number of all strategies --- */

/* How a number of a summary is written; one function for each kind of number. */
typedef void show_number(const struct bench_summary *summary, char *out, size_t size);

static void show_best(const struct bench_summary *summary, char *out, size_t size)
{
    snprintf(out, size, "%.6g", summary->best);
}

static void show_rank(const struct bench_summary *summary, char *out, size_t size)
{
    snprintf(out, size, "%.2f", summary->rank);
}

static void show_regret(const struct bench_summary *summary, char *out, size_t size)
{
    snprintf(out, size, "%.4f", summary->regret);
}

static void show_mean_regret(const struct bench_summary *summary, char *out, size_t size)
{
    snprintf(out, size, "%.4f", summary->mean_regret);
}

static void show_asks(const struct bench_summary *summary, char *out, size_t size)
{
    if (isnan(summary->ask_p50)) /* with many workers nothing was asked any more */
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%.3g %.3g", summary->ask_p50, summary->ask_p99);
}

/* The tables that are drawn over all tasks, in this order. */
static const struct {
    const char *title;
    show_number *show;
} numbers[] = {
    {"Mean rank over tables and seeds (1 is the best)", show_rank},
    {"Median normalised regret (0: the best there is, 1: half of all are better)", show_regret},
    {"Mean normalised regret", show_mean_regret},
    {"Milliseconds a suggestion (median, 99th percentile)", show_asks},
};

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

static void add_cells(const struct cube *cube, const struct bench_summary *all, size_t s, show_number *show,
                      struct text_table *table)
{
    char text[48];
    for (size_t n = 0; n < cube->N; n++) {
        const struct bench_summary *summary = &all[n * cube->S + s];
        if (!is_there(all + n * cube->S, cube->S))
            continue;
        if (summary->searches)
            show(summary, text, sizeof text);
        table_cell(table, TINT_NONE, summary->searches ? text : "-");
    }
}

static bool has_searches(const struct cube *cube, const struct bench_summary *all, size_t s)
{
    for (size_t n = 0; n < cube->N; n++)
        if (all[n * cube->S + s].searches)
            return true;
    return false;
}

static void draw_numbers(const struct cube *cube, const struct bench_summary *all, show_number *show,
                         const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    table_column(table, "strategy", false);
    add_count_columns(cube, all, table);
    for (size_t s = 0; s < cube->S; s++)
        if (has_searches(cube, all, s)) {
            table_cell(table, TINT_STRONG, cube->strategies[s]);
            add_cells(cube, all, s, show, table);
        }
    table_finish(table, look, out);
}

/* --- the best on each table --- */

static void draw_best(const struct cube *cube, size_t w, const struct look *look, struct buf *out)
{
    struct bench_summary *over_all = all_summaries(cube, SUMMARY_ALL, w);
    struct text_table *table = table_create();
    table_columns(table, "table|strategy");
    add_count_columns(cube, over_all, table);
    for (size_t t = 0; t < cube->T; t++) {
        struct bench_summary *all = all_summaries(cube, t, w);
        for (size_t s = 0; s < cube->S; s++)
            if (has_searches(cube, all, s)) {
                table_cell(table, TINT_NONE, cube->tables[t]);
                table_cell(table, TINT_STRONG, cube->strategies[s]);
                for (size_t n = 0; n < cube->N; n++)
                    if (is_there(over_all + n * cube->S, cube->S) && !is_there(all + n * cube->S, cube->S))
                        table_cell(table, TINT_NONE, "-");
                    else
                        add_cells(&(struct cube){.S = cube->S, .N = 1}, all + n * cube->S, s, show_best, table);
            }
        free(all);
    }
    look_heading(look, "Best so far (median over seeds)", out);
    table_finish(table, look, out);
    free(over_all);
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
    draw_best(cube, w, look, out);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        look_heading(look, numbers[i].title, out);
        draw_numbers(cube, all, numbers[i].show, look, out);
    }
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

static void add_number(json_t *object, const char *name, double number)
{
    json_object_set_new(object, name, isnan(number) ? json_null() : json_of_real(number));
}

static json_t *place_json(const struct cube *cube, struct summary_place place)
{
    json_t *json = json_object();
    json_object_set_new(json, "table",
                        place.table == SUMMARY_ALL ? json_null() : json_string(cube->tables[place.table]));
    json_object_set_new(json, "workers", json_of_u64(cube->workers[place.workers]));
    json_object_set_new(json, "trials", json_of_u64(cube->trials[place.trials]));
    return json;
}

static json_t *strategy_json(const struct cube *cube, struct summary_place place, size_t s,
                             const struct bench_summary *summary)
{
    json_t *json = place_json(cube, place);
    json_object_set_new(json, "strategy", json_string(cube->strategies[s]));
    json_object_set_new(json, "searches", json_of_u64(summary->searches));
    if (place.table != SUMMARY_ALL)
        add_number(json, "best", summary->best);
    add_number(json, "regret", summary->regret);
    add_number(json, "mean_regret", summary->mean_regret);
    add_number(json, "rank", summary->rank);
    json_object_set_new(json, "ranked", json_of_u64(summary->ranked));
    add_number(json, "ask_ms_p50", summary->ask_p50);
    add_number(json, "ask_ms_p99", summary->ask_p99);
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
            json_t *json = place_json(cube, place);
            json_object_set_new(json, "strategy", json_string(cube->strategies[a]));
            json_object_set_new(json, "against", json_string(cube->strategies[b]));
            json_object_set_new(json, "wins", json_of_u64(test.below));
            json_object_set_new(json, "losses", json_of_u64(test.above));
            json_object_set_new(json, "ties", json_of_u64(test.equal));
            add_number(json, "p", test.p);
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
        const struct objective *objective = setup->objectives[i];
        json_t *table = json_object();
        json_object_set_new(table, "table", json_string(objective_name(objective)));
        json_object_set_new(table, "optimum", json_of_real(objective_optimum(objective)));
        json_object_set_new(table, "median", json_of_real(objective_median(objective)));
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
        if (searches[i].state != SEARCH_DONE)
            continue;
        json_t *search = json_object();
        json_object_set_new(search, "table", json_string(objective_name(searches[i].objective)));
        json_object_set_new(search, "strategy", json_string(searches[i].contender->text));
        json_object_set_new(search, "seed", json_of_u64(searches[i].seed));
        json_object_set_new(search, "trials", json_of_u64(searches[i].result.ended));
        json_object_set_new(search, "failed", json_of_u64(searches[i].result.failed));
        json_object_set_new(search, "stopped", json_of_u64(searches[i].result.stopped));
        json_object_set_new(search, "steps", json_of_u64(searches[i].result.steps));
        json_object_set_new(search, "utilisation", json_of_real(searches[i].result.utilisation));
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
