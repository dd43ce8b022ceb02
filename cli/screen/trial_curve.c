/* The learning curve of a trial's page; see trial_parts.h. */
#include "cli/screen/trial_parts.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/plot/axis.h"
#include "cli/plot/dots.h"
#include "common/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABELS = 10, TICKS = 16, PLOT_ROWS = 14 };

/* The curves, and the axes that they lie in. */
struct curve_plot {
    const json_t *curve, *best; /* [[step, value, time]] */
    struct axis x, y;
    struct dots dots;
};

static bool point_of(const json_t *sample, double *step, double *value)
{
    return json_to_real(json_array_get(sample, 0), step) && json_to_real(json_array_get(sample, 1), value) &&
           isfinite(*step) && isfinite(*value);
}

/* The least and the greatest of both curves. */
static void widen(const json_t *curve, double x[2], double y[2])
{
    size_t index;
    const json_t *sample;
    json_array_foreach((json_t *)curve, index, sample)
    {
        double step, value;
        if (!point_of(sample, &step, &value))
            continue;
        x[0] = fmin(x[0], step);
        x[1] = fmax(x[1], step);
        y[0] = fmin(y[0], value);
        y[1] = fmax(y[1], value);
    }
}

/* Lines from point to point, or the points alone: the two are told apart without colours. */
static void draw_samples(struct curve_plot *plot, const json_t *curve, bool line, enum tint tint)
{
    double before_x = NAN, before_y = NAN;
    size_t index;
    const json_t *sample;
    json_array_foreach((json_t *)curve, index, sample)
    {
        double step, value;
        if (!point_of(sample, &step, &value))
            continue;
        double x = axis_place(&plot->x, step), y = axis_place(&plot->y, value);
        if (line && isfinite(before_x))
            dots_line(&plot->dots, before_x, before_y, x, y, tint);
        dots_point(&plot->dots, x, y, tint);
        before_x = x;
        before_y = y;
    }
}

/* A decision's step; that it went on after a pause is said without, of the step at which it had paused. */
static void note_step(const json_t *decision, double *step)
{
    double number;
    if (json_number(decision, "step", &number))
        *step = number;
}

static bool cut_off_of(const json_t *decision, double *out)
{
    return json_number(decision, "cut_off", out) && isfinite(*out);
}

/* The cut-offs belong to the picture, too. */
static void widen_to_cut_offs(const json_t *decisions, double x[2], double y[2])
{
    size_t index;
    const json_t *decision;
    double step = NAN, cut_off;
    json_array_foreach((json_t *)decisions, index, decision)
    {
        note_step(decision, &step);
        if (!cut_off_of(decision, &cut_off) || isnan(step))
            continue;
        x[0] = fmin(x[0], step);
        x[1] = fmax(x[1], step);
        y[0] = fmin(y[0], cut_off);
        y[1] = fmax(y[1], cut_off);
    }
}

/* A cut-off that it met: a bar across the line at the step. */
static void draw_cut_off(struct curve_plot *plot, double step, double cut_off)
{
    double x = axis_place(&plot->x, step), y = axis_place(&plot->y, cut_off),
           half = 2.0 / plot->dots.columns; /* as wide as four characters */
    dots_line(&plot->dots, fmax(0, x - half), y, fmin(1, x + half), y, TINT_WARN);
}

/* Where early stopping looked at it: a dotted line at the step. */
static void draw_decisions(struct curve_plot *plot, const json_t *decisions)
{
    size_t index;
    const json_t *decision;
    double step = NAN, cut_off;
    json_array_foreach((json_t *)decisions, index, decision)
    {
        note_step(decision, &step);
        for (uint32_t row = 0; row < plot->dots.rows * DOTS_CELL_HEIGHT; row += 2)
            dots_point(&plot->dots, axis_place(&plot->x, step), (row + 0.5) / (plot->dots.rows * DOTS_CELL_HEIGHT),
                       TINT_WARN);
        if (cut_off_of(decision, &cut_off) && isfinite(step))
            draw_cut_off(plot, step, cut_off);
    }
}

static void copy_dots(const struct curve_plot *plot, struct trial_sheet *sheet)
{
    char cell[DOTS_CELL_BYTES];
    for (uint32_t row = 0; row < plot->dots.rows; row++)
        for (uint32_t column = 0; column < plot->dots.columns; column++) {
            dots_cell(&plot->dots, column, row, sheet->canvas->look.unicode, cell);
            if (strcmp(cell, " ") != 0)
                canvas_text(sheet->canvas, sheet->area, sheet->row + row, LABELS + column,
                            dots_tint(&plot->dots, column, row), cell);
        }
}

static void label_axes(const struct curve_plot *plot, struct trial_sheet *sheet)
{
    struct tick ticks[TICKS];
    uint32_t rows = plot->dots.rows;
    size_t count = axis_ticks(&plot->y, rows / 3 + 2 < TICKS ? rows / 3 + 2 : TICKS, ticks);
    for (size_t i = 0; i < count; i++) {
        double place = axis_place(&plot->y, ticks[i].value);
        unsigned row = (unsigned)((1 - place) * (rows - 1) + 0.5);
        canvas_right(sheet->canvas, sheet->area, sheet->row + row, 0, LABELS - 1, TINT_QUIET, ticks[i].label);
    }
    count = axis_ticks(&plot->x, plot->dots.columns / 10 + 2 < TICKS ? plot->dots.columns / 10 + 2 : TICKS, ticks);
    unsigned free_from = LABELS;
    for (size_t i = 0; i < count; i++) {
        unsigned at = LABELS + (unsigned)(axis_place(&plot->x, ticks[i].value) * (plot->dots.columns - 1));
        if (at >= free_from && at + strlen(ticks[i].label) <= sheet->area.columns)
            free_from =
                at + 1 + canvas_text(sheet->canvas, sheet->area, sheet->row + rows, at, TINT_QUIET, ticks[i].label);
    }
}

