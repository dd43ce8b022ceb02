/* The section "What bounded it" of a profile: of a trial a sentence and its advice, of an experiment a row a verdict.
 */
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

static void add_row(struct text_table *table, const json_t *row, double sum)
{
    char text[32];
    struct buf runs = {0}, share = {0};
    double seconds = seconds_of(row, "seconds");
    buf_format(&runs, "%lld", (long long)json_integer_value(json_object_get(row, "runs")));
    buf_format(&share, "%.0f %%", sum > 0 ? 100 * seconds / sum : 0);
    table_cell(table, TINT_NONE, json_text(row, "verdict"));
    table_cell(table, TINT_NONE, buf_str(&runs));
    table_cell(table, TINT_NONE, units_show_duration(seconds, text, sizeof text));
    table_cell(table, TINT_NONE, buf_str(&share));
    buf_fini(&runs);
    buf_fini(&share);
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
    size_t index;
    const json_t *row;
    look_heading(look, "What bounded the runs", out);
    table_columns(table, "bounded by|>runs|>time|>share");
    json_array_foreach((json_t *)verdicts, index, row) add_row(table, row, sum);
    table_draw(table, look, out);
    table_destroy(table);
    draw_advice(verdicts, sum, out);
}

void profile_verdict_draw(const json_t *page, const struct look *look, struct buf *out)
{
    const json_t *one = json_object_get(page, "verdict"), *all = json_object_get(page, "verdicts");
    if (json_is_object(one))
        draw_one(one, look, out);
    if (json_array_size(all))
        draw_all(all, look, out);
}
