/* Running trials; see running.h. */
#include "cli/view/running.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/table.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_running(const json_t *trial)
{
    return strcmp(json_text(trial, "state"), "running") == 0;
}

void running_fill(json_t *trial, const char *metric, double now)
{
    double started = units_time(json_text(trial, "started"));
    json_t *last = json_object_get(json_object_get(trial, "metrics"), metric);
    if (!is_running(trial))
        return;
    if (last)
        json_object_set(trial, "value", last);
    if (isfinite(started)) /* another host's clock may be ahead */
        json_object_set_new(trial, "seconds", json_real(fmax(now - started, 0)));
}

void running_describe(const json_t *trial, const char *metric, struct buf *out)
{
    const json_t *step = json_object_get(trial, "step"), *value = json_object_get(trial, "value");
    const char *separator = "";
    double seconds;
    char text[32];
    if (json_is_integer(step)) {
        buf_format(out, "step %" JSON_INTEGER_FORMAT, json_integer_value(step));
        separator = ", ";
    }
    if (value && !json_is_null(value)) {
        buf_text(out, separator);
        format_safe(metric, out);
        buf_text(out, " ");
        format_scalar(value, out);
        separator = ", ";
    }
    if (json_number(trial, "seconds", &seconds))
        buf_format(out, "%s%s", separator, units_show_duration(seconds, text, sizeof text));
}

static void add_cell(struct text_table *table, const json_t *value)
{
    struct buf text = {0};
    format_scalar(value, &text);
    table_cell(table, TINT_NONE, buf_str(&text));
    buf_fini(&text);
}

void running_draw(const json_t *trials, const char *metric, uint64_t all, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    size_t index, count = json_array_size(trials);
    const json_t *trial;
    double seconds;
    char text[32];
    table_column(table, "running", true);
    table_column(table, "step", true);
    table_column(table, metric, true);
    table_column(table, "for", true);
    json_array_foreach(trials, index, trial)
    {
        add_cell(table, json_object_get(trial, "trial"));
        add_cell(table, json_object_get(trial, "step"));
        add_cell(table, json_object_get(trial, "value"));
        bool known = json_number(trial, "seconds", &seconds);
        table_cell(table, TINT_NONE, known ? units_show_duration(seconds, text, sizeof text) : "-");
    }
    if (count) {
        buf_text(out, "\n");
        table_draw(table, look, out);
    }
    if (count && all > count)
        buf_format(out, "and %" PRIu64 " more; gannet trials --state running shows all\n", all - count);
    table_destroy(table);
}

void running_draw_standstills(const struct snapshot *snapshot, struct buf *out)
{
    for (uint32_t i = 0; i < snapshot->standstill_count; i++) {
        buf_format(out, "trial %llu stands still: ", (unsigned long long)snapshot->standstills[i].trial);
        format_safe(snapshot->standstills[i].text, out);
        buf_text(out, "\n");
    }
}
