/* The table of operations, the slowest first; see profile_sections.h.
 *
 *      share    time  calls  average    min     max  GFLOP/s  GB/s  operation
 *     31.1 %   116ms    100   1.16ms  150us  8.74ms     28.5  1.10  convolution backward weights
 */
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/profile_sections.h"
#include "cli/view/table.h"
#include "common/units.h"

#include <stdbool.h>
#include <string.h>

/* With three digits: of calls that take as long the digits behind the first one matter. */
static void add_duration(struct text_table *table, const json_t *row, const char *member)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    double seconds = 0;
    size_t unit = 0;
    bool known = json_number(row, member, &seconds);
    while (unit < 3 && seconds < units[unit].seconds)
        unit++;
    if (known)
        table_print(table, TINT_NONE, "%.3g%s", seconds / units[unit].seconds, units[unit].name);
    else
        table_cell(table, TINT_NONE, "-");
}

static void add_rate(struct text_table *table, const json_t *row, const char *member)
{
    double rate;
    if (json_number(row, member, &rate))
        table_print(table, TINT_NONE, rate < 10 ? "%.2f" : "%.1f", rate);
    else
        table_cell(table, TINT_NONE, "-");
}

static bool is_on_gpu(const json_t *row)
{
    return strcmp(json_text(row, "place"), "gpu") == 0;
}

static void add_timed(struct text_table *table, const json_t *row, double share, bool has_places)
{
    table_print(table, TINT_NONE, "%.1f %%", 100 * share);
    add_duration(table, row, "seconds");
    table_print(table, TINT_NONE, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, "timed")));
    add_duration(table, row, "average");
    add_duration(table, row, "min");
    add_duration(table, row, "max");
    add_rate(table, row, "gflops_per_second");
    add_rate(table, row, "gbytes_per_second");
    if (has_places)
        table_cell(table, TINT_NONE, is_on_gpu(row) ? "gpu" : "cpu");
    table_cell(table, TINT_NONE, json_text(row, "operation"));
}

/* Those that were timed. */
static void draw_timed(const json_t *list, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    size_t index;
    json_t *row;
    double share;
    bool has_places = false;
    json_array_foreach((json_t *)list, index, row) has_places |= is_on_gpu(row);
    table_columns(table, has_places ? ">share|>time|>calls|>average|>min|>max|>GFLOP/s|>GB/s|place|operation"
                                    : ">share|>time|>calls|>average|>min|>max|>GFLOP/s|>GB/s|operation");
    json_array_foreach((json_t *)list, index, row) if (json_number(row, "share", &share))
        add_timed(table, row, share, has_places);
    table_finish(table, look, out);
}

/* "The 3 steps that were timed took 1.2s, 96 % of it in these operations." */
static void draw_steps(const json_t *page, struct buf *out)
{
    const json_t *steps = json_object_get(page, "steps"), *row;
    double whole, seconds, sum = 0;
    char text[32];
    size_t index;
    json_array_foreach(json_object_get(page, "operations"), index, row) sum +=
        json_number(row, "seconds", &seconds) ? seconds : 0;
    if (!json_number(steps, "seconds", &whole) || !(whole > 0))
        return;
    buf_text(out, "  ");
    format_count((uint64_t)json_integer_value(json_object_get(steps, "timed")), "step", out);
    buf_format(out, " took %s, %.0f %% of it in these operations\n", units_show_duration(whole, text, sizeof text),
               100 * sum / whole);
}

/* What is not known of a program's work on GPUs, and why. */
static void draw_unknown(const json_t *page, struct buf *out)
{
    const char *why = json_string_value(json_object_get(page, "gpu_unknown"));
    const char *what = json_array_size(json_object_get(page, "operations")) ? "not all is known" : "not known";
    if (why)
        buf_format(out, "  Of its work on GPUs %s: %s\n", what, why);
}

/* The operations whose time times room is largest. */
static void draw_first(const json_t *list, struct buf *out)
{
    enum { NAMED = 3 };
    const double least = 0.05; /* of the time of all */
    const json_t *taken[NAMED] = {NULL};
    size_t index;
    json_t *row;
    for (int n = 0; n < NAMED; n++) {
        double best = least, share, room;
        json_array_foreach((json_t *)list, index, row)
        {
            bool is_new = row != taken[0] && row != taken[1];
            if (!is_new || !json_number(row, "share", &share) || !json_number(row, "room", &room) ||
                share * room <= best)
                continue;
            best = share * room;
            taken[n] = row;
        }
        if (!taken[n])
            break;
        json_number(taken[n], "room", &room);
        buf_format(out, "%s%s (%.0f %%)", n ? ", " : "  Optimise these first: ", json_text(taken[n], "operation"),
                   100 * best);
    }
    if (taken[0])
        buf_text(out, "; in brackets what of the time they would save at the best rates in this table\n");
}

/* In thousands of millions. */
static void add_amount(struct text_table *table, const json_t *row, const char *member)
{
    double amount;
    if (json_number(row, member, &amount))
        table_print(table, TINT_NONE, "%.3f", amount / 1e9);
    else
        table_cell(table, TINT_NONE, "-");
}

/* Where none was timed: calls and amounts. */
static void draw_counts(const json_t *list, const struct look *look, struct buf *out)
{
    look_heading(look, "Operations", out);
    struct text_table *table = table_create();
    size_t index;
    json_t *row;
    table_columns(table, ">calls|>GFLOP|>GB|operation");
    json_array_foreach((json_t *)list, index, row)
    {
        table_print(table, TINT_NONE, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, "calls")));
        add_amount(table, row, "flops");
        add_amount(table, row, "bytes");
        table_cell(table, TINT_NONE, json_text(row, "operation"));
    }
    table_finish(table, look, out);
    buf_text(out, "  They were counted and not timed: profile: {operations: true} in the experiment file, or "
                  "gannet rerun EXP/TRIAL --operations\n");
}

static bool is_timed(const json_t *list)
{
    size_t index;
    json_t *row;
    json_array_foreach((json_t *)list, index, row) if (json_is_number(json_object_get(row, "share"))) return true;
    return false;
}

void profile_operations_draw(const json_t *page, const struct look *look, struct buf *out)
{
    const json_t *list = json_object_get(page, "operations");
    bool timed = is_timed(list);
    if (!timed && !json_is_string(json_object_get(page, "gpu_unknown")))
        return;
    look_heading(look, "Operations", out);
    if (timed)
        draw_timed(list, look, out);
    draw_steps(page, out);
    draw_first(list, out);
    draw_unknown(page, out);
}

void profile_operations_draw_alone(const json_t *page, const struct look *look, struct buf *out)
{
    const json_t *list = json_object_get(page, "operations");
    if (is_timed(list) || json_is_string(json_object_get(page, "gpu_unknown")))
        profile_operations_draw(page, look, out);
    else if (json_array_size(list))
        draw_counts(list, look, out);
    else
        buf_text(out, "No operations are known: those of a kernel's trial are when it ends; of a program those on GPUs "
                      "are counted, by "
                      "resources: {gpus: 1} and profile: {operations: true}\n");
}
