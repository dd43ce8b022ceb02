/* Two profiles side by side; see profile_sections.h. */
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/profile_sections.h"
#include "cli/view/table.h"
#include "common/units.h"

#include <string.h>

/* The object of a list whose member `key` is this text, or NULL. */
static const json_t *find_row(const json_t *list, const char *key, const char *name)
{
    size_t index;
    json_t *row;
    json_array_foreach((json_t *)list, index, row) if (strcmp(json_text(row, key), name) == 0) return row;
    return NULL;
}

static double seconds_of(const json_t *row)
{
    double seconds = 0;
    json_number(row, "seconds", &seconds);
    return seconds;
}

static void add_duration(struct text_table *table, const char *sign, double seconds)
{
    char text[32];
    table_print(table, TINT_NONE, "%s%s", sign, units_show_duration(seconds, text, sizeof text));
}

/* Seconds of both, how much more the second took, and how many times as much. */
static void add_row(struct text_table *table, const char *name, double one, double two)
{
    if (!(one > 0) && !(two > 0))
        return;
    table_cell(table, TINT_NONE, name);
    add_duration(table, "", one);
    add_duration(table, "", two);
    add_duration(table, two > one ? "+" : two < one ? "-" : "", two > one ? two - one : one - two);
    if (one > 0)
        table_print(table, TINT_NONE, "%.2f", two / one);
    else
        table_cell(table, TINT_NONE, "-");
}

/* Those of the first list, then those that only the second one has. */
static void add_rows(struct text_table *table, const char *key, const json_t *one, const json_t *two)
{
    size_t index;
    json_t *row;
    json_array_foreach((json_t *)one, index, row)
        add_row(table, json_text(row, key), seconds_of(row), seconds_of(find_row(two, key, json_text(row, key))));
    json_array_foreach((json_t *)two, index, row) if (!find_row(one, key, json_text(row, key)))
        add_row(table, json_text(row, key), 0, seconds_of(row));
}

/* Whether one of them took time: operations that were only counted did not. */
static bool is_timed(const json_t *list)
{
    size_t index;
    json_t *row;
    json_array_foreach((json_t *)list, index, row) if (seconds_of(row) > 0) return true;
    return false;
}

/* "phase|>trial 3|>trial 7". */
static void add_titles(const char *first, const json_t *page, const json_t *other, struct buf *out)
{
    buf_format(out, "%s|>trial %" JSON_INTEGER_FORMAT "|>trial %" JSON_INTEGER_FORMAT, first,
               json_integer_value(json_object_get(page, "trial")), json_integer_value(json_object_get(other, "trial")));
}

/* A table of what both pages have as `list`. */
static void draw_lists(const json_t *page, const json_t *other, const char *list, const char *key,
                       const struct look *look, struct buf *out)
{
    const json_t *one = json_object_get(page, list), *two = json_object_get(other, list);
    if (!is_timed(one) && !is_timed(two))
        return;
    struct text_table *table = table_create();
    struct buf titles = {0};
    add_titles(key, page, other, &titles);
    buf_text(&titles, "|>more|>times");
    table_columns(table, buf_str(&titles));
    add_rows(table, key, one, two);
    buf_text(out, "\n");
    table_finish(table, look, out);
    buf_fini(&titles);
}

/* A parameter; NULL: the trial has none of that name. */
static void add_param(struct text_table *table, const char *name, const json_t *one, const json_t *two)
{
    struct buf text = {0};
    table_cell(table, TINT_NONE, name);
    format_scalar(one, &text);
    table_cell(table, TINT_NONE, buf_str(&text));
    buf_clear(&text);
    format_scalar(two, &text);
    table_cell(table, TINT_NONE, buf_str(&text));
    buf_fini(&text);
}

/* The parameters in which the two differ, and those that one of them has. */
static void draw_params(const json_t *page, const json_t *other, const struct look *look, struct buf *out)
{
    json_t *one = json_object_get(page, "params"), *two = json_object_get(other, "params"), *value;
    struct text_table *table = table_create();
    struct buf titles = {0};
    const char *name;
    add_titles("parameter", page, other, &titles);
    table_columns(table, buf_str(&titles));
    json_object_foreach(one, name, value)
    {
        json_t *its = json_object_get(two, name);
        if (!its || !json_equal(value, its))
            add_param(table, name, value, its);
    }
    json_object_foreach(two, name, value)
    {
        if (!json_object_get(one, name))
            add_param(table, name, NULL, value);
    }
    if ((one || two) && !json_equal(one, two))
        table_draw(table, look, out);
    table_destroy(table);
    buf_fini(&titles);
}

/* What bounded each, "trial 3: 68 % of the time waited for data". */
static void draw_verdict(const json_t *page, struct buf *out)
{
    const json_t *verdict = json_object_get(page, "verdict");
    if (json_is_object(verdict))
        buf_format(out, "trial %" JSON_INTEGER_FORMAT ": %s\n", json_integer_value(json_object_get(page, "trial")),
                   json_text(verdict, "sentence"));
}

void profile_compare_draw(const json_t *page, const json_t *other, const struct look *look, struct buf *out)
{
    draw_params(page, other, look, out);
    draw_lists(page, other, "phases", "phase", look, out);
    draw_lists(page, other, "operations", "operation", look, out);
    buf_text(out, "\n");
    draw_verdict(page, out);
    draw_verdict(other, out);
}
