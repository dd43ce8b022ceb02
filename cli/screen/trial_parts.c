/* The parts of a trial's page but for its curve; see trial_parts.h. */
#include "cli/screen/trial_parts.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/endings.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the summary --- */

/* "it ran out of memory: ...", "runs on n01, slot 3: step 12, for 4m, about 6m left". */
static void draw_state(struct trial_sheet *sheet)
{
    struct buf line = {0};
    char text[32];
    double seconds;
    const char *node = json_text(sheet->trial, "node"), *detail = json_text(sheet->trial, "detail");
    int ending = ending_named(json_text(sheet->trial, "reason"));
    bool runs = strcmp(json_text(sheet->trial, "state"), "running") == 0;
    buf_text(&line, ending >= 0 ? ending_sentence((enum ending)ending) : runs ? "it runs" : "it waits for its turn");
    if (*detail)
        buf_format(&line, ": %s", detail);
    if (*node)
        buf_format(&line, "; on %s, slot %" JSON_INTEGER_FORMAT, node,
                   json_integer_value(json_object_get(sheet->trial, "slot")));
    if (json_number(sheet->trial, "seconds", &seconds))
        buf_format(&line, "; %s%s", runs ? "for " : "took ", units_show_duration(seconds, text, sizeof text));
    if (json_is_true(json_object_get(sheet->trial, "ignored")))
        buf_text(&line, "; it is ignored");
    sheet_line(sheet, TINT_NONE, buf_str(&line));
    buf_fini(&line);
}

/* "loss 0.31 at step 12; the best is 0.07 (trial 118)". */
static void draw_value(struct trial_sheet *sheet)
{
    struct buf line = {0};
    const json_t *value = json_object_get(sheet->trial, "value"), *step = json_object_get(sheet->trial, "step");
    json_int_t best = json_integer_value(json_object_get(sheet->best, "trial"));
    bool has = value && !json_is_null(value);
    buf_format(&line, "%s ", json_text(sheet->section, "metric"));
    format_scalar(value, &line);
    if (has && json_is_integer(step))
        buf_format(&line, " at step %" JSON_INTEGER_FORMAT, json_integer_value(step));
    if (best && best == json_integer_value(json_object_get(sheet->trial, "trial"))) {
        buf_text(&line, ": the best of all");
    } else if (best) {
        buf_text(&line, "; the best is ");
        format_scalar(json_object_get(sheet->best, "value"), &line);
        buf_format(&line, " (trial %" JSON_INTEGER_FORMAT ", b)", best);
    }
    sheet_line(sheet, TINT_STRONG, buf_str(&line));
    buf_fini(&line);
}

static void draw_param(struct trial_sheet *sheet, const char *name, const json_t *value, const json_t *best)
{
    struct buf mine = {0}, others = {0};
    unsigned width = sheet->area.columns, first = width * 2 / 5, second = first + (width - first - 2) / 2;
    bool differs = sheet->best && !json_is_null(sheet->best) && !(value && best && json_equal(value, best));
    struct area cell = sheet->area;
    format_scalar(value, &mine);
    format_scalar(best, &others);
    cell.columns = first - 1;
    canvas_text(sheet->canvas, cell, sheet->row, 0, differs ? TINT_WARN : TINT_NONE, differs ? "*" : " ");
    canvas_text(sheet->canvas, cell, sheet->row, 2, TINT_NONE, name);
    cell.columns = second - 1;
    canvas_text(sheet->canvas, cell, sheet->row, first, differs ? TINT_WARN : TINT_NONE, buf_str(&mine));
    canvas_text(sheet->canvas, sheet->area, sheet->row, second, TINT_QUIET, buf_str(&others));
    sheet_line(sheet, TINT_NONE, "");
    buf_fini(&mine);
    buf_fini(&others);
}

static void draw_params(struct trial_sheet *sheet)
{
    json_t *params = json_object_get(sheet->trial, "params"), *best = json_object_get(sheet->best, "params"), *value;
    unsigned width = sheet->area.columns, first = width * 2 / 5, second = first + (width - first - 2) / 2;
    const char *name;
    canvas_text(sheet->canvas, sheet->area, sheet->row + 1, first, TINT_QUIET, "this one");
    canvas_text(sheet->canvas, sheet->area, sheet->row + 1, second, TINT_QUIET, "the best");
    sheet_heading(sheet, "Parameters");
    json_object_foreach(params, name, value) draw_param(sheet, name, value, json_object_get(best, name));
    json_object_foreach(best, name, value)
    {
        if (!json_object_get(params, name))
            draw_param(sheet, name, NULL, value);
    }
}

