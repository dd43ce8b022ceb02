/* What stands above all else; see part.h. */
#include "cli/report/part.h"

#include "cli/format.h"
#include "cli/json.h"
#include "common/markup.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_card(const char *class, const char *strong, const char *text, struct buf *out)
{
    buf_format(out, "<div class=\"card%s\"><b>", class);
    markup_text(strong, out);
    buf_text(out, "</b><span>");
    markup_text(text, out);
    buf_text(out, "</span></div>\n");
}

static void add_best_card(const struct trial_data *data, struct buf *out)
{
    char number[32], text[400];
    if (!data->best_count)
        return;
    const struct best_point *best = &data->best[data->best_count - 1];
    snprintf(text, sizeof text, "best %.300s, trial %" PRIu64, data->metrics[0].name, data->trials[best->at].trial);
    add_card(" best", format_number(best->value, number, sizeof number), text, out);
}

static void add_count_cards(const struct trial_data *data, struct buf *out)
{
    size_t states[TRIAL_STATES] = {0};
    char number[32], text[120];
    for (size_t i = 0; i < data->count; i++)
        states[data->trials[i].state]++;
    snprintf(number, sizeof number, "%zu", data->count);
    int length = snprintf(text, sizeof text, "trials: %zu completed", states[TRIAL_COMPLETED]);
    if (states[TRIAL_STOPPED])
        snprintf(text + length, sizeof text - (size_t)length, ", %zu stopped early", states[TRIAL_STOPPED]);
    add_card("", number, text, out);
    size_t alive = states[TRIAL_RUNNING] + states[TRIAL_WAITING] + states[TRIAL_PAUSED];
    if (alive) {
        snprintf(number, sizeof number, "%zu", alive);
        snprintf(text, sizeof text, "not ended: %zu run, %zu wait", states[TRIAL_RUNNING],
                 states[TRIAL_WAITING] + states[TRIAL_PAUSED]);
        add_card("", number, text, out);
    }
    snprintf(number, sizeof number, "%zu", states[TRIAL_FAILED]);
    add_card("", number, states[TRIAL_FAILED] == 1 ? "trial failed" : "trials failed", out);
}

static void add_time_cards(const struct trial_data *data, struct buf *out)
{
    char took[48], hours[48];
    double held = data->last.seconds;
    json_number(data->experiment, "held", &held);
    add_card("", units_show_duration(held, took, sizeof took), "time that it ran", out);
    bool short_time = data->last.core_seconds < 3600;
    snprintf(hours, sizeof hours, "%.1f", data->last.core_seconds / 3600);
    add_card("", short_time ? units_show_duration(data->last.core_seconds, hours, sizeof hours) : hours,
             short_time ? "of cores for ended trials" : "core-hours for ended trials", out);
}

static void add_heading(const char *name, bool switches, struct buf *out)
{
    buf_text(out, "<header><h1>");
    markup_text(name, out);
    buf_text(out, "</h1>");
    if (switches)
        buf_text(out, "<button type=\"button\" class=\"plain script\" id=\"theme\">Light / dark</button>");
    buf_text(out, "</header>\n");
}

/* How it came to its end, or that it goes on. */
static void add_state(const struct trial_data *data, struct buf *out)
{
    const char *state = json_text(data->experiment, "state"), *reason = json_text(data->experiment, "reason");
    const char *started = json_text(data->experiment, "started");
    const char *goal = data->metric_count && data->metrics[0].maximize ? "maximize" : "minimize";
    buf_text(out, "<p class=\"quiet\">");
    markup_text(state, out);
    int known = reason_named(reason);
    if (*reason && strcmp(state, "running") != 0) {
        buf_text(out, ": ");
        markup_text(known >= 0 ? reason_sentence((enum reason)known) : reason, out);
    }
    buf_text(out, "; strategy ");
    markup_text(json_text(data->experiment, "strategy"), out);
    buf_format(out, ", to %s ", goal);
    markup_text(data->metric_count ? data->metrics[0].name : "", out);
    if (strlen(started) > 16) {
        char begun[60];
        snprintf(begun, sizeof begun, ", begun %.10s %.5s UTC", started, started + 11);
        markup_text(begun, out);
    }
    buf_text(out, "</p>\n");
}

void part_headline(const struct report *report, struct buf *out)
{
    const struct trial_data *data = &report->subjects[0].data;
    add_heading(report->count > 1 ? "Comparison of searches" : data->name, report->count == 1, out);
    if (report->count > 1)
        return;
    const char *description = json_text(data->experiment, "description");
    if (*description) {
        buf_text(out, "<p>");
        markup_text(description, out);
        buf_text(out, "</p>\n");
    }
    add_state(data, out);
    buf_text(out, "<div class=\"cards\">\n");
    add_best_card(data, out);
    add_count_cards(data, out);
    add_time_cards(data, out);
    buf_text(out, "</div>\n");
}

void part_fact(const char *name, const char *text, struct buf *out)
{
    if (!text || !*text)
        return;
    buf_text(out, "<tr><th>");
    markup_text(name, out);
    buf_text(out, "</th><td>");
    markup_text(text, out);
    buf_text(out, "</td></tr>\n");
}

static void add_params(const struct trial_data *data, size_t at, struct buf *out)
{
    char number[64];
    for (size_t i = 0; i < data->param_count; i++) {
        double value = data->params[i].values[at];
        if (isnan(value))
            continue;
        part_fact(data->params[i].name,
                  data->params[i].level_count ? data->params[i].levels[(size_t)value]
                                              : format_number(value, number, sizeof number),
                  out);
    }
}

void part_best(const struct report *report, struct buf *out)
{
    const struct trial_data *data = &report->subjects[0].data;
    if (!data->best_count)
        return;
    size_t at = data->best[data->best_count - 1].at;
    buf_format(out, "<section id=\"best\">\n<h2>The best: trial %" PRIu64 "</h2>\n<table class=\"facts\">\n",
               data->trials[at].trial);
    add_params(data, at, out);
    char number[32];
    for (size_t i = 1; i < data->metric_count; i++)
        if (isfinite(data->metrics[i].values[at]))
            part_fact(data->metrics[i].name, format_number(data->metrics[i].values[at], number, sizeof number), out);
    buf_text(out, "</table>\n");
    if (report->command) {
        buf_text(out, "<p>The command that trains it again:</p>\n<pre>");
        markup_text(report->command, out);
        buf_text(out, "</pre>\n");
    }
    buf_text(out, "</section>\n");
}
