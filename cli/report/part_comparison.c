/* Several experiments: their bests over each axis, distributions, and a table; see part.h. */
#include "cli/report/part.h"

#include "cli/format.h"
#include "cli/json.h"
#include "common/markup.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_cell(const char *text, bool number, struct buf *out)
{
    buf_text(out, number ? "<td class=\"n\">" : "<td>");
    markup_text(text, out);
    buf_text(out, "</td>");
}

static void add_row(const struct trial_data *data, struct buf *out)
{
    char text[64];
    buf_text(out, "<tr>");
    add_cell(data->name, false, out);
    add_cell(json_text(data->experiment, "state"), false, out);
    add_cell(json_text(data->experiment, "strategy"), false, out);
    snprintf(text, sizeof text, "%.0f", data->last.trials);
    add_cell(text, true, out);
    add_cell(data->best_count ? format_number(data->best[data->best_count - 1].value, text, sizeof text) : "-", true,
             out);
    snprintf(text, sizeof text, "%.0f", data->best_count ? data->best[data->best_count - 1].place.trials : 0);
    add_cell(text, true, out);
    add_cell(units_show_duration(data->last.seconds, text, sizeof text), true, out);
    snprintf(text, sizeof text, "%.3g", data->last.core_seconds / 3600);
    add_cell(text, true, out);
    buf_text(out, "</tr>\n");
}

/* Of which more is to come. */
static void add_unfinished(const struct report *report, struct buf *out)
{
    struct buf names = {0};
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(json_text(report->subjects[i].data.experiment, "state"), "ended") != 0)
            buf_format(&names, "%s%s", names.length ? ", " : "", report->subjects[i].data.name);
    if (names.length) {
        buf_text(out, "<p class=\"quiet\">Not ended when this page was written: ");
        markup_text(buf_str(&names), out);
        buf_text(out, ".</p>\n");
    }
    buf_fini(&names);
}

static void add_table(const struct report *report, struct buf *out)
{
    buf_text(out, "<section id=\"searches\">\n<h2>The searches</h2>\n<div class=\"wide\"><table>\n<thead><tr>"
                  "<th>search</th><th>state</th><th>strategy</th><th class=\"n\">trials</th><th class=\"n\">best</th>"
                  "<th class=\"n\">found after trials</th><th class=\"n\">time</th><th class=\"n\">core-hours</th>"
                  "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < report->count; i++)
        add_row(&report->subjects[i].data, out);
    buf_text(out, "</tbody></table></div>\n");
    add_unfinished(report, out);
    buf_text(out, "</section>\n");
}

/* What a search's best trial has of a parameter of that name. */
static void add_value(const struct trial_data *data, const char *name, struct buf *out)
{
    char number[64];
    for (size_t i = 0; i < data->param_count && data->best_count; i++) {
        double value = data->params[i].values[data->best[data->best_count - 1].at];
        if (strcmp(data->params[i].name, name) != 0 || isnan(value))
            continue;
        add_cell(data->params[i].level_count ? data->params[i].levels[(size_t)value]
                                             : format_number(value, number, sizeof number),
                 true, out);
        return;
    }
    add_cell("-", true, out);
}

static bool came_before(const struct report *report, size_t subject, const char *name)
{
    for (size_t i = 0; i < subject; i++)
        for (size_t j = 0; j < report->subjects[i].data.param_count; j++)
            if (strcmp(report->subjects[i].data.params[j].name, name) == 0)
                return true;
    return false;
}

static void add_bests(const struct report *report, struct buf *out)
{
    buf_text(out, "<section id=\"bests\">\n<h2>The best of each</h2>\n<div class=\"wide\"><table>\n<thead><tr>"
                  "<th>parameter</th>");
    for (size_t i = 0; i < report->count; i++) {
        buf_text(out, "<th class=\"n\">");
        markup_text(report->subjects[i].data.name, out);
        buf_text(out, "</th>");
    }
    buf_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < report->count; i++)
        for (size_t j = 0; j < report->subjects[i].data.param_count; j++) {
            const char *name = report->subjects[i].data.params[j].name;
            if (came_before(report, i, name))
                continue;
            buf_text(out, "<tr>");
            add_cell(name, false, out);
            for (size_t k = 0; k < report->count; k++)
                add_value(&report->subjects[k].data, name, out);
            buf_text(out, "</tr>\n");
        }
    buf_text(out, "</tbody></table></div>\n</section>\n");
}

void part_comparison(const struct report *report, struct buf *out)
{
    add_table(report, out);
    part_pictures(report, NULL, out);
    add_bests(report, out);
}
