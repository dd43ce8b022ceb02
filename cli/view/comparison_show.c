/* Comparing contenders: what people read; see comparison.h. */
#include "cli/format.h"
#include "cli/view/comparison.h"
#include "cli/view/comparison_chart.h"
#include "cli/view/table.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

static const double sure = 0.05; /* a difference that is this likely by chance alone is none */

/* --- sentences --- */

static void add_names(const struct compared_group *leader, const char *how, const struct compared_group *other,
                      struct buf *out)
{
    buf_text(out, "    ");
    format_safe(leader->name, out);
    buf_text(out, how);
    format_safe(other->name, out);
}

/* Of seeds with many low and many high values the median says the one, the pairs the other. */
static void add_contradiction(const struct compared_group *leader, const struct compared_group *other,
                              const struct rank_sum *test, struct buf *out)
{
    add_names(leader, " has the better median, but ", other, out);
    buf_format(out, " is better in %.0f %% of the pairs of their seeds (p = %.2g)\n", 100 * (1 - test->share), test->p);
}

/* `level`: neither of them is ahead. */
static void add_verdict(const struct compared_group *leader, const struct compared_group *other,
                        const struct rank_sum *test, bool level, size_t comparisons, struct buf *out)
{
    double least = fmin(1, test->least * (double)comparisons);
    bool is_sure = test->p <= sure;
    if (is_sure && test->share < 0.5) {
        add_contradiction(leader, other, test, out);
        return;
    }
    add_names(leader, is_sure ? " is better than " : level ? " is level with " : " is ahead of ", other, out);
    if (is_sure)
        buf_format(out, ": in %.0f %% of the pairs of their seeds (p = %.2g)\n", 100 * test->share, test->p);
    else if (least > sure)
        buf_format(out, "; too few seeds to say whether by chance: of %zu and %zu p is at least %.2g\n", leader->count,
                   other->count, least);
    else
        buf_format(out, "%s: in %.0f %% of the pairs (p = %.2g)\n", level ? "" : " by no more than chance may be",
                   100 * test->share, test->p);
}

static bool are_level(const struct compared_group *leader, const struct compared_group *other, enum effort effort,
                      double passed, const struct rank_sum *test)
{
    return test->share == 0.5 &&
           comparison_standing(leader, effort, passed).median == comparison_standing(other, effort, passed).median;
}

static void add_verdicts(const struct compared *compared, enum effort effort, struct buf *out)
{
    char text[64];
    double passed = comparison_common(compared, effort);
    struct rank_sum *tests = MEM_ARRAY(struct rank_sum, compared->count);
    size_t leader = comparison_test(compared, effort, passed, tests);
    const struct compared_group *first = &compared->items[leader];
    buf_format(out, "  After %s, which all have spent:\n", comparison_show_effort(effort, passed, text, sizeof text));
    if (isnan(comparison_standing(first, effort, passed).median))
        buf_text(out, "    half of the seeds of each have no value yet\n");
    else
        for (size_t i = 0; i < compared->count; i++)
            if (i != leader)
                add_verdict(first, &compared->items[i], &tests[i],
                            are_level(first, &compared->items[i], effort, passed, &tests[i]), compared->count - 1, out);
    free(tests);
}

/* --- the table --- */

static void add_standing(struct text_table *table, const struct compared_group *group, enum effort effort,
                         double passed)
{
    char median[32], low[32], high[32];
    struct standing_at at = comparison_standing(group, effort, passed);
    if (isnan(at.median))
        table_cell(table, TINT_QUIET, "-");
    else if (group->count == 1)
        table_cell(table, TINT_NONE, format_number(at.median, median, sizeof median));
    else
        table_print(table, TINT_NONE, "%s  %s .. %s", format_number(at.median, median, sizeof median),
                    format_number(at.low, low, sizeof low),
                    isnan(at.high) ? "none" : format_number(at.high, high, sizeof high));
}

static void add_table(const struct compared *compared, const struct look *look, struct buf *out)
{
    char text[64];
    struct text_table *table = table_create();
    table_column(table, "", false);
    table_column(table, "seeds", true);
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        table_column(table, comparison_show_effort(effort, comparison_common(compared, effort), text, sizeof text),
                     false);
    for (size_t i = 0; i < compared->count; i++) {
        table_print(table, TINT_NONE, "%c %s", (int)('A' + i % 26), compared->items[i].name);
        table_print(table, TINT_NONE, "%zu", compared->items[i].count);
        for (enum effort effort = 0; effort < EFFORTS; effort++)
            add_standing(table, &compared->items[i], effort, comparison_common(compared, effort));
    }
    table_draw(table, look, out);
    table_destroy(table);
}

/* --- the bests --- */

static void add_param_row(const struct compared *compared, const char *name, struct text_table *table)
{
    size_t which;
    struct buf text = {0};
    format_safe(name, &text);
    table_cell(table, TINT_NONE, buf_str(&text));
    for (size_t i = 0; i < compared->count; i++) {
        json_t *value = comparison_best_param(comparison_best_seed(&compared->items[i], &which), name);
        buf_clear(&text);
        format_scalar(value, &text);
        table_cell(table, TINT_NONE, buf_str(&text));
        json_decref(value);
    }
    buf_fini(&text);
}

static void add_bests(const struct compared *compared, const struct look *look, struct buf *out)
{
    json_t *names = comparison_param_names(compared), *unused;
    const char *name;
    char number[32];
    struct text_table *table = table_create();
    table_column(table, "", false);
    for (size_t i = 0; i < compared->count; i++)
        table_column(table, compared->items[i].name, true);
    table_cell(table, TINT_NONE, compared->items[0].seeds[0].metrics[0].name);
    for (size_t i = 0; i < compared->count; i++) {
        size_t which;
        const struct trial_data *best = comparison_best_seed(&compared->items[i], &which);
        table_cell(table, TINT_STRONG, best ? format_number(comparison_best(best)->value, number, sizeof number) : "-");
    }
    table_cell(table, TINT_NONE, "trial");
    for (size_t i = 0; i < compared->count; i++) {
        size_t which = 0;
        const struct trial_data *best = comparison_best_seed(&compared->items[i], &which);
        if (best)
            table_print(table, TINT_NONE, "%s/%llu", compared->items[i].experiments[which],
                        (unsigned long long)best->trials[comparison_best(best)->at].trial);
        else
            table_cell(table, TINT_NONE, "-");
    }
    json_object_foreach(names, name, unused) add_param_row(compared, name, table);
    table_draw(table, look, out);
    table_destroy(table);
    json_decref(names);
}

void comparison_describe(const struct compared *compared, enum effort over, const struct look *look, struct buf *out)
{
    const struct trial_metric *metric = &compared->items[0].seeds[0].metrics[0];
    buf_text(out, "The best ");
    format_safe(metric->name, out);
    buf_format(out, " so far (%s), by the median of the seeds", metric->maximize ? "maximize" : "minimize");
    comparison_chart(compared, over, look, out);
    look_heading(look, "After the same effort: median, quartiles of the seeds", out);
    add_table(compared, look, out);
    look_heading(look, "Who is better (Mann-Whitney U, two-sided; Holm's correction where there are several)", out);
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        add_verdicts(compared, effort, out);
    look_heading(look, "The best trial of each", out);
    add_bests(compared, look, out);
}
