/* The best value so far as a curve; see overview_parts.h. */
#include "cli/screen/overview_parts.h"
#include "cli/json.h"
#include "cli/plot/axis.h"
#include "cli/plot/dots.h"
#include "common/json.h"

#include <math.h>
#include <stdio.h>

enum { LABEL = 9 };

struct curve {
    json_t *improvements; /* [[ended, time, value, trial], ...] */
    double low, high, ended;
};

static double number_at(const json_t *row, size_t index)
{
    double number = NAN;
    return json_to_finite(json_array_get(row, index), &number) ? number : NAN;
}

static bool measure(const struct model *model, struct curve *out)
{
    *out = (struct curve){
        .improvements = model_get(model, SECTION_HISTORY, "improvements"), .low = INFINITY, .high = -INFINITY};
    json_t *row;
    size_t index;
    json_array_foreach(out->improvements, index, row)
    {
        out->low = fmin(out->low, number_at(row, 2));
        out->high = fmax(out->high, number_at(row, 2));
    }
    json_to_finite(model_get(model, SECTION_HISTORY, "ended"), &out->ended);
    return out->low <= out->high && out->ended >= 1;
}

/* Steps: a value holds until a better one. */
static void draw_steps(const struct curve *curve, const struct axis *axis, struct dots *dots)
{
    double x = NAN, y = NAN;
    json_t *row;
    size_t index;
    json_array_foreach(curve->improvements, index, row)
    {
        double next_x = number_at(row, 0) / curve->ended, next_y = axis_place(axis, number_at(row, 2));
        dots_line(dots, x, y, next_x, y, TINT_GOOD);
        dots_line(dots, next_x, y, next_x, next_y, TINT_GOOD);
        x = next_x;
        y = next_y;
    }
    dots_line(dots, x, y, 1, y, TINT_GOOD);
    dots_point(dots, x, y, TINT_GOOD);
}

static void put_dots(const struct dots *dots, struct canvas *canvas, struct area area)
{
    for (uint32_t row = 0; row < dots->rows; row++)
        for (uint32_t column = 0; column < dots->columns; column++) {
            char cell[DOTS_CELL_BYTES];
            dots_cell(dots, column, row, canvas->look.unicode, cell);
            if (*cell != ' ')
                canvas_text(canvas, area, row, LABEL + column, dots_tint(dots, column, row), cell);
        }
}

static void put_labels(const struct curve *curve, struct canvas *canvas, struct area area)
{
    char text[48];
    axis_label(curve->high, text, sizeof text);
    canvas_right(canvas, area, 0, 0, LABEL - 1, TINT_QUIET, text);
    axis_label(curve->low, text, sizeof text);
    canvas_right(canvas, area, area.rows - 2, 0, LABEL - 1, TINT_QUIET, text);
    canvas_text(canvas, area, area.rows - 1, LABEL, TINT_QUIET, "best so far, over the trials that ended");
    snprintf(text, sizeof text, "%.0f", curve->ended);
    canvas_right(canvas, area, area.rows - 1, LABEL, area.columns - LABEL, TINT_QUIET, text);
}

void history_draw(const struct model *model, struct canvas *canvas, struct area area)
{
    struct curve curve;
    struct dots dots;
    if (area.rows < 3 || area.columns < LABEL + 10 || !measure(model, &curve))
        return;
    struct axis axis = axis_of(curve.low, curve.high, AXIS_LINEAR);
    dots_init(&dots, area.columns - LABEL, area.rows - 1);
    draw_steps(&curve, &axis, &dots);
    put_dots(&dots, canvas, area);
    put_labels(&curve, canvas, area);
    dots_fini(&dots);
}
