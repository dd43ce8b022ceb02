/* The section "What bounded it" of a profile: of a trial a sentence and its advice, of an experiment a row a verdict,
 * a parameter that they go with, and a trial that is fast and good. */
#include "cli/view/profile_sections.h"

#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/table.h"
#include "common/units.h"

#include <string.h>

/* What is worth a person's time is said for verdicts that took so much of the time of all runs. */
static const double worth_advice = 0.1;

static void draw_one(const json_t *verdict, const struct look *look, struct buf *out)
{
    look_heading(look, "What bounded it", out);
    buf_format(out, "  %s\n", json_text(verdict, "sentence"));
    if (*json_text(verdict, "advice"))
        buf_format(out, "  %s\n", json_text(verdict, "advice"));
}

static long long count_of(const json_t *row, const char *member)
{
    return (long long)json_integer_value(json_object_get(row, member));
}

static double seconds_of(const json_t *row, const char *member)
{
    double seconds = 0;
    json_number(row, member, &seconds);
    return seconds;
}

static double sum_of(const json_t *verdicts)
{
    double sum = 0;
    size_t index;
    const json_t *row;
    json_array_foreach((json_t *)verdicts, index, row) sum += seconds_of(row, "seconds");
    return sum;
}

/* Where no machine measures energy there are no columns for it. */
static bool knows_joules(const json_t *verdicts)
{
    double joules;
    size_t index;
    const json_t *row;
    json_array_foreach((json_t *)verdicts, index, row) if (json_number(row, "joules", &joules)) return true;
    return false;
}

/* Shares of what the processor or memory can do, of training, and numbers of cores are no time that was lost. */
static bool is_loss(const char *verdict)
{
    static const char *const none[] = {"compute", "memory", "latency", "computing", "underused", "unknown", "program"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(verdict, none[i]) == 0)
            return false;
    return true;
}

/* "12.4 kJ"; "-": it is not known. */
static void add_joules(struct text_table *table, const json_t *row, const char *member, bool is_known)
{
    double joules;
    if (!is_known || !json_number(row, member, &joules))
        table_cell(table, TINT_NONE, "-");
    else if (joules < 1e4)
        table_print(table, TINT_NONE, "%.0f J", joules);
    else if (joules < 1e7)
        table_print(table, TINT_NONE, "%.1f kJ", joules / 1e3);
    else
        table_print(table, TINT_NONE, "%.1f MJ", joules / 1e6);
}

static void add_duration(struct text_table *table, const json_t *row, const char *member, bool is_known)
{
    char text[32];
    double seconds;
    is_known = is_known && json_number(row, member, &seconds);
    table_cell(table, TINT_NONE, is_known ? units_show_duration(seconds, text, sizeof text) : "-");
}

/* "4 of 10": of so many of its runs the joules are known. */
static void add_known(struct text_table *table, const json_t *row)
{
    if (json_is_integer(json_object_get(row, "joules_runs")))
        table_print(table, TINT_NONE, "%lld of %lld", count_of(row, "joules_runs"), count_of(row, "runs"));
    else
        table_cell(table, TINT_NONE, "-"); /* of a coordinator that does not count them */
}

/* `lost`: the share that each verdict says was lost, of the time of its runs; a number of cores says none. */
static void add_row(struct text_table *table, const json_t *row, double sum, bool has_joules)
{
    bool is_lost = is_loss(json_text(row, "verdict"));
    table_cell(table, TINT_NONE, json_text(row, "verdict"));
    table_print(table, TINT_NONE, "%lld", count_of(row, "runs"));
    add_duration(table, row, "seconds", true);
    table_print(table, TINT_NONE, "%.0f %%", sum > 0 ? 100 * seconds_of(row, "seconds") / sum : 0);
    add_duration(table, row, "lost", is_lost);
    if (has_joules) {
        add_joules(table, row, "joules", true);
        add_joules(table, row, "joules_lost", is_lost);
        add_known(table, row);
    }
}

static void draw_advice(const json_t *verdicts, double sum, struct buf *out)
{
    size_t index;
    const json_t *row;
    json_array_foreach((json_t *)verdicts, index, row)
    {
        if (*json_text(row, "advice") && seconds_of(row, "seconds") >= worth_advice * sum)
            buf_format(out, "%s: %s\n", json_text(row, "verdict"), json_text(row, "advice"));
    }
}

static void draw_all(const json_t *verdicts, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    double sum = sum_of(verdicts);
    bool has_joules = knows_joules(verdicts);
    size_t index;
    const json_t *row;
    look_heading(look, "What bounded the runs", out);
    table_columns(table, has_joules ? "bounded by|>runs|>time|>share|>lost|>energy|>energy lost|>energy of runs"
                                    : "bounded by|>runs|>time|>share|>lost");
    json_array_foreach((json_t *)verdicts, index, row) add_row(table, row, sum, has_joules);
    table_draw(table, look, out);
    table_destroy(table);
    draw_advice(verdicts, sum, out);
}

/* "latency: 41 of 44 trials with batch below 32, 2 of the 60 others". */
static void draw_split(const json_t *split, struct buf *out)
{
    if (!json_is_object(split))
        return;
    bool is_equal = strcmp(json_text(split, "is"), "equal") == 0;
    buf_format(out, "%s: %lld of %lld trials with ", json_text(split, "verdict"), count_of(split, "bounded_here"),
               count_of(split, "here"));
    format_safe(json_text(split, "parameter"), out);
    buf_text(out, is_equal ? " " : " below ");
    format_scalar(json_object_get(split, "value"), out);
    buf_format(out, ", %lld of the %lld others\n", count_of(split, "bounded_there"), count_of(split, "there"));
}

/* Nothing when the best trial is the fastest of the good ones. */
static void draw_fastest(const json_t *fastest, struct buf *out)
{
    char mine[32], best[32];
    if (!json_is_object(fastest) || !(seconds_of(fastest, "seconds") < seconds_of(fastest, "best_seconds")))
        return;
    buf_format(out, "fastest within 1 %% of the best value: trial %lld, which took %s; the best trial took %s\n",
               count_of(fastest, "trial"), units_show_duration(seconds_of(fastest, "seconds"), mine, sizeof mine),
               units_show_duration(seconds_of(fastest, "best_seconds"), best, sizeof best));
}

void profile_verdict_draw(const json_t *page, const struct look *look, struct buf *out)
{
    const json_t *one = json_object_get(page, "verdict"), *all = json_object_get(page, "verdicts");
    if (json_is_object(one))
        draw_one(one, look, out);
    if (json_array_size(all))
        draw_all(all, look, out);
    draw_split(json_object_get(page, "split"), out);
    draw_fastest(json_object_get(page, "fastest"), out);
}