static void draw_metrics(struct trial_sheet *sheet)
{
    json_t *metrics = json_object_get(sheet->trial, "metrics"), *value;
    const char *name;
    struct buf line = {0};
    json_object_foreach(metrics, name, value)
    {
        buf_text(&line, line.length ? ", " : "");
        buf_format(&line, "%s ", name);
        format_scalar(value, &line);
    }
    if (json_object_size(metrics) > 1) {
        sheet_heading(sheet, "Metrics");
        sheet_line(sheet, TINT_NONE, buf_str(&line));
    }
    buf_fini(&line);
}

void trial_command(const struct model *model, struct buf *out)
{
    const char *programs = model->programs ? model->programs : "";
    for (const char *at = json_text(model->sections[SECTION_TRIAL].value, "command"); *at; at++)
        if (*at == '\001')
            buf_text(out, programs);
        else
            buf_add(out, at, 1);
}

static void draw_command(struct trial_sheet *sheet)
{
    struct buf command = {0};
    trial_command(sheet->model, &command);
    if (command.length) {
        sheet_heading(sheet, "Train it again");
        sheet_line(sheet, TINT_NONE, buf_str(&command));
    }
    buf_fini(&command);
}

static const json_t *last_of(const json_t *list)
{
    size_t count = json_array_size(list);
    return count ? json_array_get(list, count - 1) : NULL;
}

/* What it said at last, or early stopping of it, and what may be done now. */
static void draw_end(struct trial_sheet *sheet)
{
    int state = trial_state_named(json_text(sheet->trial, "state"));
    const char *tail = json_text(last_of(json_object_get(sheet->trial, "runs")), "tail");
    size_t length;
    const char *words = format_last_line(tail, &length);
    if (state == TRIAL_STOPPED && !*json_text(sheet->trial, "detail"))
        sheet_line(sheet, TINT_WARN, json_text(last_of(json_object_get(sheet->trial, "decisions")), "why"));
    if (state != TRIAL_FAILED)
        return;
    if (length)
        sheet_print(sheet, TINT_BAD, "its last words: %.*s", (int)(length < 600 ? length : 600), words);
    if (!sheet->model->view.read_only)
        sheet_line(sheet, TINT_NONE,
                   "R tries it again, I takes it out of the count; Tab shows its attempts and output");
}

void trial_draw_summary(struct trial_sheet *sheet)
{
    const char *verdict = json_text(sheet->section, "verdict");
    draw_value(sheet);
    draw_state(sheet);
    draw_end(sheet);
    if (*verdict)
        sheet_print(sheet, TINT_NONE, "%s (Time)", verdict);
    draw_params(sheet);
    draw_metrics(sheet);
    draw_command(sheet);
}

/* --- where the time went --- */

static double sum_seconds(json_t *profile)
{
    double sum = 0, seconds;
    const char *name;
    json_t *phase;
    json_object_foreach(profile, name, phase)
    {
        if (strcmp(name, "queue") != 0 && json_number(phase, "seconds", &seconds))
            sum += seconds;
    }
    return sum;
}

static void draw_phase(struct trial_sheet *sheet, const char *name, const json_t *phase, double sum)
{
    enum { NAME = 14, SECONDS = 9, SHARE = 6 };
    double seconds = 0;
    char text[32], share[16];
    bool queue = strcmp(name, "queue") == 0; /* nothing ran then */
    unsigned at = NAME + SECONDS + SHARE + 3, width = sheet->area.columns > at ? sheet->area.columns - at : 0;
    json_number(phase, "seconds", &seconds);
    snprintf(share, sizeof share, "%.0f %%", sum > 0 ? 100 * seconds / sum : 0);
    canvas_text(sheet->canvas, (struct area){0, 0, sheet->area.rows, NAME}, sheet->row, 0, TINT_NONE, name);
    canvas_right(sheet->canvas, sheet->area, sheet->row, NAME + 1, SECONDS, TINT_NONE,
                 units_show_duration(seconds, text, sizeof text));
    if (!queue) {
        canvas_right(sheet->canvas, sheet->area, sheet->row, NAME + SECONDS + 1, SHARE, TINT_NONE, share);
        canvas_bar(sheet->canvas, sheet->area, sheet->row, at, width, sum > 0 ? seconds / sum : 0, TINT_BUSY);
    }
    sheet_line(sheet, TINT_NONE, "");
}

