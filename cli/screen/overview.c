/* The screen overview: is it going well, what is best, what is stuck, when will it end. */
#include "cli/json.h"
#include "cli/plot/axis.h"
#include "cli/plot/dots.h"
#include "cli/screen/overview_parts.h"
#include "cli/view/attention.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the best value so far as a curve --- */

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

static bool measure_curve(const struct model *model, struct curve *out)
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

/* The best value so far, over the trials that ended. */
static void draw_history(const struct model *model, struct canvas *canvas, struct area area)
{
    struct curve curve;
    struct dots dots;
    if (area.rows < 3 || area.columns < LABEL + 10 || !measure_curve(model, &curve))
        return;
    struct axis axis = axis_of(curve.low, curve.high, AXIS_LINEAR);
    dots_init(&dots, area.columns - LABEL, area.rows - 1);
    draw_steps(&curve, &axis, &dots);
    put_dots(&dots, canvas, area);
    put_labels(&curve, canvas, area);
    dots_fini(&dots);
}

/* --- what needs attention --- */

enum { NARROW = 60 }; /* columns below which a failure takes a row more */

struct attention_list {
    struct canvas *canvas;
    struct area area;
    unsigned row;
    unsigned each; /* rows that one of them may take */
};

static void add_sentence(struct attention_list *list, enum tint tint, const char *text)
{
    struct area rows = list->area;
    if (!text || !*text || list->row >= rows.rows)
        return;
    rows.rows = list->row + list->each < rows.rows ? list->row + list->each : rows.rows;
    canvas_text(list->canvas, list->area, list->row, 0, tint, "!");
    list->row += canvas_wrap(list->canvas, rows, list->row, 2, tint, text);
}

static void add_aside(struct attention_list *list, const json_t *status)
{
    json_t *one;
    size_t index;
    json_array_foreach(json_object_get(status, "aside"), index, one)
    {
        char *text = mem_format("node %s is set aside: %s", json_text(one, "node"), json_text(one, "why"));
        add_sentence(list, TINT_WARN, text);
        free(text);
    }
}

static void add_explanation(struct attention_list *list, const struct model *model)
{
    json_t *sentences = model_get(model, SECTION_ATTENTION, "sentences");
    for (size_t i = 0; i < json_array_size(sentences); i++)
        add_sentence(list, TINT_NONE, json_string_value(json_array_get(sentences, i)));
}

static void add_standstills(struct attention_list *list, const json_t *status)
{
    json_t *one;
    size_t index;
    json_array_foreach(json_object_get(status, "standstills"), index, one)
        add_sentence(list, TINT_WARN, json_text(one, "text"));
}

/* Commands are typed behind ":". */
static const struct attention_subject typed = {0};

static void add_causes(struct attention_list *list, const struct model *model)
{
    const json_t *attention = model->sections[SECTION_ATTENTION].value, *causes = json_object_get(attention, "causes");
    unsigned each = list->each;
    struct buf line = {0};
    list->each = list->area.columns < NARROW || each > 2 ? 3 : 2; /* what is wrong stands at the end of the line */
    for (size_t i = 0; i < json_array_size(causes); i++) {
        buf_clear(&line);
        attention_add_cause(attention, json_array_get(causes, i), &typed, &line);
        add_sentence(list, TINT_BAD, buf_str(&line));
    }
    list->each = each;
    buf_fini(&line);
}

static void add_remedy(struct attention_list *list, const struct model *model)
{
    struct buf line = {0};
    attention_add_remedy(model->sections[SECTION_ATTENTION].value, &typed, &line);
    add_sentence(list, TINT_NONE, buf_str(&line));
    buf_fini(&line);
}

/* The heading comes last: without anything below it there is none. */
/* What a person may have to do something about: how many rows it took; 0: nothing. */
static unsigned draw_attention(const struct model *model, struct canvas *canvas, struct area area)
{
    struct attention_list list = {.canvas = canvas, .area = area, .row = area.rows > 2, .each = area.rows > 6 ? 3 : 1};
    unsigned first = list.row;
    json_t *status = model_get(model, SECTION_OVERVIEW, "status");
    add_sentence(&list, TINT_WARN, json_string_value(model_get(model, SECTION_ATTENTION, "missing")));
    add_standstills(&list, status);
    add_aside(&list, status);
    add_causes(&list, model);
    add_explanation(&list, model);
    add_remedy(&list, model);
    if (list.row == first)
        return 0;
    if (first)
        canvas_rule(canvas, area, 0, "Attention");
    return list.row;
}

/* --- the screen --- */

enum { WIDE = 110, TALL = 17, CURVE_ROWS = 5 };

static void want_overview(const struct view *view, struct area area, struct wants *wants)
{
    (void)view;
    (void)area;
    wants->sections |= 1u << SECTION_OVERVIEW | 1u << SECTION_TOP | 1u << SECTION_ATTENTION | 1u << SECTION_HISTORY;
}

static struct area part(struct area area, unsigned row, unsigned rows, unsigned column, unsigned columns)
{
    return (struct area){.row = area.row + row, .rows = rows, .column = area.column + column, .columns = columns};
}

/* What needs attention stands beside the curve where there is room, else between it and the trials. */
static unsigned draw_middle(const struct model *model, struct canvas *canvas, struct area area, unsigned row)
{
    unsigned left = area.rows - row, columns = area.columns, rows = CURVE_ROWS;
    if (area.rows >= TALL + 20)
        rows = area.rows / 4;
    if (area.rows < TALL || left < CURVE_ROWS + 4)
        return row + draw_attention(model, canvas, part(area, row, left > 6 ? 2 : left > 3 ? 1 : 0, 0, columns));
    if (columns >= WIDE) {
        unsigned half = columns * 6 / 10;
        draw_history(model, canvas, part(area, row, rows, 0, half));
        draw_attention(model, canvas, part(area, row, rows, half + 2, columns - half - 2));
        return row + rows;
    }
    unsigned most = left - rows > 9 ? left - rows - 5 : 2; /* with a few of the trials below it */
    draw_history(model, canvas, part(area, row, rows, 0, columns));
    return row + rows + draw_attention(model, canvas, part(area, row + rows, most, 0, columns));
}

static void draw_overview(struct model *model, struct canvas *canvas, struct area area)
{
    if (!model->sections[SECTION_OVERVIEW].value) {
        section_absent(model, SECTION_OVERVIEW, canvas, area);
        return;
    }
    unsigned row = head_draw(model, canvas, area);
    row = draw_middle(model, canvas, area, row);
    if (row < area.rows)
        top_draw(model, canvas, part(area, row, area.rows - row, 0, area.columns));
}

static bool press_overview(struct model *model, enum screen_key key)
{
    if (key == PRESS_ENTER)
        view_open_trial(&model->view, top_trial(model));
    return key == PRESS_ENTER;
}

const struct screen_kind screen_overview = {
    .title = "Overview",
    .help = "How the search stands: trials by state, the best one, the best value so far over the trials that ended, "
            "slots and jobs, what needs attention, and the best trials with those that run.",
    .want = want_overview,
    .rows = top_rows,
    .draw = draw_overview,
    .press = press_overview,
    .trial = top_trial};