/* Whether values lie so far apart that a logarithmic axis shows more. */
static enum axis_scale scale_of(const double y[2])
{
    return y[0] > 0 && y[1] > 100 * y[0] ? AXIS_LOG : AXIS_LINEAR;
}

/* The learning curve beside the best's, in `rows` rows. */
static void trial_plot_curve(struct trial_sheet *sheet, unsigned rows)
{
    struct curve_plot plot = {.curve = json_object_get(sheet->section, "curve"),
                              .best = json_object_get(sheet->best, "curve")};
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    widen(plot.curve, x, y);
    widen(plot.best, x, y);
    widen_to_cut_offs(json_object_get(sheet->trial, "decisions"), x, y);
    if (isinf(x[0]) || x[0] == x[1] || sheet->area.columns < LABELS + 10) /* at one step there is no curve */
        return;
    plot.x = axis_of(x[0], x[1], AXIS_LINEAR);
    plot.y = axis_of(y[0], y[1], scale_of(y));
    dots_init(&plot.dots, sheet->area.columns - LABELS, rows);
    draw_decisions(&plot, json_object_get(sheet->trial, "decisions"));
    draw_samples(&plot, plot.best, false, TINT_GOOD);
    draw_samples(&plot, plot.curve, true, TINT_BUSY);
    copy_dots(&plot, sheet);
    label_axes(&plot, sheet);
    dots_fini(&plot.dots);
    sheet->row += rows + 1;
}

static bool have_cut_offs(const json_t *decisions)
{
    size_t index;
    const json_t *decision;
    double cut_off;
    json_array_foreach((json_t *)decisions, index, decision)
    {
        if (cut_off_of(decision, &cut_off))
            return true;
    }
    return false;
}

/* What the picture shows. */
static void caption_curve(struct trial_sheet *sheet, const json_t *decisions)
{
    bool curve = json_array_size(json_object_get(sheet->section, "curve")) > 0,
         others = json_array_size(json_object_get(sheet->best, "curve")) > 0;
    json_int_t best = json_integer_value(json_object_get(sheet->best, "trial"));
    struct buf line = {0};
    bool is_best = best == json_integer_value(json_object_get(sheet->trial, "trial"));
    if (curve)
        buf_format(&line, "%s by step%s", json_text(sheet->section, "metric"), best && !is_best ? ": a line" : "");
    else
        buf_text(&line, "It has reported no value");
    if (others && !is_best)
        buf_format(&line, "; points: the best, trial %" JSON_INTEGER_FORMAT, best);
    if (curve && json_array_size(decisions))
        buf_text(&line, "; upright: where early stopping looked");
    if (curve && have_cut_offs(decisions))
        buf_text(&line, ", the bar: its cut-off there");
    if (!curve && !others)
        buf_text(&line, ".");
    sheet_line(sheet, TINT_QUIET, buf_str(&line));
    buf_fini(&line);
}

/* Of what is no curve, for it is known at one step alone: its values. */
static void say_values(struct trial_sheet *sheet, const char *whose, const json_t *curve)
{
    double step, value;
    char text[32];
    if (point_of(json_array_get(curve, 0), &step, &value))
        sheet_print(sheet, TINT_NONE, "%s: %s at step %.0f", whose, format_number(value, text, sizeof text), step);
}

static bool is_one_step(const json_t *curve, const json_t *best)
{
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    widen(curve, x, y);
    widen(best, x, y);
    return x[0] == x[1];
}

static void list_decisions(struct trial_sheet *sheet, const json_t *decisions)
{
    const json_t *decision;
    size_t index;
    if (json_array_size(decisions))
        sheet_heading(sheet, "Early stopping");
    json_array_foreach((json_t *)decisions, index, decision)
    {
        const char *name = json_text(decision, "decision");
        bool went_on = strcmp(name, "went_on") == 0, goes_on = strcmp(name, "goes_on") == 0;
        sheet_print(sheet, TINT_NONE, "%-8s %s",
                    went_on   ? "went on"
                    : goes_on ? "goes on"
                              : name,
                    json_text(decision, "why"));
    }
}

void trial_draw_curve(struct trial_sheet *sheet)
{
    const json_t *decisions = json_object_get(sheet->trial, "decisions");
    const json_t *curve = json_object_get(sheet->section, "curve"), *best = json_object_get(sheet->best, "curve");
    if (is_one_step(curve, best)) {
        sheet_line(sheet, TINT_QUIET, "All values are of one step: there is no curve.");
        say_values(sheet, "this one", curve);
        say_values(sheet, "the best", best);
    } else {
        caption_curve(sheet, decisions);
        trial_plot_curve(sheet, PLOT_ROWS);
    }
    list_decisions(sheet, decisions);
}
