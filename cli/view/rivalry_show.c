/* Comparing contenders: what people read; see rivalry.h. */
#include "cli/format.h"
#include "cli/view/rivalry.h"
#include "cli/view/rivalry_chart.h"
#include "cli/view/table.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

static const double sure = 0.05; /* a difference that is this likely by chance alone is none */

/* --- sentences --- */

static void add_verdict(const struct rival *leader, const struct rival *other, const struct rank_sum *test,
                        size_t comparisons, struct buf *out)
{
    double least = fmin(1, test->least * (double)comparisons);
    buf_text(out, "    ");
    if (test->p <= sure) {
        buf_format(out, "%s is better than %s: in %.0f %% of the pairs of their seeds (p = %.2g)\n", leader->name,
                   other->name, 100 * test->share, test->p);
    } else if (least > sure) {
        buf_format(out,
                   "%s is ahead of %s; too few seeds to say whether by chance: of %zu and %zu p is at least %.2g\n",
                   leader->name, other->name, leader->count, other->count, least);
    } else {
        buf_format(out, "%s is ahead of %s by no more than chance may be: in %.0f %% of the pairs (p = %.2g)\n",
                   leader->name, other->name, 100 * test->share, test->p);
    }
}

static void add_verdicts(const struct rivals *rivals, enum effort effort, struct buf *out)
{
    char text[64];
    double passed = rivalry_common(rivals, effort);
    struct rank_sum *tests = MEM_ARRAY(struct rank_sum, rivals->count);
    size_t leader = rivalry_test(rivals, effort, passed, tests);
    buf_format(out, "  After %s, which all have spent:\n", rivalry_show_effort(effort, passed, text, sizeof text));
    if (isnan(rivalry_standing(&rivals->items[leader], effort, passed).median))
        buf_text(out, "    half of the seeds of each have no value yet\n");
    else
        for (size_t i = 0; i < rivals->count; i++)
            if (i != leader)
                add_verdict(&rivals->items[leader], &rivals->items[i], &tests[i], rivals->count - 1, out);
    free(tests);
}

/* --- the table --- */

static void add_standing(struct text_table *table, const struct rival *rival, enum effort effort, double passed)
{
    char median[32], low[32], high[32];
    struct standing_at at = rivalry_standing(rival, effort, passed);
    if (isnan(at.median))
        table_cell(table, TINT_QUIET, "-");
    else if (rival->count == 1)
        table_cell(table, TINT_NONE, format_number(at.median, median, sizeof median));
    else
        table_print(table, TINT_NONE, "%s  %s .. %s", format_number(at.median, median, sizeof median),
                    format_number(at.low, low, sizeof low),
                    isnan(at.high) ? "none" : format_number(at.high, high, sizeof high));
}

static void add_table(const struct rivals *rivals, const struct look *look, struct buf *out)
{
    char text[64];
    struct text_table *table = table_create();
    table_column(table, "", false);
    table_column(table, "seeds", true);
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        table_column(table, rivalry_show_effort(effort, rivalry_common(rivals, effort), text, sizeof text), false);
    for (size_t i = 0; i < rivals->count; i++) {
        table_print(table, TINT_NONE, "%c %s", (int)('A' + i % 26), rivals->items[i].name);
        table_print(table, TINT_NONE, "%zu", rivals->items[i].count);
        for (enum effort effort = 0; effort < EFFORTS; effort++)
            add_standing(table, &rivals->items[i], effort, rivalry_common(rivals, effort));
    }
    table_draw(table, look, out);
    table_destroy(table);
}

/* --- the bests --- */

static void add_param_row(const struct rivals *rivals, const char *name, struct text_table *table)
{
    size_t which;
    struct buf text = {0};
    format_safe(name, &text);
    table_cell(table, TINT_NONE, buf_str(&text));
    for (size_t i = 0; i < rivals->count; i++) {
        json_t *value = rivalry_best_param(rivalry_best_seed(&rivals->items[i], &which), name);
        buf_clear(&text);
        format_scalar(value, &text);
        table_cell(table, TINT_NONE, buf_str(&text));
        json_decref(value);
    }
    buf_fini(&text);
}

static void add_bests(const struct rivals *rivals, const struct look *look, struct buf *out)
{
    json_t *names = rivalry_param_names(rivals), *unused;
    const char *name;
    char number[32];
    struct text_table *table = table_create();
    table_column(table, "", false);
    for (size_t i = 0; i < rivals->count; i++)
        table_column(table, rivals->items[i].name, true);
    table_cell(table, TINT_NONE, rivals->items[0].seeds[0].metrics[0].name);
    for (size_t i = 0; i < rivals->count; i++) {
        size_t which;
        const struct trial_data *best = rivalry_best_seed(&rivals->items[i], &which);
        table_cell(table, TINT_STRONG, best ? format_number(rivalry_best(best)->value, number, sizeof number) : "-");
    }
    table_cell(table, TINT_NONE, "trial");
    for (size_t i = 0; i < rivals->count; i++) {
        size_t which = 0;
        const struct trial_data *best = rivalry_best_seed(&rivals->items[i], &which);
        if (best)
            table_print(table, TINT_NONE, "%s/%llu", rivals->items[i].experiments[which],
                        (unsigned long long)best->trials[rivalry_best(best)->at].trial);
        else
            table_cell(table, TINT_NONE, "-");
    }
    json_object_foreach(names, name, unused) add_param_row(rivals, name, table);
    table_draw(table, look, out);
    table_destroy(table);
    json_decref(names);
}

void rivalry_describe(const struct rivals *rivals, enum effort over, const struct look *look, struct buf *out)
{
    const struct trial_metric *metric = &rivals->items[0].seeds[0].metrics[0];
    buf_format(out, "The best %s so far (%s), by the median of the seeds", metric->name,
               metric->maximize ? "maximize" : "minimize");
    rivalry_chart(rivals, over, look, out);
    look_heading(look, "After the same effort: median, quartiles of the seeds", out);
    add_table(rivals, look, out);
    look_heading(look, "Who is better (Mann-Whitney U, two-sided; Holm's correction where there are several)", out);
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        add_verdicts(rivals, effort, out);
    look_heading(look, "The best trial of each", out);
    add_bests(rivals, look, out);
}