void trial_draw_time(struct trial_sheet *sheet)
{
    json_t *profile = json_object_get(sheet->trial, "profile"), *phase;
    const char *name, *verdict = json_text(sheet->section, "verdict"), *advice = json_text(sheet->section, "advice");
    double sum = sum_seconds(profile);
    if (*verdict)
        sheet_line(sheet, TINT_STRONG, verdict);
    if (*advice)
        sheet_line(sheet, TINT_NONE, advice);
    if (!json_object_size(profile))
        sheet_line(sheet, TINT_QUIET, "No times are known of it yet.");
    else if (sheet->row)
        sheet_line(sheet, TINT_NONE, "");
    json_object_foreach(profile, name, phase) draw_phase(sheet, name, phase, sum);
}

/* --- the attempts --- */

static void draw_attempt(struct trial_sheet *sheet, const json_t *run)
{
    struct buf line = {0};
    char text[32];
    double seconds;
    const json_t *memory = json_object_get(run, "peak_memory");
    const char *reason = json_text(run, "reason"), *detail = json_text(run, "detail"), *tail = json_text(run, "tail");
    int ending = ending_named(reason);
    bool bad = ending >= 0 && ending_state((enum ending)ending) == TRIAL_FAILED;
    buf_format(&line, "%" JSON_INTEGER_FORMAT "  %s", json_integer_value(json_object_get(run, "attempt")),
               *reason ? reason : "runs");
    if (*json_text(run, "node"))
        buf_format(&line, ", on %s, slot %" JSON_INTEGER_FORMAT, json_text(run, "node"),
                   json_integer_value(json_object_get(run, "slot")));
    if (json_number(run, "seconds", &seconds))
        buf_format(&line, ", %s", units_show_duration(seconds, text, sizeof text));
    if (json_integer_value(memory) > 0) /* nothing of one that was too short to be looked at */
        buf_format(&line, ", %s", units_show_size((uint64_t)json_integer_value(memory), text, sizeof text));
    if (*json_text(run, "job"))
        buf_format(&line, ", job %s", json_text(run, "job"));
    sheet_line(sheet, bad ? TINT_BAD : TINT_STRONG, buf_str(&line));
    buf_fini(&line);
    if (ending >= 0)
        sheet_print(sheet, TINT_NONE, "   %s%s%s", ending_sentence((enum ending)ending), *detail ? ": " : "", detail);
    if (*tail)
        sheet_line(sheet, TINT_QUIET, "   its last words:");
    sheet_text(sheet, TINT_NONE, tail);
}

void trial_draw_attempts(struct trial_sheet *sheet)
{
    json_t *runs = json_object_get(sheet->trial, "runs"), *run;
    size_t index;
    if (!json_array_size(runs))
        sheet_line(sheet, TINT_QUIET, "It has not run.");
    json_array_foreach(runs, index, run) draw_attempt(sheet, run);
}

/* --- its output and files --- */

/* Who looks by a pass is shown neither: whether that is so. */
static bool draw_closed(struct trial_sheet *sheet)
{
    bool closed = json_is_true(json_object_get(sheet->section, "closed"));
    if (closed)
        sheet_line(sheet, TINT_QUIET, "Outputs and files of trials are not shown by a pass; its owner can read them.");
    return closed;
}

void trial_draw_output(struct trial_sheet *sheet)
{
    const char *out = json_text(sheet->section, "stdout"), *errors = json_text(sheet->section, "stderr");
    if (draw_closed(sheet))
        return;
    if (!*out && !*errors)
        sheet_line(sheet, TINT_QUIET, "It has written nothing.");
    if (*errors)
        sheet_heading(sheet, "stderr");
    sheet_text(sheet, TINT_NONE, errors);
    if (*out)
        sheet_heading(sheet, "stdout");
    sheet_text(sheet, TINT_NONE, out);
}

void trial_draw_files(struct trial_sheet *sheet)
{
    const json_t *files = json_object_get(sheet->section, "files"), *file;
    char text[32];
    size_t index;
    if (draw_closed(sheet))
        return;
    sheet_line(sheet, TINT_NONE, json_text(sheet->section, "directory"));
    if (!json_array_size(files))
        sheet_line(sheet, TINT_QUIET, "It has no files.");
    json_array_foreach((json_t *)files, index, file)
    {
        json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
        if (json_is_true(json_object_get(file, "directory")))
            sheet_print(sheet, TINT_NONE, "%10s  %s/", "", json_text(file, "name"));
        else
            sheet_print(sheet, TINT_NONE, "%10s  %s",
                        units_show_size(bytes > 0 ? (uint64_t)bytes : 0, text, sizeof text), json_text(file, "name"));
    }
    draw_command(sheet);
}
