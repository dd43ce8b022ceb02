/* Results of benchmarks, drawn; see comparison.h. */
#include "cli/view/comparison.h"
#include "cli/bench/bench_summary.h"
#include "cli/format.h"
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
    table_draw(table, look, out);
    table_destroy(table);
}

/* --- the best on each table --- */

static void draw_best(const struct cube *cube, size_t w, const struct look *look, struct buf *out)
{
    struct bench_summary *over_all = all_summaries(cube, SUMMARY_ALL, w);
    struct text_table *table = table_create();
    table_column(table, "table", false);
    table_column(table, "strategy", false);
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
    table_draw(table, look, out);
    table_destroy(table);
    free(over_all);
}

/* --- pairs --- */

/* The last count of trials that anything has reached with so many workers. */
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
    char text[32];
    struct wilcoxon test = bench_summary_pair(cube, place, a, b);
    if (!test.pairs && !test.equal)
        return;
    const size_t counts[] = {test.below, test.above, test.equal, bench_summary_better(cube, place, a, b),
                             bench_summary_better(cube, place, b, a)};
    table_cell(table, TINT_STRONG, cube->strategies[a]);
    table_cell(table, TINT_STRONG, cube->strategies[b]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(text, sizeof text, "%zu", counts[i]);
        table_cell(table, TINT_NONE, text);
    }
    snprintf(text, sizeof text, "%.2g", test.p);
    table_cell(table, TINT_NONE, text);
}

static void draw_pairs(const struct cube *cube, struct summary_place place, const struct look *look, struct buf *out)
{
    static const char *const titles[] = {"wins", "losses", "ties", "tables better", "tables worse", "p"};
    struct buf heading = {0};
    struct text_table *table = table_create();
    table_column(table, "strategy", false);
    table_column(table, "against", false);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(table, titles[i], true);
    for (size_t a = 0; a < cube->S; a++)
        for (size_t b = a + 1; b < cube->S; b++)
            add_pair(cube, place, a, b, table);
    buf_format(&heading, "Pairs at %" PRIu64 " trials (Wilcoxon signed-rank; a table counts as better where p < 0.01)",
               cube->trials[place.trials]);
    look_heading(look, buf_str(&heading), out);
    table_draw(table, look, out);
    table_destroy(table);
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
