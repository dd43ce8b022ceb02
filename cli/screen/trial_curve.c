/* The learning curve of a trial's page; see trial_parts.h. */
#include "cli/screen/trial_parts.h"
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

/* Where early stopping looked at it: a dotted line at the step. */
static void draw_decisions(struct curve_plot *plot, const json_t *decisions)
{
    size_t index;
    const json_t *decision;
    json_array_foreach((json_t *)decisions, index, decision)
    {
        double step;
        if (!json_number(decision, "step", &step))
            continue;
        for (uint32_t row = 0; row < plot->dots.rows * DOTS_CELL_HEIGHT; row += 2)
            dots_point(&plot->dots, axis_place(&plot->x, step), (row + 0.5) / (plot->dots.rows * DOTS_CELL_HEIGHT),
                       TINT_WARN);
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

void trial_plot_curve(struct trial_sheet *sheet, unsigned rows)
{
    struct curve_plot plot = {.curve = json_object_get(sheet->section, "curve"),
                              .best = json_object_get(sheet->best, "curve")};
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    widen(plot.curve, x, y);
    widen(plot.best, x, y);
    if (isinf(x[0]) || sheet->area.columns < LABELS + 10)
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

void trial_draw_curve(struct trial_sheet *sheet)
{
    const json_t *curve = json_object_get(sheet->section, "curve"),
                 *decisions = json_object_get(sheet->trial, "decisions");
    json_int_t best = json_integer_value(json_object_get(sheet->best, "trial"));
    const json_t *decision;
    size_t index;
    if (!json_array_size(curve) && json_array_size(json_object_get(sheet->best, "curve")))
        sheet_print(sheet, TINT_QUIET, "It has reported no value; points: the best, trial %" JSON_INTEGER_FORMAT, best);
    else if (!json_array_size(curve))
        sheet_line(sheet, TINT_QUIET, "It has reported no value.");
    else if (best && best != json_integer_value(json_object_get(sheet->trial, "trial")))
        sheet_print(sheet, TINT_QUIET, "%s by step: a line; points: the best, trial %" JSON_INTEGER_FORMAT "%s",
                    json_text(sheet->section, "metric"), best,
                    json_array_size(decisions) ? "; upright: where early stopping looked" : "");
    else
        sheet_print(sheet, TINT_QUIET, "%s by step", json_text(sheet->section, "metric"));
    trial_plot_curve(sheet, PLOT_ROWS);
    if (json_array_size(decisions))
        sheet_heading(sheet, "Early stopping");
    json_array_foreach((json_t *)decisions, index, decision)
        sheet_print(sheet, TINT_NONE, "%-8s %s", json_text(decision, "decision"), json_text(decision, "why"));
}
