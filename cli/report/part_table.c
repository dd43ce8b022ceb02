/* The table of trials: the best ones as HTML, all for the script as JSON; see part.h. */
#include "cli/report/part.h"

#include "cli/format.h"
#include "cli/json.h"
#include "cli/plot/values.h"
#include "common/json.h"
#include "common/markup.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 60 }; /* without a script */

/* Trials in the order in which they are listed: the best ones first, then those without a value by number. */
static uint32_t *list_trials(const struct trial_data *data, size_t *count)
{
    size_t ranked, next;
    uint32_t *ranks = values_ranks(data, &ranked), *list = MEM_ARRAY(uint32_t, data->count + 1);
    next = ranked;
    for (size_t i = 0; i < data->count; i++)
        list[ranks[i] == UINT32_MAX ? next++ : ranks[i]] = (uint32_t)i;
    free(ranks);
    *count = data->count < REPORT_TRIALS ? data->count : REPORT_TRIALS;
    return list;
}

/* --- as HTML --- */

static void add_head(const char *name, bool number, struct buf *out)
{
    buf_text(out, number ? "<th class=\"n\">" : "<th>");
    markup_text(name, out);
    buf_text(out, "</th>");
}

static void add_cell(const char *text, bool number, struct buf *out)
{
    buf_text(out, number ? "<td class=\"n\">" : "<td>");
    markup_text(text, out);
    buf_text(out, "</td>");
}

static void add_number(double value, struct buf *out)
{
    char number[32];
    add_cell(isnan(value) ? "" : format_number(value, number, sizeof number), true, out);
}

static void add_heads(const struct trial_data *data, struct buf *out)
{
    buf_text(out, "<thead><tr>");
    add_head("trial", true, out);
    add_head("state", false, out);
    for (size_t i = 0; i < data->metric_count; i++)
        add_head(data->metrics[i].name, true, out);
    add_head("seconds", true, out);
    add_head("step", true, out);
    for (size_t i = 0; i < data->param_count; i++)
        add_head(data->params[i].name, !data->params[i].level_count, out);
    buf_text(out, "</tr></thead>\n");
}

static double metric_of(const struct trial_data *data, size_t metric, size_t at)
{
    return metric == 0 ? data->trials[at].value : data->metrics[metric].values[at];
}

static void add_row(const struct trial_data *data, size_t at, struct buf *out)
{
    const struct trial_point *point = &data->trials[at];
    char number[32];
    buf_format(out, "<tr data-t=\"%" PRIu64 "\">", point->trial);
    snprintf(number, sizeof number, "%" PRIu64, point->trial);
    add_cell(number, true, out);
    add_cell(trial_state_name(point->state), false, out);
    for (size_t i = 0; i < data->metric_count; i++)
        add_number(metric_of(data, i, at), out);
    add_number(point->seconds, out);
    add_number(point->step ? (double)point->step : NAN, out);
    for (size_t i = 0; i < data->param_count; i++) {
        double value = data->params[i].values[at];
        if (data->params[i].level_count)
            add_cell(isnan(value) ? "" : data->params[i].levels[(size_t)value], false, out);
        else
            add_number(value, out);
    }
    buf_text(out, "</tr>\n");
}

void part_table(const struct report *report, struct buf *out)
{
    const struct trial_data *data = &report->subjects[0].data;
    size_t count;
    uint32_t *list = list_trials(data, &count);
    buf_text(out, "<section id=\"trials\">\n<h2>Trials</h2>\n");
    buf_text(out, "<div class=\"tools script\"><input id=\"filter\" type=\"search\" aria-label=\"Filter\" "
                  "placeholder=\"Filter: words, or state=failed lr&lt;0.01\"><span id=\"count\" class=\"quiet small\">"
                  "</span></div>\n");
    if (data->count > count)
        buf_format(out, "<p class=\"quiet small\">The best %zu of %zu trials are listed.</p>\n", count, data->count);
    if (count > SHOWN)
        buf_format(out,
                   "<noscript><p class=\"quiet small\">The best %d are shown; with scripts all can be "
                   "listed.</p></noscript>\n",
                   SHOWN);
    buf_text(out, "<div class=\"wide\"><table id=\"table\">\n");
    add_heads(data, out);
    buf_text(out, "<tbody>\n");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        add_row(data, list[i], out);
    buf_text(out, "</tbody></table></div>\n<div class=\"tools script\"><button type=\"button\" class=\"plain\" "
                  "id=\"more\" hidden>Show more</button></div>\n</section>\n");
    free(list);
}

/* --- as JSON --- */

/* Nothing of it ends the element that it stands in. */
static void add_json_text(const char *text, struct buf *out)
{
    json_t *json = json_of_text(text);
    struct buf plain = {0};
    json_add(json, &plain);
    for (const char *at = buf_str(&plain); *at; at++)
        if (*at == '<' || *at == '>' || *at == '&')
            buf_format(out, "\\u%04x", (unsigned)*at);
        else
            buf_add(out, at, 1);
    buf_fini(&plain);
    json_decref(json);
}

static void add_json_number(double value, struct buf *out)
{
    if (isfinite(value))
        buf_format(out, ",%.6g", value);
    else
        buf_text(out, ",null");
}

static void add_column(const char *name, const struct trial_param *param, struct buf *out)
{
    buf_text(out, ",\n{\"name\":");
    add_json_text(name, out);
    if (param && param->level_count) {
        buf_text(out, ",\"levels\":[");
        for (size_t i = 0; i < param->level_count; i++) {
            buf_text(out, i ? "," : "");
            add_json_text(param->levels[i], out);
        }
        buf_text(out, "]");
    }
    buf_text(out, "}");
}

static void add_columns(const struct trial_data *data, struct buf *out)
{
    buf_text(out, "{\"columns\":[{\"name\":\"trial\"},\n{\"name\":\"state\",\"levels\":[");
    for (int i = 0; i < TRIAL_STATES; i++)
        buf_format(out, "%s\"%s\"", i ? "," : "", trial_state_name((enum trial_state)i));
    buf_text(out, "]}");
    for (size_t i = 0; i < data->metric_count; i++)
        add_column(data->metrics[i].name, NULL, out);
    buf_text(out, ",\n{\"name\":\"seconds\"},{\"name\":\"step\"}");
    for (size_t i = 0; i < data->param_count; i++)
        add_column(data->params[i].name, &data->params[i], out);
    buf_text(out, "],\n\"rows\":[");
}

void part_table_data(const struct report *report, struct buf *out)
{
    const struct trial_data *data = &report->subjects[0].data;
    size_t count;
    uint32_t *list = list_trials(data, &count);
    buf_text(out, "<script type=\"application/json\" id=\"data\">");
    add_columns(data, out);
    for (size_t i = 0; i < count; i++) {
        const struct trial_point *point = &data->trials[list[i]];
        buf_format(out, "%s\n[%" PRIu64 ",%u", i ? "," : "", point->trial, (unsigned)point->state);
        for (size_t j = 0; j < data->metric_count; j++)
            add_json_number(metric_of(data, j, list[i]), out);
        add_json_number(point->seconds, out);
        add_json_number(point->step ? (double)point->step : NAN, out);
        for (size_t j = 0; j < data->param_count; j++)
            add_json_number(data->params[j].values[list[i]], out);
        buf_text(out, "]");
    }
    buf_text(out, "]}</script>\n");
    free(list);
}
